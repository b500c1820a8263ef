// Finished references on disk, by what they were made of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/portrait/portrait_model.h"

namespace loquor::stages {

struct CachedReference
{
    portrait::PortraitModelPtr model;
    std::vector<std::string> warnings;
};

// Files <folder>/<key>.reference. A damaged or older one counts as absent. Several processes may share
// the folder. Failures to write are logged: the cache is a convenience.
class ReferenceCache
{
public:
    // The oldest entries go when the folder holds more than `maxBytes`. Empty folder: no cache.
    explicit ReferenceCache(std::filesystem::path folder, std::uint64_t maxBytes = 400u << 20);

    std::optional<CachedReference> find(const std::string& key) const;
    void store(const std::string& key, const CachedReference& reference) const;

private:
    std::filesystem::path m_folder;
    std::uint64_t m_maxBytes;
};

} // namespace loquor::stages
