#include "core/cache/client_lock.h"

#include <array>
#include <cerrno>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/platform/paths.h"

namespace loquor::cache {

namespace fs = std::filesystem;
using platform::FileDescriptor;
using platform::quotedPath;

namespace {

constexpr const char* kSuffix = ".lock";

std::string randomName()
{
    std::array<unsigned char, 8> bytes{};
    (void)!::getrandom(bytes.data(), bytes.size(), 0);
    std::string out;
    for (const unsigned char byte : bytes) {
        out += "0123456789abcdef"[byte >> 4];
        out += "0123456789abcdef"[byte & 15];
    }
    return out;
}

} // namespace

Result<ClientLock> ClientLock::make(const fs::path& clientsFolder)
{
    for (int attempt = 0; attempt < 100; ++attempt) {
        ClientLock lock;
        lock.m_name = randomName();
        const fs::path file = clientsFolder / (lock.m_name + kSuffix);
        lock.m_fd = FileDescriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (!lock.m_fd.isOpen()) {
            if (errno == EEXIST)
                continue;
            return fail(errorFromErrno(errno, "Cannot use the chunk store: making " + quotedPath(file) + " failed"));
        }
        // Another process may have taken the new, not yet locked file for an abandoned one.
        struct stat info{};
        if (::flock(lock.m_fd.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(lock.m_fd.get(), &info) == 0 &&
            info.st_nlink > 0) {
            lock.m_file = file;
            return lock;
        }
    }
    return fail(ErrorCode::Internal, "No free name in " + quotedPath(clientsFolder) + '.');
}

ClientLock::~ClientLock()
{
    giveUp();
}

ClientLock& ClientLock::operator=(ClientLock&& other) noexcept
{
    if (this != &other) {
        giveUp();
        m_file = std::move(other.m_file);
        m_name = std::move(other.m_name);
        m_fd = std::move(other.m_fd);
    }
    return *this;
}

void ClientLock::giveUp()
{
    if (m_fd.isOpen())
        ::unlink(m_file.c_str());
    m_fd.reset();
}

bool isClientAlive(const fs::path& clientsFolder, const std::string& name)
{
    const fs::path file = clientsFolder / (name + kSuffix);
    const FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (!fd.isOpen())
        return errno != ENOENT;
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
        return true;
    ::unlink(file.c_str());
    return false;
}

std::vector<std::string> clientNames(const fs::path& clientsFolder)
{
    std::vector<std::string> out;
    std::error_code code;
    for (const auto& file : fs::directory_iterator(clientsFolder, code))
        if (file.path().extension() == kSuffix)
            out.push_back(file.path().stem().string());
    return out;
}

Result<IndexLock> IndexLock::open(const fs::path& file)
{
    IndexLock lock;
    lock.m_file = file;
    lock.m_fd = FileDescriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!lock.m_fd.isOpen())
        return fail(errorFromErrno(errno, "Cannot use the chunk store: opening " + quotedPath(file) + " failed"));
    return lock;
}

Result<> IndexLock::lockShared(std::chrono::milliseconds time)
{
    return lock(LOCK_SH, time);
}

Result<> IndexLock::lockExclusive(std::chrono::milliseconds time)
{
    return lock(LOCK_EX, time);
}

Result<> IndexLock::lock(int operation, std::chrono::milliseconds time)
{
    const auto end = std::chrono::steady_clock::now() + time;
    while (::flock(m_fd.get(), operation | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail(errorFromErrno(errno, "Cannot lock " + quotedPath(m_file)));
        if (std::chrono::steady_clock::now() >= end)
            return fail(ErrorCode::Timeout, "The chunk store " + quotedPath(m_file.parent_path()) +
                                                " is in use by another Loquor. Close it and try again.");
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {};
}

} // namespace loquor::cache
