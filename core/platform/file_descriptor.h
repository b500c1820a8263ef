// A file descriptor with an owner, and whole reads and writes on one.
#pragma once

#include <cstddef>
#include <utility>

#include "core/base/error.h"

namespace loquor::platform {

// Owns one descriptor and closes it. Move-only. Descriptors made in this folder are close-on-exec.
class FileDescriptor
{
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : m_fd(fd) {}
    ~FileDescriptor() { reset(); }
    FileDescriptor(FileDescriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept
    {
        if (this != &other)
            reset(std::exchange(other.m_fd, -1));
        return *this;
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;

    int get() const { return m_fd; }
    bool isOpen() const { return m_fd >= 0; }
    int release() { return std::exchange(m_fd, -1); }
    void reset(int fd = -1);

private:
    int m_fd = -1;
};

// Writes all bytes, whatever the kernel splits them into. A closed pipe is ConnectionLost, never a
// signal. `what` begins the error message ("Writing 'a.mp4'").
Result<> writeAll(int fd, const void* data, std::size_t bytes, const std::string& what);

// Reads until `bytes` are there or the end is reached; returns how many were read.
Result<std::size_t> readUpTo(int fd, void* data, std::size_t bytes, const std::string& what);

} // namespace loquor::platform
