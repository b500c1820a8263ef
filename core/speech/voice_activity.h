// Where in a sound somebody speaks (Silero VAD). Any language, no text.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"

namespace loquor::speech {

struct SpeechSpan
{
    double start = 0; // seconds
    double end = 0;
};

inline constexpr double kLongestSpan = 28; // longer speech is cut, at its quietest place where there is one

// Spans in order, apart by pauses of 0.15 s or more. Mono, 16 kHz. Blocks, a hundredth of the sound's length. The model
// is looked for under dataFolder. Errors: NotFound (no model; says how to get it), Corrupt, InvalidArgument (not 16 kHz
// mono), Cancelled. Silence gives no spans.
Result<std::vector<SpeechSpan>> findSpeech(const AudioBlock& audio, const std::filesystem::path& dataFolder,
                                           const CancelToken& cancel = {});

} // namespace loquor::speech
