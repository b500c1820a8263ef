// Says a clause in several ways at once: each way is one reading of the whole clause by the voice, and the words are
// taken from the readings, so that every word keeps its neighbours. Times stay exact: the sound is the sum of pieces
// of readings whose times are known to the sample.
#pragma once

#include <span>

#include "core/speech/segments.h"
#include "core/speech/voice.h"

namespace loquor::speech {

// `segments`: of the utterance, offsets are bytes of its text; what they replace is taken over. Blocks once for each
// different style. Errors as Voice::synthesize.
Result<SpokenSound> speakStyled(Voice& voice, Utterance utterance, std::span<const SpokenSegment> segments,
                                const SpeechOptions& options, const CancelToken& cancel);

// The sound `ratio` (0.5 .. 2) times as fast and as high; times follow. Mono.
void playFaster(SpokenSound& sound, double ratio);

} // namespace loquor::speech
