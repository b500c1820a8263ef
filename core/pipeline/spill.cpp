#include "core/pipeline/spill.h"

#include <cerrno>
#include <string>

#include <unistd.h>

#include "core/platform/nameless_file.h"

namespace loquor::pipeline {

namespace {

class FileSpill : public Spill
{
public:
    explicit FileSpill(platform::FileDescriptor file) : m_file(std::move(file)) {}

    Result<SpillSlot> append(std::span<const std::uint8_t> bytes) override
    {
        const SpillSlot slot{m_end, bytes.size()};
        while (!bytes.empty()) {
            const ssize_t n = ::pwrite(m_file.get(), bytes.data(), bytes.size(), static_cast<off_t>(m_end));
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return fail(errorFromErrno(errno, "Writing results to a temporary file"));
            m_end += static_cast<std::uint64_t>(n);
            bytes = bytes.subspan(static_cast<std::size_t>(n));
        }
        return slot;
    }

    Result<std::vector<std::uint8_t>> read(const SpillSlot& slot) override
    {
        std::vector<std::uint8_t> out(static_cast<std::size_t>(slot.bytes));
        std::size_t done = 0;
        while (done < out.size()) {
            const ssize_t n = ::pread(m_file.get(), out.data() + done, out.size() - done,
                                      static_cast<off_t>(slot.offset + done));
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return fail(errorFromErrno(errno, "Reading results from a temporary file"));
            if (n == 0)
                return fail(ErrorCode::Corrupt, "A temporary file of results is shorter than what was written.");
            done += static_cast<std::size_t>(n);
        }
        return out;
    }

    Result<void> clear() override
    {
        m_end = 0;
        if (::ftruncate(m_file.get(), 0) != 0)
            return fail(errorFromErrno(errno, "Emptying a temporary file"));
        return {};
    }

private:
    platform::FileDescriptor m_file;
    std::uint64_t m_end = 0;
};

} // namespace

Result<std::shared_ptr<Spill>> makeFileSpill(const std::filesystem::path& folder)
{
    LQ_TRY(platform::FileDescriptor file, platform::makeNamelessFile(folder));
    return std::make_shared<FileSpill>(std::move(file));
}

} // namespace loquor::pipeline
