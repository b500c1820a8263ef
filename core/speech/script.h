// A script: plain text with directions in brackets, split into lines (sentences). Parsing is linear in
// the length of the text and touches no files except in readScriptFile. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/speech/timing.h"

namespace loquor::speech {

inline constexpr std::size_t kMaxScriptBytes = 8U << 20; // some 1.4 million words
inline constexpr double kMaxPauseSeconds = 60;
inline constexpr double kSentencePauseSeconds = 0.2;
inline constexpr double kParagraphPauseSeconds = 0.6;

// A direction: "[smile]", "[look left]", "[nod 0.5]", "[pause 0.5s]". `value`: seconds of a pause,
// strength 0..1 of the others (1 when not given). textBegin/textEnd: bytes of the line's text, brackets
// included.
struct ScriptTag
{
    std::string name; // lower case, single spaces: "look left"
    double value = 1;
    std::int32_t textBegin = 0;
    std::int32_t textEnd = 0;
};

// One sentence, or a part of one that is longer than any sentence ought to be.
struct ScriptLine
{
    std::string text;             // as written
    std::string spoken;           // same length, with all that is not spoken (tags, emoji, control
                                  // characters, line breaks) replaced by spaces: spans fit both
    std::int64_t sourceBegin = 0; // byte of the script's source where `text` begins
    int number = 1;               // of the source line it begins on
    std::vector<ScriptTag> tags;  // in order, pauses included
    double pauseAfter = 0;        // seconds of silence before the next line; 0 for the last
    bool hasWords = false;        // false: only directions, nothing to say
};

// Something the user should hear about; the script is usable all the same.
struct ScriptIssue
{
    int line = 1;   // of the source, from 1
    int column = 1; // in characters, from 1
    std::string message;
};

struct Script
{
    std::string source;   // the whole text, as given without its byte order mark
    std::string language; // normalized; given, or guessed
    std::string languageReason; // empty when it was given
    std::vector<ScriptLine> lines;
    std::vector<ScriptIssue> issues;
};

// Directions this version knows besides "pause".
const std::vector<std::string>& knownDirections();

// Splits UTF-8 text. language "": guessed. Errors: Corrupt (not UTF-8, with line and column), EmptyInput
// (no word in it), InvalidArgument (longer than kMaxScriptBytes, or holds NUL bytes: not a text file).
Result<Script> parseScript(std::string_view text, std::string_view language = {});

// Text of a script file: UTF-8 with or without byte order mark, or UTF-16 with one. Errors name the file.
Result<std::string> readScriptFile(const std::filesystem::path& file);

// A direction (never a pause) at its time: where the next word of the line starts, or the last one ends.
struct TimedTag
{
    std::string name;
    double strength = 1;
    double seconds = 0; // in the line's sound
};
std::vector<TimedTag> timedTags(const ScriptLine& line, const Timing& timing);

} // namespace loquor::speech
