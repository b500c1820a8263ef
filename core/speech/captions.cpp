#include "core/speech/captions.h"

#include <algorithm>
#include <limits>

#include "core/speech/caption_text.h"
#include "core/speech/caption_times.h"
#include "core/speech/language.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

// What a caption costs; the breaks of its lines are counted as BreakMap does.
constexpr double kEach = 10;         // fewer captions are better
constexpr double kEndHurts = 1.5;    // a break between captions against one between lines
constexpr double kInnerSentence = 15;
constexpr double kTooBrief = 40, kTooFast = 25, kLonely = 30;
constexpr double kInnerPause = 20;   // a silence just short of what ends a caption
constexpr double kNever = std::numeric_limits<double>::max() / 4;
constexpr double kAnywhere = 200;    // where no line can be broken at all

// Words that are said together, with what follows them up to the next ones.
struct Piece
{
    std::size_t begin = 0, end = 0; // of the shown text
    double start = 0, stop = 0;
    std::size_t firstWord = 0, words = 0; // of the shown words
};

struct ShownWord
{
    std::size_t begin = 0, stop = 0; // of the shown text
    double start = 0, end = 0;
};

std::vector<ShownWord> wordsOf(const Timing& timing, const ShownText& shown)
{
    std::vector<ShownWord> out;
    for (const Word& word : timing.words) {
        if (word.textBegin < 0 || word.textEnd <= word.textBegin ||
            static_cast<std::size_t>(word.textEnd) >= shown.places.size())
            continue;
        const ShownWord one{shown.places[static_cast<std::size_t>(word.textBegin)],
                            shown.places[static_cast<std::size_t>(word.textEnd)], word.start, word.end};
        if (one.stop <= one.begin)
            continue;
        if (!out.empty() && one.begin < out.back().stop) { // several spoken words for one that is shown ("1,234")
            out.back().end = std::max(out.back().end, one.end);
            out.back().stop = std::max(out.back().stop, one.stop);
        } else {
            out.push_back(one);
        }
    }
    return out;
}

// Cut where a caption may end at all.
std::vector<Piece> piecesOf(const std::vector<ShownWord>& words, const ShownText& shown)
{
    std::vector<Piece> out;
    for (std::size_t i = 0; i < words.size(); ++i)
        out.push_back({words[i].begin, 0, words[i].start, words[i].end, i, 1});
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::size_t next = i + 1 < out.size() ? out[i + 1].begin : shown.text.size();
        // An opening quote or bracket belongs to the word behind it.
        const std::size_t blank = shown.text.find(' ', words[i].stop);
        if (i + 1 < out.size() && blank < next)
            next = out[i + 1].begin = blank + 1;
        out[i].end = next;
    }
    if (!out.empty())
        out.front().begin = 0;
    return out;
}

class Cutter
{
public:
    Cutter(const std::vector<Piece>& pieces, const BreakMap& map, const CaptionRules& rules, double until)
        : m_pieces(pieces), m_map(map), m_rules(rules), m_until(until)
    {
    }

