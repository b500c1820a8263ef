// Makes the lines of a project out of a recording.
#pragma once

#include <functional>
#include <memory>

#include "core/base/cancel.h"
#include "core/session/session.h"
#include "core/session/voice_shelf.h"

namespace loquor::session {

// Blocks: reads the recording once for its hash and once for its pauses, bit by bit; with a text it is matched
// with the sound. Lines last 4 to 15 seconds (the last one 2 to 17), are cut at
// pauses on frame boundaries and never inside a word that was found; together they are the whole recording and
// the whole text. `progress` is told the frames that are done and how many there are about. Errors: those of the
// file, EmptyInput (silent, no sound).
using CutProgress = std::function<void(FrameIndex done, FrameIndex total)>;
Result<RecordedLines> cutIntoLines(const RecordingRequest& request, std::shared_ptr<VoiceShelf> voices,
                                   const CancelToken& cancel, const CutProgress& progress = {});

} // namespace loquor::session
