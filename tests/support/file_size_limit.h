// What a full disk looks like to this process.
#pragma once

#include <sys/resource.h>

namespace loquor::test {

// Lets files of this process grow to `bytes` only, while it lives. What writes beyond gets EFBIG, which the
// program treats as a full disk (SIGXFSZ must be ignored: platform::ignorePipeAndSizeSignals).
class FileSizeLimit
{
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        rlimit limit = m_before;
        limit.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &m_before); }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit m_before{};
};

} // namespace loquor::test
