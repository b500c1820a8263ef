// A zip file as PyTorch writes them: entries stored, not compressed. Internal to core/weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/base/error.h"

struct zip;

namespace loquor::weights {

// One thread at a time.
class ZipArchive
{
public:
    struct Entry
    {
        std::uint64_t index = 0, bytes = 0;
    };
    using Sink = std::function<Result<void>(std::span<const std::byte>)>;

    // Refused (Corrupt names the entry and the rule): what is no zip file, entries that are compressed or encrypted
    // (PyTorch makes none, bombs do), a name twice, more bytes in the entries than in the file.
    static Result<std::unique_ptr<ZipArchive>> open(const std::filesystem::path& path);
    ~ZipArchive();
    ZipArchive(const ZipArchive&) = delete;
    ZipArchive& operator=(const ZipArchive&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    const std::map<std::string, Entry>& entries() const { return m_entries; }
    // Hands the entry over piece by piece; Corrupt when its checksum is wrong.
    Result<void> read(const std::string& name, const Sink& sink) const;
    // A whole small entry: Corrupt when it is longer than `maxBytes`.
    Result<std::string> readText(const std::string& name, std::uint64_t maxBytes) const;

private:
    ZipArchive() = default;
    Result<void> listEntries();
    std::filesystem::path m_path;
    zip* m_zip = nullptr;
    std::map<std::string, Entry> m_entries;
};

} // namespace loquor::weights
