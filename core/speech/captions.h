// Captions from word times: what is read while it is said.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/speech/timing.h"

namespace loquor::speech {

// Bytes [begin, stop) of a caption's text are said from `start` to `end` (seconds, as those of the caption).
struct CaptionWord
{
    std::size_t begin = 0, stop = 0;
    double start = 0, end = 0;

    friend bool operator==(const CaptionWord&, const CaptionWord&) = default;
};

// One caption. Times in seconds from the start of what `text` belongs to; lines are separated by '\n'.
// The words are in order, do not overlap, and lie within the caption's text and time.
struct CaptionCue
{
    double start = 0;
    double end = 0;
    std::string text;
    std::vector<CaptionWord> words{};

    friend bool operator==(const CaptionCue&, const CaptionCue&) = default;
};

// Numbers as subtitle style guides give them: two lines of 42 Latin or 16 full-width characters, at most
// 20 columns a second where the speech leaves the time, seven seconds, five sixths of a second at least.
struct CaptionRules
{
    int columns = 42; // a full-width character counts as two
    int lines = 2;
    double columnsPerSecond = 20;
    double maxSeconds = 7;
    double minSeconds = 0.833;
    double gap = 0.08;   // between captions that would touch otherwise
    double join = 0.5;   // shorter gaps become `gap`: a caption that is off for an instant flickers
    double pause = 0.7;  // a silence of this length ends a caption
};
// Those of a language: Chinese and Japanese lines of 16 full-width characters, Korean ones of 17, read more slowly.
CaptionRules captionRules(std::string_view language);

// Captions of one text with its timing: `text` is what the spans of the words point into. Directions in
// brackets are left out; captions break at pauses and behind sentences, else behind commas, else where it
// hurts least: not behind an article or a preposition, not between a number and its unit, no single word
// alone, Chinese and Japanese between words. A caption stays up a little longer than its words when nothing
// follows, until `until` at most. No word is lost or shown twice; captions never overlap.
std::vector<CaptionCue> makeCaptions(const Timing& timing, std::string_view text, double until,
                                     const CaptionRules& rules);
// With the rules of the language of the timing, or of the text where the timing has none.
std::vector<CaptionCue> makeCaptions(const Timing& timing, std::string_view text, double until);

// For pictures that have no room for more than rules.columns: lines that are wider are broken, also where only letters are
// (a hyphen is written there, not between Chinese characters). Times stay; there may be more lines than the rules want.
void breakWideLines(CaptionCue& cue, const CaptionRules& rules, std::string_view language);

// SubRip and WebVTT, UTF-8, times with milliseconds. What is syntax there is text here; lines written from right to
// left are isolated, so that their marks stay where they belong.
std::string toSrt(const std::vector<CaptionCue>& cues);
enum class VttWords { None = 1,
                      Timed }; // each word carries its time, so that a player can show what is being said
std::string toVtt(const std::vector<CaptionCue>& cues, VttWords words = VttWords::None);

} // namespace loquor::speech
