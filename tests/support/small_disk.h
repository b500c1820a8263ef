// Disks that are fast, full or read-only.
#pragma once

#include <filesystem>

#include <QString>

#include <sys/resource.h>

namespace loquor::test {

// Template for a temporary folder where files cost no disk time, if there is such a place.
QString quickTemplate(const QString& name);

// A place that can be made full: a small file system where mounting is allowed (tmpfs), else a limit on
// the size of files, which the kernel reports at the same calls. Seen by this thread and what it starts.
class SmallDisk
{
public:
    explicit SmallDisk(const std::filesystem::path& folder, int megabytes = 4);
    ~SmallDisk();
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    bool isMounted() const { return m_isMounted; }
    // Leaves `pages` pages of 4 KB, or lets files grow to half so much.
    void fill(int pages);
    void release();
    // Nothing below it can be written, or again. Without the right to mount: by the modes of folders.
    void setReadOnly(bool readOnly);

private:
    const std::filesystem::path m_folder;
    const int m_megabytes;
    bool m_isMounted = false;
    rlimit m_before{};
};

} // namespace loquor::test
