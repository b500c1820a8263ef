// A script: plain text with directions in brackets, split into lines (sentences). Its grammar is docs/script.md.
// Parsing is linear in the length of the text and touches no files except in readScriptFile. Any thread.
//
// What is said otherwise ([slow], [say "..." as "..."]) belongs to one line: it ends at its end tag or with the line.
// A stretch with an end tag is never split, so it may hold several sentences; a line parsed alone therefore reads
// as it does in its script.
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
inline constexpr std::size_t kMaxLineBytes = 1200; // longer sentences are cut at a space
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

// How a stretch of a line is said otherwise.
enum class SpanKind {
    None = 0,
    Rate,     // value: times the normal speed
    Pitch,    // value: semitones up
    Volume,   // value: decibels up
    Emphasis, // value: 1 as usual, 1.7 strong, -1 reduced
    Alias,    // text: what is said instead
    Ipa,      // text: the sounds instead, IPA
};
inline constexpr double kStrongEmphasis = 1.7;
inline constexpr double kReducedEmphasis = -1;
inline constexpr double kMaxPitch = 6;    // semitones either way
inline constexpr double kMinVolume = -20; // decibels
inline constexpr double kMaxVolume = 6;

// A stretch of a line that is said otherwise than the rest: [slow]so[/slow], [say "SQL" as "sequel"]. Of one kind
// the innermost counts: the one that begins last. textBegin/textEnd: bytes of the line's text, of the words
// alone, without brackets and quotes.
struct SpokenSpan
{
    SpanKind kind = SpanKind::None;
    double value = 0;
    std::string text;
    std::int32_t textBegin = 0;
    std::int32_t textEnd = 0;

    bool operator==(const SpokenSpan&) const = default;
};

// One sentence, or a part of one that is longer than any sentence ought to be.
struct ScriptLine
{
    std::string text;             // as written
    std::string spoken;           // same length, with all that is not spoken (tags, emoji, control
                                  // characters, line breaks) replaced by spaces: spans fit both
    std::int64_t sourceBegin = 0; // byte of the script's source where `text` begins
    int number = 1;               // of the source line it begins on
    std::vector<ScriptTag> tags;  // directions in order, pauses included
    std::vector<SpokenSpan> spans; // by their beginnings; none is empty
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

// What is given as a script: plain text is taken as it is, SSML (see ssml.h) becomes a script.
struct ImportedScript
{
    std::string text;
    std::string language;            // that the SSML names; "" = none
    std::vector<ScriptIssue> issues; // places in the SSML
};
Result<ImportedScript> importScript(std::string text);
// A file: UTF-8 with or without byte order mark, or UTF-16 with one; .ssml files are SSML whatever they begin with.
// Errors name the file.
Result<ImportedScript> importScriptFile(const std::filesystem::path& file);
// The text alone.
Result<std::string> readScriptFile(const std::filesystem::path& file);

// "Line 3, column 7: Unknown direction ..." for each issue.
std::vector<std::string> issueTexts(const std::vector<ScriptIssue>& issues);

// A direction (never a pause) at its time: where the next word of the line starts, or the last one ends.
struct TimedTag
{
    std::string name;
    double strength = 1;
    double seconds = 0; // in the line's sound
};
std::vector<TimedTag> timedTags(const ScriptLine& line, const Timing& timing);

} // namespace loquor::speech
