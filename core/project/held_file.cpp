#include "core/project/held_file.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loquor::project {

namespace fs = std::filesystem;

namespace {

// Still the file that has this name, and not one that its owner has removed meanwhile.
bool isStillNamed(int fd, const fs::path& file)
{
    struct stat held{};
    struct stat named{};
    return ::fstat(fd, &held) == 0 && ::lstat(file.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

std::string contentOf(int fd)
{
    std::array<char, 4096> buffer{};
    const ssize_t bytes = ::pread(fd, buffer.data(), buffer.size(), 0);
    return bytes > 0 ? std::string(buffer.data(), static_cast<std::size_t>(bytes)) : std::string();
}

platform::FileDescriptor openFile(const fs::path& file)
{
    constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    platform::FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | kFlags, 0666));
    if (!fd.isOpen() && (errno == EACCES || errno == EROFS || errno == EPERM)) {
        const int why = errno;
        fd = platform::FileDescriptor(::open(file.c_str(), O_RDONLY | kFlags)); // somebody else's
        if (!fd.isOpen())
            errno = why;
    }
    return fd;
}

} // namespace

HeldFile::HeldFile(HeldFile&& other) noexcept
    : m_file(std::move(other.m_file)), m_fd(std::move(other.m_fd)), m_found(std::move(other.m_found)),
      m_error(other.m_error)
{
}

HeldFile& HeldFile::operator=(HeldFile&& other) noexcept
{
    if (this != &other) {
        release();
        m_file = std::move(other.m_file);
        m_fd = std::move(other.m_fd);
        m_found = std::move(other.m_found);
        m_error = other.m_error;
    }
    return *this;
}

HeldFile::Outcome HeldFile::acquire(const fs::path& file)
{
    release();
    m_file = file;
    for (int attempt = 0; attempt < 100; ++attempt) {
        platform::FileDescriptor fd = openFile(file);
        m_error = fd.isOpen() ? 0 : errno;
        if (!fd.isOpen())
            return Outcome::Impossible;
        if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
            m_error = errno;
            m_found = contentOf(fd.get());
            return m_error == EWOULDBLOCK ? Outcome::Busy : Outcome::Impossible;
        }
        if (!isStillNamed(fd.get(), file))
            continue;
        m_found = contentOf(fd.get());
        m_fd = std::move(fd);
        return Outcome::Held;
    }
    m_error = EBUSY;
    return Outcome::Impossible;
}

void HeldFile::write(const std::string& content)
{
    if (!m_fd.isOpen() || ::ftruncate(m_fd.get(), 0) != 0)
        return;
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t n = ::pwrite(m_fd.get(), content.data() + done, content.size() - done,
                                   static_cast<off_t>(done));
        if (n <= 0 && errno != EINTR)
            return;
        done += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
}

void HeldFile::release()
{
    if (m_fd.isOpen() && isStillNamed(m_fd.get(), m_file))
        ::unlink(m_file.c_str());
    leave();
}

void HeldFile::leave()
{
    m_fd = platform::FileDescriptor();
}

} // namespace loquor::project
