// Packs of the open models with tiny networks whose weights nobody trained: the whole way from photo and sound to a
// video runs with them on any machine. The picture is noise in the photo's colours; frames, memory and order are real.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/error.h"

namespace loquor::packs {

// Writes the packs `tiny-flashtalk` (FlashTalk, Wan VAE) and `tiny-flashhead` (FlashHead, TAEHV, SwiftVR) into folders
// of their names in `folder`, which is made when it is missing; files there are replaced. The same seed gives the
// same bytes. Gives the folders of the packs.
Result<std::vector<std::filesystem::path>> makeTinyPacks(const std::filesystem::path& folder, std::uint64_t seed = 1);

} // namespace loquor::packs
