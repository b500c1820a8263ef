// A small file that one process holds locked while it lives. For this folder only.
#pragma once

#include <filesystem>
#include <string>

#include "core/platform/file_descriptor.h"

namespace loquor::project {

// The lock is the kernel's (flock): it ends with the process, however that ends, and no clock or
// process number decides whether it is stale. The file itself may stay behind; its content only says
// who had it.
class HeldFile
{
public:
    HeldFile() = default;
    ~HeldFile() { release(); }
    HeldFile(HeldFile&& other) noexcept;
    HeldFile& operator=(HeldFile&& other) noexcept;
    HeldFile(const HeldFile&) = delete;
    HeldFile& operator=(const HeldFile&) = delete;

    enum class Outcome {
        Held = 1,   // ours now
        Busy,       // another process or object has it
        Impossible, // the file cannot be made or locked here; error says why
    };
    // Never waits. `found`: what the file said before.
    Outcome acquire(const std::filesystem::path& file);
    const std::string& found() const { return m_found; }
    int error() const { return m_error; }
    const std::filesystem::path& file() const { return m_file; }
    bool isHeld() const { return m_fd.isOpen(); }
    // Best effort: on a full disk the lock holds all the same.
    void write(const std::string& content);
    // Removes the file if it is still the one we hold.
    void release();
    // Lets go without removing it.
    void leave();

private:
    std::filesystem::path m_file;
    platform::FileDescriptor m_fd;
    std::string m_found;
    int m_error = 0;
};

} // namespace loquor::project