    // First piece of each caption, and behind the last.
    std::vector<std::size_t> cuts() const
    {
        const std::size_t n = m_pieces.size();
        std::vector<double> best(n + 1, kNever);
        std::vector<std::size_t> from(n + 1, 0);
        best[0] = 0;
        for (std::size_t first = 0; first < n; ++first) {
            for (std::size_t end = first + 1; end <= n; ++end) {
                if (end > first + 1 && !canHold(first, end))
                    break;
                const double cost = best[first] + costOf(first, end);
                if (cost < best[end]) {
                    best[end] = cost;
                    from[end] = first;
                }
            }
        }
        std::vector<std::size_t> out{n};
        while (out.back() > 0)
            out.push_back(from[out.back()]);
        std::reverse(out.begin(), out.end());
        return out;
    }

private:
    double silenceBehind(std::size_t piece) const
    {
        return piece + 1 < m_pieces.size() ? m_pieces[piece + 1].start - m_pieces[piece].stop : 0;
    }
    // More than one piece.
    bool canHold(std::size_t first, std::size_t end) const
    {
        const Piece& last = m_pieces[end - 1];
        return silenceBehind(end - 2) < m_rules.pause && last.stop - m_pieces[first].start <= m_rules.maxSeconds &&
               m_map.columns(m_pieces[first].begin, last.end) <= m_rules.columns * m_rules.lines;
    }
    double costOf(std::size_t first, std::size_t end) const
    {
        const Piece &begin = m_pieces[first], &last = m_pieces[end - 1];
        const BreakMap::Wrapped lines = m_map.wrap(begin.begin, last.end, m_rules);
        double cost = kEach + lines.hurt;
        if (static_cast<int>(lines.ends.size()) > m_rules.lines)
            cost += 500.0 * static_cast<double>(lines.ends.size()); // a word of that length; nothing helps
        for (std::size_t k = first; k + 1 < end; ++k) {
            const TextBreak* inner = m_map.at(m_pieces[k].end);
            cost += inner != nullptr && inner->isSentence ? kInnerSentence : 0;
            cost += silenceBehind(k) > m_rules.pause / 3 ? kInnerPause * silenceBehind(k) / m_rules.pause : 0;
        }
        const TextBreak* close = m_map.at(last.end);
        const double hurt = silenceBehind(end - 1) >= m_rules.pause ? 0 : close == nullptr ? kAnywhere
                                                                                           : close->hurt;
        cost += kEndHurts * hurt;
        const bool isWhole = close != nullptr && close->isSentence && (first == 0 || isSentenceEnd(first - 1));
        if (end == first + 1 && !isWhole && m_pieces.size() > 1)
            cost += kLonely;
        const double until = end < m_pieces.size() ? m_pieces[end].start - m_rules.gap : m_until;
        const double time = std::max(0.05, until - begin.start);
        cost += kTooBrief * std::max(0.0, m_rules.minSeconds - time) / m_rules.minSeconds;
        const double speed = m_map.columns(begin.begin, last.end) / time / m_rules.columnsPerSecond;
        return cost + kTooFast * std::max(0.0, speed - 1);
    }
    bool isSentenceEnd(std::size_t piece) const
    {
        const TextBreak* close = m_map.at(m_pieces[piece].end);
        return close != nullptr && close->isSentence;
    }

    const std::vector<Piece>& m_pieces;
    const BreakMap& m_map;
    const CaptionRules& m_rules;
    const double m_until;
};

// The text of a caption with its lines, and where its words are in it.
void writeLines(const std::string& text, std::size_t begin, const std::vector<std::size_t>& ends,
                const std::vector<ShownWord>& words, CaptionCue& cue)
{
    std::size_t word = 0;
    for (const std::size_t end : ends) {
        const std::string_view line = trimmed(std::string_view(text).substr(begin, end - begin));
        if (!cue.text.empty() && !line.empty())
            cue.text += '\n';
        const auto from = static_cast<std::size_t>(line.data() - text.data());
        const std::size_t offset = cue.text.size();
        for (; word < words.size() && words[word].begin < from + line.size(); ++word) {
            const std::size_t stop = std::min(words[word].stop, from + line.size());
            if (words[word].begin >= from && stop > words[word].begin)
                cue.words.push_back({words[word].begin - from + offset, stop - from + offset, words[word].start, words[word].end});
        }
        cue.text += line;
        begin = end;
    }
}

std::string languageOf(const Timing& timing, std::string_view text)
{
    return timing.language.empty() ? guessLanguage(text).language : normalizedLanguage(timing.language);
}

// Places where a line is cut that cannot be broken: as few as possible, the parts about even.
std::vector<std::size_t> lettersCut(const std::string& line, std::size_t begin, std::size_t end, int columns)
{
    const std::vector<std::size_t> places = letterEnds(line);
    const auto widthOf = [&line](std::size_t from, std::size_t to) { return columnsOf(std::string_view(line).substr(from, to - from)); };
    const int all = widthOf(begin, end), room = std::max(1, columns - 1); // one for the hyphen
    const int parts = (all + room - 1) / room, even = (all + parts - 1) / std::max(1, parts);
    std::vector<std::size_t> out;
    std::size_t from = begin;
    for (const std::size_t place : places) {
        if (place <= from || place >= end)
            continue;
        const auto next = std::upper_bound(places.begin(), places.end(), place);
        if (widthOf(from, place) >= even || (next != places.end() && widthOf(from, *next) > room)) {
            out.push_back(place);
            from = place;
        }
    }
    return out;
}

// Where a line that is too wide is broken.
std::vector<std::size_t> wideCuts(const std::string& line, const CaptionRules& rules, std::string_view language)
{
    std::vector<std::size_t> out;
    const BreakMap map(line, language);
    std::size_t begin = 0;
    for (const std::size_t end : map.wrap(0, line.size(), rules).ends) {
        if (map.columns(begin, end) > rules.columns) {
            const std::vector<std::size_t> cuts = lettersCut(line, begin, end, rules.columns);
            out.insert(out.end(), cuts.begin(), cuts.end());
        }
        if (end < line.size())
            out.push_back(end);
        begin = end;
    }
    return out;
}

} // namespace

