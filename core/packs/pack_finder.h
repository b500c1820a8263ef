// Where packs lie, and how a name or folder becomes a manifest.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/packs/manifest.h"

namespace loquor::packs {

// Folders that hold packs, first match wins: <data folder>/packs (the user's own), then
// share/loquor/packs of the installation (or build) the running program belongs to.
std::vector<std::filesystem::path> packFolders(const std::filesystem::path& dataFolder);

// `idOrFolder` is the id of a pack in one of `folders`, or (with a slash) the folder of one. InvalidArgument
// lists the ids there are; NotFound: no pack is installed at all.
Result<PackManifest> findPack(const std::string& idOrFolder,
                              const std::vector<std::filesystem::path>& folders);
// All packs that can be read, by id; what cannot be read is logged and left out.
std::vector<PackManifest> allPacks(const std::vector<std::filesystem::path>& folders);

} // namespace loquor::packs
