// One line of a project, spoken as a whole: what its chunks are made from.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/comm/messages.h"
#include "core/media/audio_block.h"
#include "core/project/document.h"
#include "core/session/voice_shelf.h"
#include "core/speech/pronunciations.h"
#include "core/speech/timing.h"

namespace loquor::session {

// All lines of a project have this rate, whatever their voices have: the rate of the exported sound.
inline constexpr int kProjectRate = 48000;

// How a line is to be said.
struct LineWish
{
    std::string text;                 // of one line; may hold tags
    std::string voice, language;      // "" = default
    double pauseAfter = 0;            // seconds of silence behind it
    Rational fps;
    // How words are said; null = no dictionary. Only the entries that the text uses are part of its identity.
    std::shared_ptr<const speech::Pronunciations> pronunciations;
    std::optional<project::Recording> recording; // this is its sound; the text, if any, says what is said in it
};

// Mono, kProjectRate. The sound with its pause lasts a whole number of frames on the line's own grid:
// exactly firstSampleOf(frames) samples. Times count from its first sample. Of a recorded line the samples
// at both ends may be those of its neighbours in the recording.
struct LineSound
{
    AudioBlock audio;
    SampleIndex contextBefore = 0, contextAfter = 0; // samples of `audio` that are not the line's
    FrameIndex frames = 0;
    speech::Timing timing;
    std::vector<comm::LineCue> cues;
    std::string voice; // id
    std::vector<std::string> warnings;
};

// The voice a line will be said with. InvalidArgument as chooseVoice.
Result<speech::VoiceChoice> voiceOf(const LineWish& wish, const VoiceShelf& voices);
// Identity of the sound of a line that a voice says: everything it depends on. Two wishes with the same key sound the same.
std::string speechKey(const LineWish& wish, const speech::VoiceChoice& voice);
// What was said of a line so far: the beginning of what speakLine() gives in the end, to the bit, as it will lie in
// the store. Words are left out; everything before `known` seconds is there.
struct SpokenSoFar
{
    LineSound sound;
    double known = 0;
};
using SayProgress = std::function<void(SpokenSoFar)>;
// Blocks while the voice works. EmptyInput when there is no word in the text. `onClause` (may be empty) hears of the
// line behind its first clause, then behind those with which it has grown by a quarter, never behind the last one.
Result<LineSound> speakLine(const LineWish& wish, VoiceShelf& voices, const CancelToken& cancel,
                            const SayProgress& onClause = {});

// The small part of a LineSound as JSON (everything but sound and timing), and back; Corrupt when it is
// not that.
std::string lineFacts(const LineSound& sound);
Result<LineSound> readLineFacts(const std::string& json);

} // namespace loquor::session
