// What voices have said before, on disk: the same words in the same voice are not worked out twice. A hit is the same,
// to the sample, as saying it again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/speech/voice.h"

namespace loquor::speech {

inline constexpr std::uint64_t kSegmentCacheBytes = 512ULL << 20; // about an hour and a half of speech

// One file for each utterance, named by what it was made of. Any thread, any number of processes at once. Nothing here
// fails for the caller: what cannot be read is made again, what cannot be written is not kept (and logged, once).
class SegmentCache
{
public:
    explicit SegmentCache(std::filesystem::path folder, std::uint64_t mostBytes = kSegmentCacheBytes);

    // Nothing when it is not there or damaged; a damaged one is deleted.
    std::optional<SpokenSound> find(const std::string& key) const;
    // The least recently used go when there are more bytes than allowed.
    void store(const std::string& key, const SpokenSound& sound);

private:
    void trim();
    const std::filesystem::path m_folder;
    const std::uint64_t m_mostBytes;
    std::mutex m_mutex; // guards all below
    std::optional<std::uint64_t> m_bytes; // what lies there, as far as is known; nothing before the first look
    bool m_hasComplained = false;
};

// The voice, asked only for what the cache does not have. `helperVersion` is PhonemeClient::engineVersion(). A voice that
// is not repeatable comes back as it is.
std::unique_ptr<Voice> withCache(std::unique_ptr<Voice> voice, std::shared_ptr<SegmentCache> cache, const std::string& helperVersion);

} // namespace loquor::speech
