#include "core/speech/captions.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

// Directions blanked out, white space made single spaces; spans no longer fit.
std::string readable(std::string_view text)
{
    std::string out;
    int depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        const char32_t c = nextCharacter(text, at);
        if (c == U'[')
            ++depth;
        const bool shown = depth == 0;
        if (c == U']' && depth > 0)
            --depth;
        if (!shown)
            continue;
        if (isSpace(c)) {
            if (!out.empty() && out.back() != ' ')
                out += ' ';
        } else {
            out += text.substr(begin, at - begin);
        }
    }
    while (!out.empty() && out.back() == ' ')
        out.pop_back();
    return out;
}

int columnsOf(std::string_view text)
{
    int out = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto c = static_cast<UChar32>(nextCharacter(text, at));
        const int width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
        if (u_getIntPropertyValue(c, UCHAR_GENERAL_CATEGORY) == U_NON_SPACING_MARK)
            continue;
        out += width == U_EA_FULLWIDTH || width == U_EA_WIDE ? 2 : 1;
    }
    return out;
}

// Offsets behind which a line may be broken, the end included.
std::vector<std::size_t> breaksOf(const std::string& text)
{
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> iterator(
        icu::BreakIterator::createLineInstance(icu::Locale::getRoot(), status));
    UText* source = utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status);
    std::vector<std::size_t> out;
    if (U_SUCCESS(status)) {
        iterator->setText(source, status);
        iterator->first();
        for (int at = iterator->next(); at != icu::BreakIterator::DONE; at = iterator->next())
            out.push_back(static_cast<std::size_t>(at));
    }
    utext_close(source);
    if (out.empty() || out.back() != text.size())
        out.push_back(text.size());
    return out;
}

std::string trimmed(std::string_view text)
{
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    return std::string(text);
}

// In as few lines as possible, and these as even as possible; more than `lines` only for words that do
// not fit otherwise.
std::string wrapped(const std::string& text, const CaptionRules& rules)
{
    const int total = columnsOf(text);
    if (total <= rules.columns)
        return text;
    const int count = std::max(2, (total + rules.columns - 1) / rules.columns);
    std::string out;
    std::size_t begin = 0, last = 0;
    int left = count;
    const auto breaks = breaksOf(text);
    for (const std::size_t end : breaks) {
        const int rest = columnsOf(trimmed(std::string_view(text).substr(begin)));
        const int wish = (rest + left - 1) / left;
        const int width = columnsOf(trimmed(std::string_view(text).substr(begin, end - begin)));
        if (last > begin && left > 1 && (width > rules.columns || width > wish + 2)) {
            out += trimmed(std::string_view(text).substr(begin, last - begin)) + '\n';
            begin = last;
            --left;
        }
        last = end;
    }
    return out + trimmed(std::string_view(text).substr(begin));
}

enum class Mark { None = 0,
                  Comma,
                  Sentence };

// What ends the piece of text in front of the next word.
Mark markIn(std::string_view text)
{
    Mark out = Mark::None;
    for (std::size_t at = 0; at < text.size();) {
        switch (nextCharacter(text, at)) {
        case U'.':
        case U'!':
        case U'?':
        case U'。':
        case U'！':
        case U'？':
        case U'…': return Mark::Sentence;
        case U',':
        case U';':
        case U':':
        case U'，':
        case U'、':
        case U'；':
        case U'：': out = Mark::Comma; break;
        default: break;
        }
    }
    return out;
}

struct Piece // a word with what follows it up to the next one
{
    std::size_t begin = 0, end = 0;
    double start = 0, stop = 0;
    Mark mark = Mark::None;
};

