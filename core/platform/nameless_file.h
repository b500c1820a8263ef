// Temporary files that have no name: gone when closed, whatever happens to the process.
#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "core/platform/file_descriptor.h"

namespace loquor::platform {

// Open for reading and writing, on the volume of `folder` (made when missing).
Result<FileDescriptor> makeNamelessFile(const std::filesystem::path& folder);

} // namespace loquor::platform
