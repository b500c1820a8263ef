// Files that exist whole or not at all: written beside the target, then renamed onto it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/platform/file_descriptor.h"

namespace loquor::platform {

enum class IfExists {
    Refuse = 1, // AlreadyExists, also when the file appears between create() and commit()
    Replace,
};

// Is `file` a name that could be written now? Checks the name's length in bytes, that the folder
// exists, is a folder and can really be written (by writing), and that the target is not a folder
// or a device. Every failure says which of these it is. Leaves nothing behind.
Result<> checkWritable(const std::filesystem::path& file, IfExists ifExists);

// A new file that becomes `path()` on commit(). Until then the data are in `partPath()`, a name of
// at most 255 bytes that ends in ".part" on the same volume. Destruction without commit() removes
// the part file; after kill -9 it stays, locked by nobody, and the next create() for the same
// target removes it. One thread at a time.
class AtomicFile
{
public:
    static Result<AtomicFile> create(const std::filesystem::path& target, IfExists ifExists);
    ~AtomicFile();
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&& other) noexcept;
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    const std::filesystem::path& path() const { return m_target; }
    const std::filesystem::path& partPath() const { return m_part; }
    int fd() const { return m_fd.get(); }

    Result<> write(const void* data, std::size_t bytes);
    Result<> write(const std::string& text) { return write(text.data(), text.size()); }
    // Asks the file system for room for `bytes` more, so that a full disk or quota shows now and
    // not after the work. Passes where the file system cannot reserve.
    Result<> reserve(std::uint64_t bytes);
    // Flushes to the disk and gives the file its name; on failure the part file is removed.
    Result<> commit();
    // Removes the part file. Allowed at any time, also twice.
    void discard();

private:
    AtomicFile() = default;
    std::filesystem::path m_target;
    std::filesystem::path m_part;
    FileDescriptor m_fd;
    IfExists m_ifExists = IfExists::Refuse;
};

// Whole small files.
Result<> writeFile(const std::filesystem::path& target, std::span<const std::uint8_t> bytes,
                   IfExists ifExists = IfExists::Replace);
Result<> writeFile(const std::filesystem::path& target, const std::string& text,
                   IfExists ifExists = IfExists::Replace);
// NotFound, PermissionDenied, or InvalidArgument when longer than `maxBytes`; each names the file.
Result<std::vector<std::uint8_t>> readFile(const std::filesystem::path& file,
                                           std::uint64_t maxBytes = 1ull << 32);
Result<std::string> readTextFile(const std::filesystem::path& file,
                                 std::uint64_t maxBytes = 64ull << 20);

// Opens an existing regular file for reading; the errors say what is wrong with it (missing, a
// folder, no permission).
Result<FileDescriptor> openForReading(const std::filesystem::path& file);

// InvalidArgument when `output` is one of `inputs` (also through a link): writing would destroy it.
Result<> refuseInputAsOutput(const std::filesystem::path& output,
                             std::span<const std::filesystem::path> inputs);

// Bytes this user can still write on the volume of `path` (or of its nearest existing parent).
Result<std::uint64_t> freeSpace(const std::filesystem::path& path);

} // namespace loquor::platform
