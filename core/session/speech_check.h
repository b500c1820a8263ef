// Whether there is something to say, before anything is loaded for it.
#pragma once

#include <filesystem>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/session/session.h"

namespace loquor::session {

// A text: it has words (EmptyInput) and its voice is one there is (InvalidArgument). A recording: it can be read, it has the
// stream and the part that are wanted (InvalidArgument), and somebody is heard in that (EmptyInput); reads on until that
// is so, for a recording of three silent hours all of it.
// Blocks; any thread. What the text of a recording says does not matter here.
Result<void> checkSpeech(const SpeechInput& speech, const std::filesystem::path& dataFolder, const CancelToken& cancel);

// The part of it about recordings.
Result<void> refuseSilence(const std::filesystem::path& recording, const media::SoundImport& import, const CancelToken& cancel);

} // namespace loquor::session
