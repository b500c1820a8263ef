// SHA-256 of bytes and files: names of cached results, proofs of downloads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "core/base/cancel.h"
#include "core/base/error.h"

namespace loquor::platform {

// Running digest. One thread at a time.
class Sha256
{
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    void update(const void* data, std::size_t bytes);
    void update(const std::string& text) { update(text.data(), text.size()); }
    // 64 lower-case hexadecimal digits; the object is used up.
    std::string finish();

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

std::string sha256(const void* data, std::size_t bytes);
std::string sha256(const std::string& text);
// Reads the file in pieces; constant memory.
Result<std::string> sha256File(const std::filesystem::path& file, const CancelToken& cancel = {});

} // namespace loquor::platform
