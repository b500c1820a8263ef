// Where the speech of a run comes from: a script that is spoken, or a recording.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/comm/messages.h"
#include "core/media/audio_block.h"
#include "core/media/burnt_caption.h"
#include "core/session/session.h"
#include "core/speech/timing.h"

namespace loquor::session {

// One line or a piece of one, ready for the rank: a whole number of frames unless it is the last. Times
// count from the start of the run.
struct SpokenLine
{
    std::uint64_t id = 0;
    int number = 1;
    bool isLast = false;
    bool continues = false;     // more of the line before
    std::string text;
    std::int64_t textBegin = 0; // byte of the script where `text` begins
    AudioBlock audio;
    speech::Timing timing;      // spans of the words in `text`
    std::vector<comm::LineCue> cues;
    std::vector<media::BurntCaption> captions; // of the line, with its first piece (RunCaptions)
};

// What is known before the first line.
struct SpeechFacts
{
    int sampleRate = 0, channels = 0;
    bool audioOnly = false;        // lines carry no phonemes
    double estimatedSeconds = 0;   // 0 = not known
    std::string voice;             // id; empty for recordings
    std::string script;            // full text, for timing files
    std::vector<std::string> warnings;
};

// Used by one thread, the feeder's. Pull only: nothing is made ahead of being asked for.
class SpeechSource
{
public:
    virtual ~SpeechSource() = default;
    // First call. May load a voice or align a recording.
    virtual Result<SpeechFacts> open(const CancelToken& cancel) = 0;
    // The next line; nothing after the last.
    virtual Result<std::optional<SpokenLine>> next(const CancelToken& cancel) = 0;
    // Warnings that came up since the last call.
    virtual std::vector<std::string> takeWarnings() { return {}; }
};

} // namespace loquor::session
