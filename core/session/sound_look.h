// Recordings before they are used: what is in them, how long they are as they are taken in, parts of them as files.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "core/session/import_shelf.h"
#include "core/session/project_values.h"

namespace loquor::session {

// Reads all of it, in constant memory, and tells what it has seen about twice a second, in the end with `finished`. Blocks;
// errors as AudioReader::open.
Result<void> lookThrough(const std::filesystem::path& file, int stream, const CancelToken& cancel,
                         const std::function<void(SoundLook)>& tell);

// Samples of the sound at project::kRecordingRate, by decoding. Blocks.
Result<SampleIndex> lengthOf(const ImportedSound& sound, const CancelToken& cancel);

// Writes the part as it was taken in, mono at project::kRecordingRate, with kContextSeconds of the recording on both sides,
// as FLAC, and says where the part is in it. Blocks. Errors of RecordingCutter and of the target, which must not exist.
Result<project::Recording> copyPart(const project::Recording& part, const std::filesystem::path& target,
                                    std::shared_ptr<ImportShelf> imports, const CancelToken& cancel);

} // namespace loquor::session
