// Who uses the store: each process holds a lock file for as long as it lives, however it ends. Locks
// and not process numbers: those are used again, and mean nothing from inside a container.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/platform/file_descriptor.h"

namespace loquor::cache {

// clients/<name>.lock, locked. Move-only; destruction gives the name up and removes the file.
class ClientLock
{
public:
    static Result<ClientLock> make(const std::filesystem::path& clientsFolder);
    ~ClientLock();
    ClientLock(ClientLock&&) noexcept = default;
    ClientLock& operator=(ClientLock&& other) noexcept;

    const std::string& name() const { return m_name; }

private:
    ClientLock() = default;
    void giveUp();
    std::filesystem::path m_file;
    std::string m_name;
    platform::FileDescriptor m_fd;
};

// False when nobody holds that name any more; its file is removed then.
bool isClientAlive(const std::filesystem::path& clientsFolder, const std::string& name);
// Names that have a lock file, alive or not.
std::vector<std::string> clientNames(const std::filesystem::path& clientsFolder);

// The lock of the index file: shared by all users, exclusive for the one who makes it anew.
class IndexLock
{
public:
    static Result<IndexLock> open(const std::filesystem::path& file);
    // Give up after `time` with Timeout.
    Result<> lockShared(std::chrono::milliseconds time);
    Result<> lockExclusive(std::chrono::milliseconds time);

private:
    Result<> lock(int operation, std::chrono::milliseconds time);
    std::filesystem::path m_file;
    platform::FileDescriptor m_fd;
};

} // namespace loquor::cache
