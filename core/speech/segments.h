// A line as the voices get it: stretches that are said in one way, with what is said and how.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/speech/script.h"

namespace loquor::speech {

// How a stretch is said, compared with the voice's own way. Emphasis is contained in it.
struct SpokenStyle
{
    double rate = 1;   // times the speed
    double pitch = 0;  // semitones up
    double gainDb = 0; // decibels up

    bool isPlain() const { return *this == SpokenStyle(); }
    bool operator==(const SpokenStyle&) const = default;
};

// begin/end: bytes of the line's text. Of words that are replaced: the words as written, whose span every word that
// is said for them has.
struct SpokenSegment
{
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::string text;           // as spoken: an alias in place of the words it stands for
    std::string ipa;            // the sounds to say in its place; empty: as the voice reads the text
    bool isReplaced = false;    // by `text` or `ipa`
    SpokenStyle style;
    double pauseBefore = 0;     // seconds of silence that directions ask for
};

// Segments of a line in order; blank stretches between them are left out. A line without tags is one segment. A pause
// behind all words is an empty segment.
std::vector<SpokenSegment> spokenSegments(const ScriptLine& line);

// The style in force at a byte of the line.
SpokenStyle styleAt(const ScriptLine& line, std::int32_t byte);

// The segments that lie in [begin, end) of the line, cut at its borders, offsets counted from `begin`.
std::vector<SpokenSegment> segmentsWithin(const std::vector<SpokenSegment>& segments, std::int32_t begin, std::int32_t end);

} // namespace loquor::speech
