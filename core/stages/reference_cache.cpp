#include "core/stages/reference_cache.h"

#include <cstring>
#include <system_error>

#include "core/base/log.h"
#include "core/platform/atomic_file.h"
#include "core/platform/folder_limit.h"
#include "core/platform/paths.h"

namespace loquor::stages {

namespace fs = std::filesystem;

namespace {

constexpr const char* kEnding = ".reference";
// Before the model: magic, number of warnings, each as length and bytes.
constexpr std::uint32_t kMagic = 0x4652514c; // "LQRF"

void putNumber(std::vector<std::uint8_t>& out, std::uint32_t number)
{
    for (int shift = 0; shift < 32; shift += 8)
        out.push_back(static_cast<std::uint8_t>(number >> shift));
}

// Reads forward through bytes; `ok` turns false at the first step beyond the end.
struct Reader
{
    const std::vector<std::uint8_t>& bytes;
    std::size_t at = 0;
    bool ok = true;

    std::uint32_t number()
    {
        std::uint32_t out = 0;
        if (at + 4 > bytes.size()) {
            ok = false;
            return 0;
        }
        for (int shift = 0; shift < 32; shift += 8)
            out |= static_cast<std::uint32_t>(bytes[at++]) << shift;
        return out;
    }
    std::string text()
    {
        const std::size_t length = number();
        if (!ok || at + length > bytes.size()) {
            ok = false;
            return {};
        }
        std::string out(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                        bytes.begin() + static_cast<std::ptrdiff_t>(at + length));
        at += length;
        return out;
    }
};

} // namespace

ReferenceCache::ReferenceCache(fs::path folder, std::uint64_t maxBytes)
    : m_folder(std::move(folder)), m_maxBytes(maxBytes)
{
}

std::optional<CachedReference> ReferenceCache::find(const std::string& key) const
{
    const fs::path file = m_folder / (key + kEnding);
    std::error_code error;
    if (m_folder.empty() || !fs::exists(file, error))
        return std::nullopt;
    auto bytes = platform::readFile(file, m_maxBytes);
    if (!bytes)
        return std::nullopt;
    Reader reader{*bytes};
    CachedReference out;
    if (reader.number() != kMagic)
        return std::nullopt;
    const std::uint32_t count = reader.number();
    for (std::uint32_t i = 0; i < count && reader.ok; ++i)
        out.warnings.push_back(reader.text());
    if (!reader.ok)
        return std::nullopt;
    bytes->erase(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(reader.at));
    auto model = portrait::deserialize(*bytes);
    if (!model) {
        log(LogLevel::Info, "stages", "cached reference not used: " + model.error().logText());
        return std::nullopt;
    }
    out.model = std::move(*model);
    fs::last_write_time(file, fs::file_time_type::clock::now(), error); // used now: stays longest
    return out;
}

void ReferenceCache::store(const std::string& key, const CachedReference& reference) const
{
    if (m_folder.empty())
        return;
    auto model = portrait::serialize(*reference.model);
    if (!model) {
        log(LogLevel::Info, "stages", "reference not cached: " + model.error().logText());
        return;
    }
    std::vector<std::uint8_t> bytes;
    bytes.reserve(model->size() + 4096);
    putNumber(bytes, kMagic);
    putNumber(bytes, static_cast<std::uint32_t>(reference.warnings.size()));
    for (const std::string& warning : reference.warnings) {
        putNumber(bytes, static_cast<std::uint32_t>(warning.size()));
        bytes.insert(bytes.end(), warning.begin(), warning.end());
    }
    bytes.insert(bytes.end(), model->begin(), model->end());
    auto written = platform::makeFolder(m_folder);
    if (written)
        written = platform::writeFile(m_folder / (key + kEnding), bytes);
    if (!written)
        log(LogLevel::Warning, "stages",
            "What was worked out about the photo could not be kept for the next time: " + written.error().text());
    platform::limitFolder(m_folder, kEnding, m_maxBytes, m_maxBytes);
}

} // namespace loquor::stages
