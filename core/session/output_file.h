// What is checked about the files of a request before any work is done.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/session/session.h"

namespace loquor::session {

// The request is complete and consistent, its inputs are readable files, its outputs can be written and
// are none of the inputs. The first thing that is wrong, in words.
Result<void> checkRequest(const RenderRequest& request);

// The same for an export.
Result<void> checkExport(const ExportRequest& request);
// Whether captions lie in a file of their own.
bool hasCaptionFile(Captions captions);
// Where captions go that were asked for as a file.
std::filesystem::path captionFile(const ExportRequest& request);
std::filesystem::path captionFile(const RenderRequest& request);

// A number that depends on the inputs alone: the seed when none was given. Reads at most a megabyte of
// each file.
Result<std::uint64_t> seedOf(const RenderRequest& request);

} // namespace loquor::session