void breakWideLines(CaptionCue& cue, const CaptionRules& rules, std::string_view language)
{
    std::string text;
    std::vector<std::size_t> places(cue.text.size() + 1, 0); // of each byte in `text`
    std::size_t from = 0;
    const auto take = [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            places[k] = text.size();
            text += cue.text[k];
        }
    };
    while (from <= cue.text.size()) {
        const std::size_t end = std::min(cue.text.find('\n', from), cue.text.size());
        const std::string line = cue.text.substr(from, end - from);
        std::size_t done = 0;
        if (columnsOf(line) > rules.columns) {
            for (const std::size_t cut : wideCuts(line, rules, language)) {
                std::size_t stop = cut;
                while (stop > done && line[stop - 1] == ' ')
                    --stop;
                take(from + done, from + stop);
                for (std::size_t k = from + stop; k < from + cut; ++k)
                    places[k] = text.size(); // the blank that the break takes the place of
                text += stop == cut && isInsideWord(line, cut) ? "-\n" : "\n";
                done = cut;
            }
        }
        take(from + done, end);
        if (end == cue.text.size())
            break;
        take(end, end + 1);
        from = end + 1;
    }
    places.back() = text.size();
    for (CaptionWord& word : cue.words) {
        word.begin = places[word.begin];
        word.stop = word.stop > 0 ? places[word.stop - 1] + (word.stop - 1 < cue.text.size() && cue.text[word.stop - 1] != ' ' ? 1 : 0) : 0;
    }
    cue.text = std::move(text);
}

void setCaptionEnds(std::vector<CaptionCue>& cues, double until, const CaptionRules& rules)
{
    for (std::size_t i = 0; i < cues.size(); ++i) {
        CaptionCue& cue = cues[i];
        const bool isLast = i + 1 == cues.size();
        const double next = isLast ? until : cues[i + 1].start - rules.gap;
        const double reading = columnsOf(cue.text) / rules.columnsPerSecond;
        const double wanted = std::max(cue.end, cue.start + std::max(rules.minSeconds, reading));
        cue.end = std::min(wanted, next);
        if (!isLast && next - cue.end < rules.join - rules.gap)
            cue.end = next;
        if (cue.end <= cue.start) // the next one begins at once
            cue.end = isLast ? std::max(until, cue.start + 0.001) : std::max((cue.start + cues[i + 1].start) / 2, cue.start + 0.001);
        for (CaptionWord& word : cue.words) {
            word.start = std::clamp(word.start, cue.start, cue.end);
            word.end = std::clamp(word.end, word.start, cue.end);
        }
    }
}

CaptionRules captionRules(std::string_view language)
{
    CaptionRules out;
    const std::string base = baseLanguage(normalizedLanguage(language));
    if (base == "zh" || base == "cmn" || base == "yue" || base == "hak") {
        out.columns = 32;
        out.columnsPerSecond = 18;
    } else if (base == "ja") {
        out.columns = 32;
        out.columnsPerSecond = 14;
    } else if (base == "ko") {
        out.columns = 34;
        out.columnsPerSecond = 24;
    }
    return out;
}

std::vector<CaptionCue> makeCaptions(const Timing& timing, std::string_view text, double until)
{
    return makeCaptions(timing, text, until, captionRules(languageOf(timing, text)));
}

std::vector<CaptionCue> makeCaptions(const Timing& timing, std::string_view text, double until,
                                     const CaptionRules& rules)
{
    const std::string language = languageOf(timing, text);
    const ShownText shown = shownText(text, language);
    const std::vector<ShownWord> words = wordsOf(timing, shown);
    const std::vector<Piece> pieces = piecesOf(words, shown);
    if (pieces.empty())
        return {};
    const BreakMap map(shown.text, language);
    const std::vector<std::size_t> cuts = Cutter(pieces, map, rules, until).cuts();
    std::vector<CaptionCue> out;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
        const Piece &first = pieces[cuts[k]], &last = pieces[cuts[k + 1] - 1];
        CaptionCue cue{first.start, last.stop, {}, {}};
        const auto begin = words.begin() + static_cast<std::ptrdiff_t>(cuts[k]);
        writeLines(shown.text, first.begin, map.wrap(first.begin, last.end, rules).ends,
                   {begin, words.begin() + static_cast<std::ptrdiff_t>(cuts[k + 1])}, cue);
        out.push_back(std::move(cue));
    }
    setCaptionEnds(out, until, rules);
    return out;
}

} // namespace loquor::speech
