#include "tests/support/small_disk.h"

#include <string>
#include <vector>

#include <QDir>
#include <QTest>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace loquor::test {

namespace fs = std::filesystem;

QString quickTemplate(const QString& name)
{
    const bool hasMemory = ::access("/dev/shm", W_OK) == 0;
    return (hasMemory ? QString("/dev/shm") : QDir::tempPath()) + "/loquor-" + name;
}

SmallDisk::SmallDisk(const fs::path& folder, int megabytes) : m_folder(folder), m_megabytes(megabytes)
{
    fs::create_directories(folder);
    // In a name space of its own, so that nothing stays mounted after a crash of the test.
    static const bool isPrivate =
        ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    const std::string options = "size=" + std::to_string(megabytes) + "m,mode=0700";
    m_isMounted = isPrivate && ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
    ::getrlimit(RLIMIT_FSIZE, &m_before);
}

SmallDisk::~SmallDisk()
{
    release();
    if (m_isMounted)
        ::umount2(m_folder.c_str(), MNT_DETACH);
}

void SmallDisk::fill(int pages)
{
    if (!m_isMounted) {
        rlimit limit = m_before;
        limit.rlim_cur = static_cast<rlim_t>(pages) * 2048;
        ::setrlimit(RLIMIT_FSIZE, &limit);
        return;
    }
    struct statvfs info{};
    ::statvfs(m_folder.c_str(), &info);
    const auto free = static_cast<off_t>(info.f_bavail * info.f_frsize);
    const int ballast = ::open((m_folder / "ballast").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const int error = free > pages * 4096 ? ::posix_fallocate(ballast, 0, free - pages * 4096) : 0;
    ::close(ballast);
    QCOMPARE(error, 0);
}

void SmallDisk::release()
{
    if (m_isMounted)
        ::unlink((m_folder / "ballast").c_str());
    else
        ::setrlimit(RLIMIT_FSIZE, &m_before);
}

void SmallDisk::setReadOnly(bool readOnly)
{
    if (m_isMounted) {
        const std::string options = "size=" + std::to_string(m_megabytes) + "m";
        unsigned long flags = MS_REMOUNT;
        if (readOnly)
            flags |= MS_RDONLY;
        QCOMPARE(::mount("tmpfs", m_folder.c_str(), "tmpfs", flags, options.c_str()), 0);
        return;
    }
    std::vector<fs::path> folders{m_folder};
    for (const auto& entry : fs::recursive_directory_iterator(m_folder)) {
        if (entry.is_directory())
            folders.push_back(entry.path());
    }
    for (const fs::path& folder : folders)
        ::chmod(folder.c_str(), readOnly ? 0555 : 0755);
}

} // namespace loquor::test
