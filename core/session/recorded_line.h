// Lines that are parts of a recording: their sound with what is heard around it, and when what is said.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/cancel.h"
#include "core/media/audio_reader.h"
#include "core/project/document.h"
#include "core/session/line_speech.h"

namespace loquor::session {

inline constexpr double kContextSeconds = .6; // of the recording, heard on both sides of a line

// Samples of a cut: of the recording in front of the part, of the part, and of the recording behind it.
struct CutShape
{
    SampleIndex before = 0, samples = 0, after = 0;
};

// Mono, kProjectRate: `before` samples of context, the part itself, `after` samples of context. Samples are
// those of the recording.
struct RecordingCut
{
    AudioBlock audio;
    SampleIndex before = 0, after = 0;
    SampleIndex samples() const { return audio.frames() - before - after; }
    CutShape shape() const { return {before, samples(), after}; }
};

// A CutShape as JSON, and back; Corrupt when it is not that.
std::string cutFacts(const CutShape& shape);
Result<CutShape> readCutFacts(const std::string& json);

// Identity of a cut; it does not depend on where the file lies.
std::string cutKey(const project::Recording& part);
// Identity of what a recorded line is made from: the cut, what is said in it, and the pause behind it.
std::string recordedKey(const LineWish& wish);

// Reads parts of recordings, best in order: what lies between is decoded and dropped, going back starts from
// the beginning. Holds some seconds of sound, never the whole. One thread at a time.
class RecordingCutter
{
public:
    explicit RecordingCutter(std::shared_ptr<ImportShelf> imports = std::make_shared<ImportShelf>());
    // Blocks, also while a processed copy is made. NotFound, Corrupt (the file is another one than was added), InvalidArgument (the part lies
    // beyond the end), and what decoding gives.
    Result<RecordingCut> cut(const project::Recording& part, const CancelToken& cancel);

private:
    Result<void> open(const project::Recording& part, const CancelToken& cancel);
    Result<void> readUntil(SampleIndex end, SampleIndex keepFrom, const CancelToken& cancel);

    const std::shared_ptr<ImportShelf> m_imports;
    std::string m_sha256;                   // of the file that is open
    media::SoundImport m_import;            // and how it was taken in
    std::optional<media::AudioReader> m_reader;
    std::vector<float> m_samples;           // from m_start on
    SampleIndex m_start = 0;
    bool m_ended = false;
};

// The line's sound on its own grid: the part and its pause (silence) last whole frames. Without a pause the one
// sample that rounding may ask for is the recording's next, and what follows is heard as context; with one,
// silence follows. The timing is left empty.
LineSound soundOfCut(const RecordingCut& cut, double pauseAfter, Rational fps);
// How many samples of the cut's file, behind its context, may be heard in a video.
SampleIndex heardSamples(const CutShape& cut, double pauseAfter);

// Adds words, sounds and directions by matching the text with the sound; nothing when there is no text. Where
// that is not possible the lips follow the sound alone, and a warning says why. Only `cancel` fails.
Result<void> addRecordedTiming(const LineWish& wish, const RecordingCut& cut, VoiceShelf& voices, LineSound& line,
                               const CancelToken& cancel);

} // namespace loquor::session
