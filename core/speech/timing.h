// What is spoken when: one schema for render, align, say and evaluate (timing.json, see timing_json.h).
// Values only; other folders may include this header.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loquor::speech {

// Where a time comes from; decides how much the solver trusts it.
enum class TimingSource {
    None = 0,
    Synthesis, // the voice's own durations: exact
    Events,    // espeak-ng events: exact to the sample of its own sound
    Alignment, // forced alignment of a recording to its text
    Audio,     // guessed from the sound alone
};
const char* toString(TimingSource source); // "synthesis", "events", "alignment", "audio", "none"

// One speech sound. `symbol` is IPA as espeak-ng writes it, without stress marks ("ɑː", "p", "tʃ");
// empty = silence. Times are seconds from the start of the audio they belong to; end > start.
struct Phoneme
{
    std::string symbol;
    double start = 0;
    double end = 0;
    float confidence = 1.0f; // 0..1
    bool stressed = false;   // carries primary stress (the syllable's vowel)
};

// One spoken word. textBegin/textEnd are byte offsets into the UTF-8 text of its line (in the timing of
// a whole run: of its whole script).
struct Word
{
    std::string text;
    double start = 0;
    double end = 0;
    std::int32_t textBegin = 0;
    std::int32_t textEnd = 0;
    float confidence = 1.0f;
};

// Phonemes are contiguous from 0 to durationSeconds, pauses included as empty symbols; words are in
// order and do not overlap.
struct Timing
{
    std::string language; // BCP 47, "en-us"
    TimingSource source = TimingSource::None;
    std::vector<Word> words;
    std::vector<Phoneme> phonemes;
    double durationSeconds = 0;
};

// Adds `part`, which starts at startSeconds >= whole.durationSeconds, to the end of `whole`; the gap
// becomes silence. textOffset is where the text of the part begins in the text of the whole.
void appendTiming(Timing& whole, const Timing& part, double startSeconds, std::int32_t textOffset);

} // namespace loquor::speech
