// Folders of files that can be made again: the sum of their sizes has a limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace loquor::platform {

struct FolderLimit
{
    std::uint64_t bytesLeft = 0;                // in files of that ending
    std::vector<std::filesystem::path> removed; // the longest unused first
};

// Where the files of `folder` that end in `ending` (".flac") exceed `mostBytes`, those that were changed (or touched, as
// users of a cache do) the longest ago are removed until `target` bytes or fewer are left; `keep` stays. What cannot be
// looked at is left out. Any thread; other programs may add and remove files meanwhile.
FolderLimit limitFolder(const std::filesystem::path& folder, std::string_view ending, std::uint64_t mostBytes,
                        std::uint64_t target, const std::filesystem::path& keep = {});

} // namespace loquor::platform
