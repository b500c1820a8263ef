#include "core/platform/atomic_file.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/platform/paths.h"

namespace loquor::platform {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPartSuffix = ".part";
constexpr std::size_t kTagBytes = 8;

// Links are followed, so that a linked output stays a link and the data go where it points.
fs::path resolvedTarget(const fs::path& target)
{
    std::error_code code;
    if (fs::is_symlink(target, code)) {
        const fs::path real = fs::weakly_canonical(target, code);
        if (!code)
            return real;
    }
    return target;
}

fs::path folderOf(const fs::path& file)
{
    const fs::path parent = file.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

Result<> checkName(const fs::path& file)
{
    const std::string name = file.filename().native();
    if (name.empty() || name == "." || name == "..")
        return fail(ErrorCode::InvalidArgument,
                    "The output " + quotedPath(file) + " names no file: add a file name.");
    if (file.native().find('\0') != std::string::npos)
        return fail(ErrorCode::InvalidArgument,
                    "The output name " + quotedPath(file) + " holds a zero byte.");
    if (name.size() > kMaxNameBytes)
        return fail(ErrorCode::InvalidArgument,
                    "The file name " + quotedPath(truncatedUtf8(name, 40) + "...") + " has " +
                        std::to_string(name.size()) + " bytes; at most " +
                        std::to_string(kMaxNameBytes) + " are possible. Choose a shorter name.");
    return {};
}

Result<> checkFolder(const fs::path& file)
{
    const fs::path folder = folderOf(file);
    struct stat info{};
    if (::stat(folder.c_str(), &info) != 0) {
        if (errno == ENOENT)
            return fail(ErrorCode::NotFound, "The folder " + quotedPath(folder) +
                                                 " does not exist: create it or choose another.");
        return fail(errorFromErrno(errno, "Cannot use the folder " + quotedPath(folder)));
    }
    if (!S_ISDIR(info.st_mode))
        return fail(ErrorCode::NotFound, quotedPath(folder) + " is not a folder.");
    return {};
}

Result<> checkTarget(const fs::path& file, IfExists ifExists)
{
    struct stat info{};
    if (::stat(file.c_str(), &info) != 0)
        return {};
    if (S_ISDIR(info.st_mode))
        return fail(ErrorCode::InvalidArgument,
                    quotedPath(file) + " is a folder: add a file name to it.");
    if (!S_ISREG(info.st_mode))
        return fail(ErrorCode::InvalidArgument, quotedPath(file) + " is not a regular file.");
    if (ifExists == IfExists::Refuse)
        return fail(ErrorCode::AlreadyExists, quotedPath(file) + " exists already.");
    return {};
}

// ".<start of the name>." : what all part files of one target begin with.
std::string partPrefix(const fs::path& target)
{
    const std::size_t room = kMaxNameBytes - 2 - kTagBytes - kPartSuffix.size();
    return "." + truncatedUtf8(target.filename().native(), room) + ".";
}

std::string randomTag()
{
    static std::atomic<std::uint64_t> counter{0};
    std::uint64_t value = 0;
    if (::getrandom(&value, sizeof value, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof value))
        value = static_cast<std::uint64_t>(std::time(nullptr)) * 1000003u +
                static_cast<std::uint64_t>(::getpid());
    value += ++counter;
    std::string tag;
    for (std::size_t i = 0; i < kTagBytes; ++i, value /= 36)
        tag += "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
    return tag;
}

// Part files of this target that no process holds locked were left by a killed one.
void removeAbandoned(const fs::path& target)
{
    const std::string prefix = partPrefix(target);
    const fs::path folder = folderOf(target);
    DIR* listing = ::opendir(folder.c_str());
    if (listing == nullptr)
        return;
    while (const dirent* entry = ::readdir(listing)) {
        const std::string_view name = entry->d_name;
        if (name.size() != prefix.size() + kTagBytes + kPartSuffix.size() ||
            !name.starts_with(prefix) || !name.ends_with(kPartSuffix))
            continue;
        const fs::path part = folder / name;
        const FileDescriptor fd(::open(part.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
        if (fd.isOpen() && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
            ::unlink(part.c_str());
    }
    ::closedir(listing);
}

Error createError(int errnum, const fs::path& target)
{
    const std::string folder = quotedPath(folderOf(target));
    switch (errnum) {
    case EROFS:
        return Error(ErrorCode::PermissionDenied, "Cannot write " + quotedPath(target) +
                                                      ": the file system of " + folder +
                                                      " is read-only.");
    case EACCES:
    case EPERM:
        return Error(ErrorCode::PermissionDenied, "Cannot write " + quotedPath(target) +
                                                      ": no permission to write in the folder " +
                                                      folder + ".");
    case ENOENT: // the folder is there: it is one of the system's own (/proc)
        return Error(ErrorCode::PermissionDenied, "Cannot write " + quotedPath(target) + ": no file can be made in the folder " +
                                                      folder + ".");
    default:
        return errorFromErrno(errnum, "Cannot write " + quotedPath(target));
    }
}

Result<FileDescriptor> openPart(const fs::path& target, fs::path& part)
{
    for (int attempt = 0; attempt < 100; ++attempt) {
        part = folderOf(target) / (partPrefix(target) + randomTag() + std::string(kPartSuffix));
        FileDescriptor fd(::open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (!fd.isOpen()) {
            if (errno == EEXIST)
                continue;
            return fail(createError(errno, target));
        }
        // Another process may have taken the new, not yet locked file for an abandoned one.
        struct stat info{};
        ::flock(fd.get(), LOCK_EX | LOCK_NB);
        if (::fstat(fd.get(), &info) == 0 && info.st_nlink > 0)
            return fd;
    }
    return fail(ErrorCode::Internal, "No free temporary name beside " + quotedPath(target) + ".");
}

int renameNoReplace(const fs::path& from, const fs::path& to)
{
    if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) ==
        0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    // File systems without that flag (some network ones): a hard link refuses to replace as well.
    if (::link(from.c_str(), to.c_str()) == 0) {
        ::unlink(from.c_str());
        return 0;
    }
    if (errno == EEXIST)
        return errno;
    if (::access(to.c_str(), F_OK) == 0)
        return EEXIST;
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

} // namespace

Result<> checkWritable(const fs::path& file, IfExists ifExists)
{
    LQ_TRY(AtomicFile trial, AtomicFile::create(file, ifExists));
    const std::array<char, 4096> block{};
    return trial.write(block.data(), block.size());
}

Result<AtomicFile> AtomicFile::create(const fs::path& target, IfExists ifExists)
{
    LQ_CHECKED(checkName(target));
    AtomicFile file;
    file.m_target = resolvedTarget(target);
    file.m_ifExists = ifExists;
    LQ_CHECKED(checkFolder(file.m_target));
    LQ_CHECKED(checkTarget(file.m_target, ifExists));
    removeAbandoned(file.m_target);
    fs::path part;
    LQ_TRY(file.m_fd, openPart(file.m_target, part));
    file.m_part = std::move(part);
    return file;
}

AtomicFile::~AtomicFile()
{
    discard();
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : m_target(std::move(other.m_target)), m_part(std::exchange(other.m_part, {})),
      m_fd(std::move(other.m_fd)), m_ifExists(other.m_ifExists)
{
}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept
{
    if (this != &other) {
        discard();
        m_target = std::move(other.m_target);
        m_part = std::exchange(other.m_part, {});
        m_fd = std::move(other.m_fd);
        m_ifExists = other.m_ifExists;
    }
    return *this;
}

Result<> AtomicFile::write(const void* data, std::size_t bytes)
{
    return writeAll(m_fd.get(), data, bytes, "Cannot write " + quotedPath(m_target));
}

Result<> AtomicFile::reserve(std::uint64_t bytes)
{
    struct stat info{};
    if (::fstat(m_fd.get(), &info) != 0)
        return fail(errorFromErrno(errno, "Cannot write " + quotedPath(m_target)));
    if (::fallocate(m_fd.get(), FALLOC_FL_KEEP_SIZE, info.st_size, static_cast<off_t>(bytes)) == 0)
        return {};
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL)
        return {};
    return fail(errorFromErrno(errno, "No room for " + std::to_string(bytes >> 20) + " MB for " +
                                          quotedPath(m_target)));
}

Result<> AtomicFile::commit()
{
    const std::string what = "Cannot finish " + quotedPath(m_target);
    struct stat old{};
    if (m_ifExists == IfExists::Replace && ::stat(m_target.c_str(), &old) == 0 &&
        S_ISREG(old.st_mode))
        ::fchmod(m_fd.get(), old.st_mode & 07777); // best effort: a replaced file keeps its mode
    int code = ::fsync(m_fd.get()) == 0 ? 0 : errno;
    if (code == 0 && m_ifExists == IfExists::Refuse)
        code = renameNoReplace(m_part, m_target);
    else if (code == 0 && ::rename(m_part.c_str(), m_target.c_str()) != 0)
        code = errno;
    if (code != 0) {
        discard();
        return fail(errorFromErrno(code, what));
    }
    m_part.clear();
    m_fd.reset();
    // The name itself must survive a power cut; a folder that cannot be synced is no reason to
    // fail.
    const FileDescriptor folder(
        ::open(folderOf(m_target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.isOpen())
        ::fsync(folder.get());
    return {};
}

void AtomicFile::discard()
{
    if (!m_part.empty())
        ::unlink(m_part.c_str());
    m_part.clear();
    m_fd.reset();
}

Result<> writeFile(const fs::path& target, std::span<const std::uint8_t> bytes, IfExists ifExists)
{
    LQ_TRY(AtomicFile file, AtomicFile::create(target, ifExists));
    LQ_CHECKED(file.write(bytes.data(), bytes.size()));
    return file.commit();
}

Result<> writeFile(const fs::path& target, const std::string& text, IfExists ifExists)
{
    LQ_TRY(AtomicFile file, AtomicFile::create(target, ifExists));
    LQ_CHECKED(file.write(text));
    return file.commit();
}

Result<FileDescriptor> openForReading(const fs::path& file)
{
    // Without O_NONBLOCK, opening a named pipe would wait for a writer for ever.
    FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd.isOpen()) {
        if (errno == ENOENT || errno == ENOTDIR)
            return fail(ErrorCode::NotFound, "There is no file " + quotedPath(file) + ".");
        if (errno == EACCES)
            return fail(ErrorCode::PermissionDenied,
                        "No permission to read " + quotedPath(file) + ".");
        return fail(errorFromErrno(errno, "Cannot open " + quotedPath(file)));
    }
    struct stat info{};
    if (::fstat(fd.get(), &info) != 0)
        return fail(errorFromErrno(errno, "Cannot open " + quotedPath(file)));
    if (S_ISDIR(info.st_mode))
        return fail(ErrorCode::Unreadable, quotedPath(file) + " is a folder, not a file.");
    if (!S_ISREG(info.st_mode))
        return fail(ErrorCode::Unreadable, quotedPath(file) + " is not a regular file.");
    return fd;
}

Result<std::vector<std::uint8_t>> readFile(const fs::path& file, std::uint64_t maxBytes)
{
    LQ_TRY(const FileDescriptor fd, openForReading(file));
    struct stat info{};
    if (::fstat(fd.get(), &info) != 0)
        return fail(errorFromErrno(errno, "Cannot read " + quotedPath(file)));
    const auto size = static_cast<std::uint64_t>(info.st_size);
    if (size > maxBytes)
        return fail(ErrorCode::InvalidArgument,
                    quotedPath(file) + " is too long: " + std::to_string(size) +
                        " bytes; at most " + std::to_string(maxBytes) + " can be read.");
    std::vector<std::uint8_t> bytes(size);
    LQ_TRY(const std::size_t got,
           readUpTo(fd.get(), bytes.data(), bytes.size(), "Cannot read " + quotedPath(file)));
    bytes.resize(got);
    return bytes;
}

Result<std::string> readTextFile(const fs::path& file, std::uint64_t maxBytes)
{
    LQ_TRY(const std::vector<std::uint8_t> bytes, readFile(file, maxBytes));
    return std::string(bytes.begin(), bytes.end());
}

Result<> refuseInputAsOutput(const fs::path& output, std::span<const fs::path> inputs)
{
    // Comparing names too: neither of the two may exist yet.
    const auto absoluteName = [](const fs::path& path) {
        std::error_code ignored;
        return fs::absolute(path, ignored).lexically_normal();
    };
    for (const fs::path& input : inputs) {
        if (input.empty()) // an option that was not given
            continue;
        if (isSameFile(output, input) || absoluteName(output) == absoluteName(input))
            return fail(ErrorCode::InvalidArgument,
                        "The output " + quotedPath(output) +
                            " is also an input and would be destroyed: choose another name.");
    }
    return {};
}

Result<std::uint64_t> freeSpace(const fs::path& path)
{
    std::error_code code;
    fs::path at = fs::absolute(path, code);
    struct statvfs info{};
    while (::statvfs(at.c_str(), &info) != 0) {
        if (errno != ENOENT || !at.has_relative_path())
            return fail(
                errorFromErrno(errno, "Cannot ask for the free space at " + quotedPath(path)));
        at = at.parent_path();
    }
    return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

} // namespace loquor::platform
