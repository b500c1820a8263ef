// Captions from word times: what is read while it is said.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/speech/timing.h"

namespace loquor::speech {

// One caption. Times in seconds from the start of what `text` belongs to; lines are separated by '\n'.
struct CaptionCue
{
    double start = 0;
    double end = 0;
    std::string text;

    friend bool operator==(const CaptionCue&, const CaptionCue&) = default;
};

// Numbers as subtitle style guides give them: two lines of 42 Latin or 21 full-width characters, at most
// 20 characters a second where the speech leaves the time, seven seconds, five sixths of a second at
// least.
struct CaptionRules
{
    int columns = 42; // a full-width character counts as two
    int lines = 2;
    double charactersPerSecond = 20;
    double maxSeconds = 7;
    double minSeconds = 0.833;
    double gap = 0.08; // between captions that would touch otherwise
};

// Captions of one text with its timing: `text` is what the spans of the words point into. Directions in
// brackets are left out; captions break behind sentences, else behind commas, else where a line may be
// broken. A caption stays up a little longer than its words when nothing follows, until `until` at most.
// No word is lost or shown twice.
std::vector<CaptionCue> makeCaptions(const Timing& timing, std::string_view text, double until,
                                     const CaptionRules& rules = {});

// SubRip and WebVTT, UTF-8, times with milliseconds.
std::string toSrt(const std::vector<CaptionCue>& cues);
std::string toVtt(const std::vector<CaptionCue>& cues);

} // namespace loquor::speech
