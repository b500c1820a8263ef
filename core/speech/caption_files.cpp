// SubRip and WebVTT.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include <unicode/uchar.h>

#include "core/speech/captions.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr std::string_view kWordJoiner = "\xE2\x81\xA0";                 // U+2060: keeps two characters from being syntax
constexpr std::string_view kIsolateRight = "\xE2\x81\xA7";               // U+2067, right to left
constexpr std::string_view kIsolateLeft = "\xE2\x81\xA6";                // U+2066
constexpr std::string_view kIsolateEnd = "\xE2\x81\xA9";                 // U+2069

std::string stamp(double seconds, char separator)
{
    const auto all = std::llround(std::max(0.0, seconds) * 1000);
    char text[48];
    std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld%c%03lld", all / 3600000, all / 60000 % 60,
                  all / 1000 % 60, separator, all % 1000);
    return text;
}

enum class Direction { None = 0,
                       Left,
                       Right };

struct Directions
{
    Direction first = Direction::None; // of the first letter
    int left = 0, right = 0;           // letters
};

Directions directionsOf(std::string_view text)
{
    Directions out;
    for (std::size_t at = 0; at < text.size();) {
        const UCharDirection kind = u_charDirection(static_cast<UChar32>(nextCharacter(text, at)));
        const bool right = kind == U_RIGHT_TO_LEFT || kind == U_RIGHT_TO_LEFT_ARABIC;
        if (!right && kind != U_LEFT_TO_RIGHT)
            continue;
        ++(right ? out.right : out.left);
        if (out.first == Direction::None)
            out.first = right ? Direction::Right : Direction::Left;
    }
    return out;
}

// Players lay a line out by its first letter, or from the left whatever it holds.
std::string_view isolateFor(std::string_view line, bool rightToLeft)
{
    const Directions has = directionsOf(line);
    if (rightToLeft)
        return has.left + has.right > 0 ? kIsolateRight : std::string_view();
    return has.first == Direction::Right ? kIsolateLeft : std::string_view();
}

// Calls `give` with each line of the cue: where it begins and ends.
template<typename Give>
void forLines(const std::string& text, Give give)
{
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end > begin) // an empty line would end the cue
            give(begin, end);
        begin = end + 1;
    }
}

// One letter at `at`, so that it means nothing.
void addPlain(const std::string& text, std::size_t at, std::string& out)
{
    const char c = text[at], next = at + 1 < text.size() ? text[at + 1] : '\0';
    out += c;
    const bool isTag = c == '<' && (std::isalpha(static_cast<unsigned char>(next)) != 0 || next == '/');
    const bool isOverride = c == '{' && (next == '\\' || std::isalpha(static_cast<unsigned char>(next)) != 0);
    const bool isBreak = c == '\\' && (next == 'N' || next == 'n' || next == 'h');
    const bool isArrow = c == '-' && next == '-';
    if (isTag || isOverride || isBreak || isArrow)
        out += kWordJoiner;
}

void addEscaped(const std::string& text, std::size_t at, std::string& out)
{
    switch (text[at]) {
    case '&': out += "&amp;"; return;
    case '<': out += "&lt;"; return;
    case '>': out += "&gt;"; return;
    default: out += text[at];
    }
}

} // namespace

std::string toSrt(const std::vector<CaptionCue>& cues)
{
    std::string out;
    int number = 0;
    for (const CaptionCue& cue : cues) {
        const Directions all = directionsOf(cue.text);
        out += std::to_string(++number) + '\n' + stamp(cue.start, ',') + " --> " + stamp(cue.end, ',') + '\n';
        forLines(cue.text, [&](std::size_t begin, std::size_t end) {
            const std::string_view isolate = isolateFor(std::string_view(cue.text).substr(begin, end - begin), all.right > all.left);
            out += isolate;
            for (std::size_t at = begin; at < end; ++at)
                addPlain(cue.text, at, out);
            out += isolate.empty() ? std::string_view() : kIsolateEnd;
            out += '\n';
        });
        out += '\n';
    }
    return out;
}

std::string toVtt(const std::vector<CaptionCue>& cues, VttWords words)
{
    std::string out = "WEBVTT\n\n";
    for (const CaptionCue& cue : cues) {
        const Directions all = directionsOf(cue.text);
        out += stamp(cue.start, '.') + " --> " + stamp(cue.end, '.') + '\n';
        std::size_t word = 0;
        double told = cue.start; // times in a cue must grow, and lie inside it
        forLines(cue.text, [&](std::size_t begin, std::size_t end) {
            const std::string_view isolate = isolateFor(std::string_view(cue.text).substr(begin, end - begin), all.right > all.left);
            out += isolate;
            for (std::size_t at = begin; at < end; ++at) {
                while (word < cue.words.size() && cue.words[word].begin < at)
                    ++word;
                if (words == VttWords::Timed && word < cue.words.size() && cue.words[word].begin == at &&
                    cue.words[word].start >= told + 0.001 && cue.words[word].start <= cue.end - 0.001) {
                    told = cue.words[word].start;
                    out += '<' + stamp(told, '.') + '>';
                }
                addEscaped(cue.text, at, out);
            }
            out += isolate.empty() ? std::string_view() : kIsolateEnd;
            out += '\n';
        });
        out += '\n';
    }
    return out;
}

} // namespace loquor::speech