std::vector<Piece> piecesOf(const Timing& timing, std::string_view text)
{
    std::vector<Piece> out;
    for (const Word& word : timing.words) {
        if (word.textBegin < 0 || static_cast<std::size_t>(word.textEnd) > text.size() || word.textEnd <= word.textBegin)
            continue;
        out.push_back({static_cast<std::size_t>(word.textBegin), static_cast<std::size_t>(word.textEnd), word.start,
                       word.end, Mark::None});
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t next = i + 1 < out.size() ? out[i + 1].begin : text.size();
        out[i].mark = markIn(text.substr(std::min(out[i].end, next), next - std::min(out[i].end, next)));
        out[i].end = std::max(out[i].end, next);
    }
    if (!out.empty())
        out.front().begin = 0; // an opening quote or bracket
    return out;
}

// How many pieces from `first` on make the next caption.
std::size_t captionLength(const std::vector<Piece>& pieces, std::size_t first, std::string_view text,
                          const CaptionRules& rules)
{
    std::size_t best = 1;
    for (std::size_t i = first; i < pieces.size(); ++i) {
        const std::string part = readable(text.substr(pieces[first].begin, pieces[i].end - pieces[first].begin));
        const bool fits = columnsOf(part) <= rules.columns * rules.lines - rules.columns / 8 &&
                          pieces[i].stop - pieces[first].start <= rules.maxSeconds;
        if (!fits && i > first)
            break;
        const std::size_t count = i - first + 1;
        const bool gap = i + 1 < pieces.size() && pieces[i + 1].start - pieces[i].stop > 1.0;
        if (pieces[i].mark == Mark::Sentence || gap)
            return count;
        // A comma is a good end only once there is a line's worth of text.
        if (pieces[i].mark == Mark::Comma && columnsOf(part) >= rules.columns)
            best = count;
        if (i + 1 == pieces.size())
            return count;
        if (best <= 1 || pieces[first + best - 1].mark != Mark::Comma)
            best = count;
    }
    return best;
}

std::string stamp(double seconds, char separator)
{
    const auto all = std::llround(std::max(0.0, seconds) * 1000);
    char text[32];
    std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld%c%03lld", all / 3600000, all / 60000 % 60,
                  all / 1000 % 60, separator, all % 1000);
    return text;
}

} // namespace

std::vector<CaptionCue> makeCaptions(const Timing& timing, std::string_view text, double until,
                                     const CaptionRules& rules)
{
    std::vector<CaptionCue> out;
    const std::vector<Piece> pieces = piecesOf(timing, text);
    for (std::size_t first = 0; first < pieces.size();) {
        const std::size_t count = captionLength(pieces, first, text, rules);
        const Piece& last = pieces[first + count - 1];
        const std::string part = readable(text.substr(pieces[first].begin, last.end - pieces[first].begin));
        const double reading = columnsOf(part) / rules.charactersPerSecond;
        CaptionCue cue{pieces[first].start, last.stop, wrapped(part, rules)};
        const double next = first + count < pieces.size() ? pieces[first + count].start : until;
        const double limit = first + count < pieces.size() ? next - rules.gap : until;
        cue.end = std::max(cue.end, std::min(limit, cue.start + std::max(rules.minSeconds, reading)));
        cue.end = std::min(cue.end, next);
        if (!cue.text.empty())
            out.push_back(std::move(cue));
        first += count;
    }
    return out;
}

std::string toSrt(const std::vector<CaptionCue>& cues)
{
    std::string out;
    int number = 0;
    for (const CaptionCue& cue : cues)
        out += std::to_string(++number) + '\n' + stamp(cue.start, ',') + " --> " + stamp(cue.end, ',') + '\n' +
               cue.text + "\n\n";
    return out;
}

std::string toVtt(const std::vector<CaptionCue>& cues)
{
    std::string out = "WEBVTT\n\n";
    for (const CaptionCue& cue : cues) {
        out += stamp(cue.start, '.') + " --> " + stamp(cue.end, '.') + '\n';
        for (const char c : cue.text) {
            // The three characters that mean something in a cue.
            out += c == '&' ? std::string("&amp;") : c == '<' ? "&lt;"
                                                 : c == '>'   ? "&gt;"
                                                              : std::string(1, c);
        }
        out += "\n\n";
    }
    return out;
}

} // namespace loquor::speech
