#include "core/platform/hash.h"

#include <array>
#include <vector>

#include <openssl/evp.h>

#include "core/base/check.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"

namespace loquor::platform {

namespace {

struct ContextFree
{
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

} // namespace

struct Sha256::Impl
{
    std::unique_ptr<EVP_MD_CTX, ContextFree> context{EVP_MD_CTX_new()};
};

Sha256::Sha256() : m(std::make_unique<Impl>())
{
    LOQUOR_CHECK(m->context && EVP_DigestInit_ex(m->context.get(), EVP_sha256(), nullptr) == 1,
                 "SHA-256 is not available");
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(const void* data, std::size_t bytes)
{
    LOQUOR_CHECK(EVP_DigestUpdate(m->context.get(), data, bytes) == 1);
}

std::string Sha256::finish()
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    LOQUOR_CHECK(EVP_DigestFinal_ex(m->context.get(), digest.data(), &length) == 1);
    std::string hex;
    for (unsigned int i = 0; i < length; ++i) {
        hex += "0123456789abcdef"[digest[i] >> 4];
        hex += "0123456789abcdef"[digest[i] & 15];
    }
    return hex;
}

std::string sha256(const void* data, std::size_t bytes)
{
    Sha256 hash;
    hash.update(data, bytes);
    return hash.finish();
}

std::string sha256(const std::string& text)
{
    return sha256(text.data(), text.size());
}

Result<std::string> sha256File(const std::filesystem::path& file, const CancelToken& cancel)
{
    LQ_TRY(const FileDescriptor fd, openForReading(file));
    Sha256 hash;
    std::vector<unsigned char> block(1 << 20);
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const std::size_t got,
               readUpTo(fd.get(), block.data(), block.size(), "Cannot read " + quotedPath(file)));
        hash.update(block.data(), got);
        if (got < block.size())
            return hash.finish();
    }
}

} // namespace loquor::platform
