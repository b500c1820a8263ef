// Whether what a pack needs is on this machine, without reading it.
#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "core/packs/manifest.h"

namespace loquor::packs {

// NotFound when a checkpoint is not there at all, with what to do. verifyModules() compares the contents, too.
Result<void> checkInstalled(const PackManifest& pack, const std::filesystem::path& modelsFolder);

} // namespace loquor::packs
