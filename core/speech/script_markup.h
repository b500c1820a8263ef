// The tags of a script, one at a time. The grammar for users is docs/script.md. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/speech/script.h"

namespace loquor::speech {

inline constexpr std::size_t kMaxTagBytes = 64;      // inside the brackets
inline constexpr std::size_t kMaxWordsTagBytes = 440; // of tags that hold words ([say ...], [ipa ...])
inline constexpr std::size_t kMaxQuotedBytes = 200;  // of one quoted text in them

// What one pair of brackets means.
enum class TagKind {
    None = 0, // not known: shown to the user, never spoken
    Direction,
    Pause,
    Opens,   // [slow]: to its end, or to the end of the line
    Closes,  // [/slow]
    Says,    // [say "words" as "text"], [ipa "words" as "sounds"]: the words stand in the tag
    Sounds,  // [ipa "sounds"]: for the word behind the tag
    LeftOut, // known, but without effect as it is written
};

struct ReadTag
{
    TagKind kind = TagKind::None;
    std::string name; // of directions and pauses: lower case, single spaces
    double value = 1; // of directions, pauses and spans
    SpanKind span = SpanKind::None;
    std::string text;                            // of Says and Sounds
    std::size_t wordsBegin = 0, wordsEnd = 0;    // of Says: the quoted words, bytes behind the bracket
    std::string problem;                         // for the user; empty when all is well
};

// Bytes from the bracket at text[at] to behind its closing one, on the same line; 0 when there is none in reach.
// A bracket in quotes does not count.
std::size_t tagLength(std::string_view text, std::size_t at);

// `inside`: what stands between the brackets.
ReadTag readTag(std::string_view inside);

} // namespace loquor::speech
