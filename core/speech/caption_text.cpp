#include "core/speech/caption_text.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include "core/speech/language.h"
#include "core/speech/script.h"
#include "core/speech/sentences.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

// How much it hurts to end a line there.
constexpr double kComma = 4, kPlain = 12, kWeakWord = 30, kNumber = 45, kTitle = 60, kInsideWord = 100;
constexpr double kShortLine = 18; // a line that is one short word
constexpr int kShortWord = 8;     // columns

// Words that belong to what follows them.
struct WeakWords
{
    std::string_view language;
    std::string_view words; // between spaces
};
constexpr std::array kWeakWords{
    WeakWords{"en", " a an the of to in on at by for with from into and or but nor that as if than my your his her its our their this "
                    "these those is are was were be not no very who which about over under between "},
    WeakWords{"es", " el la los las lo un una unos unas de del a al en con por para y e o u que su sus mi tu se no sin sobre muy "},
    WeakWords{"fr", " le la les l un une des du de d à au aux en dans par pour sur avec sans et ou que qui ce cette ces son sa ses mon "
                    "ma mes ne très "},
    WeakWords{"de", " der die das den dem des ein eine einen einem einer eines in im an am auf aus zu zum zur von vom mit für bei und "
                    "oder dass als sein ihr nicht sehr "},
    WeakWords{"it", " il lo la i gli le un uno una di del della dei a al alla in nel con per da dal e o che non "},
    WeakWords{"pt", " o a os as um uma de do da dos das em no na nos nas por para com e ou que não "},
    WeakWords{"vi", " và của là ở trong với cho các những một không "},
};

bool isWeak(std::string_view word, std::string_view language)
{
    const std::string base = baseLanguage(language);
    const std::string wanted = ' ' + foldedText(word) + ' ';
    return std::any_of(kWeakWords.begin(), kWeakWords.end(), [&](const WeakWords& list) {
        return list.language == base && list.words.find(wanted) != std::string_view::npos;
    });
}

enum class Boundary { Line = 1,
                      Word,
                      Letter };

icu::BreakIterator* newIterator(Boundary kind, const icu::Locale& locale, UErrorCode& status)
{
    switch (kind) {
    case Boundary::Line: return icu::BreakIterator::createLineInstance(locale, status);
    case Boundary::Word: return icu::BreakIterator::createWordInstance(locale, status);
    case Boundary::Letter: return icu::BreakIterator::createCharacterInstance(locale, status);
    }
    return nullptr;
}

// Whether each byte of the text (and its end) is a boundary.
std::vector<bool> boundariesOf(const std::string& text, Boundary kind, std::string_view language)
{
    std::vector<bool> out(text.size() + 1, false);
    UErrorCode status = U_ZERO_ERROR;
    const icu::Locale locale(baseLanguage(language).c_str());
    const std::unique_ptr<icu::BreakIterator> iterator(newIterator(kind, locale, status));
    UText* source = utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status);
    if (U_SUCCESS(status)) {
        iterator->setText(source, status);
        for (int at = iterator->first(); at != icu::BreakIterator::DONE; at = iterator->next())
            out[static_cast<std::size_t>(at)] = true;
    }
    utext_close(source);
    out.back() = true;
    return out;
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

constexpr std::size_t kLongestWord = 64; // bytes that are looked at: Chinese has no blanks

// The last word of a text and its first one, marks included.
std::string_view wordBefore(std::string_view text)
{
    text = trimmed(text);
    if (text.size() > kLongestWord) {
        std::size_t from = text.size() - kLongestWord;
        while ((static_cast<unsigned char>(text[from]) & 0xC0) == 0x80)
            ++from;
        text.remove_prefix(from);
    }
    const std::size_t blank = text.find_last_of(' ');
    return blank == std::string_view::npos ? text : text.substr(blank + 1);
}
std::string_view wordAfter(std::string_view text)
{
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    if (text.size() > kLongestWord) {
        std::size_t length = kLongestWord;
        while ((static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
            --length;
        text = text.substr(0, length);
    }
    return text.substr(0, text.find(' '));
}

bool isComma(char32_t c)
{
    return c == U',' || c == U';' || c == U':' || c == U'\uFF0C' || c == U'\u3001' || c == U'\uFF1B' || c == U'\uFF1A' ||
           c == 0x060C || c == 0x061B || c == 0x2014 || c == 0x2013;
}

char32_t lastCharacter(std::string_view text)
{
    std::size_t at = text.size();
    do
        at -= at > 0 ? 1 : 0;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    return text.empty() ? U'\0' : nextCharacter(text, at);
}

// What ending a line behind text[0, at) does to the reader; neither a sentence nor the middle of a word ends there.
double hurtAt(std::string_view text, std::size_t at, std::string_view language)
{
    const std::string_view before = wordBefore(text.substr(0, at)), after = wordAfter(text.substr(at));
    if (before.empty() || after.empty())
        return kPlain;
    if (isDigit(before.back()) && (isDigit(after.front()) || columnsOf(after) <= 4 || after.front() == '%'))
        return kNumber;
    if (endsInAbbreviation(text, at, language))
        return kTitle;
    if (isComma(lastCharacter(before)))
        return kComma;
    if (isDigit(before.back()))
        return (kPlain + kWeakWord) / 2;
    return isWeak(before, language) ? kWeakWord : kPlain;
}

// The directions.
std::vector<bool> hiddenBytes(std::string_view source, std::string_view language)
{
    std::vector<bool> out(source.size(), false);
    const auto hide = [&out](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < std::min(end, out.size()); ++k)
            out[k] = true;
    };
    const auto script = parseScript(source, language);
    if (!script) { // nothing in it is said
        for (std::size_t open = source.find('['); open != std::string_view::npos; open = source.find('[', open + 1))
            hide(open, source.find(']', open) == std::string_view::npos ? open : source.find(']', open) + 1);
        return out;
    }
    const std::size_t mark = source.size() - script->source.size(); // a byte order mark
    hide(0, mark);
    // What is in brackets and not spoken; emoji, which are not spoken either, are shown.
    for (const ScriptLine& line : script->lines) {
        const std::size_t from = mark + static_cast<std::size_t>(line.sourceBegin);
        bool inside = false;
        for (std::size_t k = 0; k < line.text.size(); ++k) {
            const bool isBlanked = line.text[k] != line.spoken[k];
            inside = inside || (isBlanked && line.text[k] == '[');
            if (inside && isBlanked)
                hide(from + k, from + k + 1);
            inside = inside && !(isBlanked && line.text[k] == ']');
        }
    }
    return out;
}

} // namespace

ShownText shownText(std::string_view source, std::string_view language)
{
    const std::vector<bool> hidden = hiddenBytes(source, language);
    ShownText out;
    for (std::size_t at = 0; at < source.size();) {
        const std::size_t begin = at;
        const char32_t c = nextCharacter(source, at);
        const bool isBlank = isSpace(c) || c < 0x20 || c == 0x7F;
        const bool closes = c < 0x80 && std::string_view(".,;:!?").find(static_cast<char>(c)) != std::string_view::npos;
        if (closes && begin > 0 && hidden[begin - 1] && !out.text.empty() && out.text.back() == ' ')
            out.text.pop_back(); // "fine [nod]."
        const bool shown = !hidden[begin] && !(isBlank && (out.text.empty() || out.text.back() == ' '));
        for (std::size_t k = begin; k < at; ++k)
            out.places.push_back(out.text.size() + (shown && !isBlank ? k - begin : 0));
        if (shown && isBlank)
            out.text += ' ';
        else if (shown)
            out.text += source.substr(begin, at - begin);
    }
    while (!out.text.empty() && out.text.back() == ' ')
        out.text.pop_back();
    out.places.push_back(out.text.size());
    for (std::size_t& place : out.places)
        place = std::min(place, out.text.size());
    return out;
}

std::vector<std::size_t> letterEnds(const std::string& text)
{
    const std::vector<bool> ends = boundariesOf(text, Boundary::Letter, {});
    std::vector<std::size_t> out;
    for (std::size_t at = 1; at <= text.size(); ++at) {
        if (ends[at])
            out.push_back(at);
    }
    return out;
}

bool isInsideWord(const std::string& text, std::size_t at)
{
    if (at == 0 || at >= text.size())
        return false;
    std::size_t next = at;
    const char32_t before = lastCharacter(std::string_view(text).substr(0, at)), behind = nextCharacter(text, next);
    const auto ofAlphabet = [](char32_t c) {
        const int width = u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_EAST_ASIAN_WIDTH);
        return isLetterOrDigit(c) && width != U_EA_FULLWIDTH && width != U_EA_WIDE;
    };
    return ofAlphabet(before) && ofAlphabet(behind);
}

int columnsOf(std::string_view text)
{
    int out = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto c = static_cast<UChar32>(nextCharacter(text, at));
        const int type = u_getIntPropertyValue(c, UCHAR_GENERAL_CATEGORY);
        if (type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK || type == U_FORMAT_CHAR)
            continue;
        const int width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
        out += width == U_EA_FULLWIDTH || width == U_EA_WIDE ? 2 : 1;
    }
    return out;
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    return text;
}

BreakMap::BreakMap(const std::string& text, std::string_view language) : m_text(text)
{
    const std::vector<bool> lines = boundariesOf(text, Boundary::Line, language);
    const std::vector<bool> words = boundariesOf(text, Boundary::Word, language);
    std::vector<bool> sentences(text.size() + 1, false);
    if (const auto ends = sentenceEnds(text, language)) {
        for (const std::size_t end : *ends)
            sentences[end] = true;
    }
    m_columns.assign(text.size() + 1, 0);
    int columns = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        nextCharacter(text, at);
        std::fill(m_columns.begin() + static_cast<std::ptrdiff_t>(begin), m_columns.begin() + static_cast<std::ptrdiff_t>(at), columns);
        columns += columnsOf(std::string_view(text).substr(begin, at - begin));
    }
    m_columns.back() = columns;
    for (std::size_t at = 1; at <= text.size(); ++at) {
        if (!lines[at])
            continue;
        const bool isSentence = sentences[at] || at == text.size();
        const double hurt = isSentence  ? 0
                            : words[at] ? hurtAt(text, at, language)
                                        : kInsideWord;
        m_breaks.push_back({at, hurt, isSentence});
    }
    if (m_breaks.empty())
        m_breaks.push_back({text.size(), 0, true});
}

const TextBreak* BreakMap::at(std::size_t byte) const
{
    const auto found = std::lower_bound(m_breaks.begin(), m_breaks.end(), byte,
                                        [](const TextBreak& one, std::size_t wanted) { return one.at < wanted; });
    return found != m_breaks.end() && found->at == byte ? &*found : nullptr;
}

std::size_t BreakMap::indexAfter(std::size_t byte) const
{
    const auto found = std::upper_bound(m_breaks.begin(), m_breaks.end(), byte,
                                        [](std::size_t wanted, const TextBreak& one) { return wanted < one.at; });
    return static_cast<std::size_t>(found - m_breaks.begin());
}

int BreakMap::columnsBefore(std::size_t byte) const
{
    return m_columns[std::min(byte, m_columns.size() - 1)];
}

int BreakMap::columns(std::size_t begin, std::size_t end) const
{
    while (end > begin && m_text[end - 1] == ' ')
        --end;
    while (begin < end && m_text[begin] == ' ')
        ++begin;
    return columnsBefore(end) - columnsBefore(begin);
}

BreakMap::Wrapped BreakMap::wrap(std::size_t begin, std::size_t end, const CaptionRules& rules) const
{
    Wrapped out;
    const int total = columns(begin, end);
    if (total <= rules.columns) {
        out.ends = {end};
        return out;
    }
    std::vector<std::size_t> places{begin}; // of the text between, where lines begin or end
    std::vector<double> hurts{0};
    for (std::size_t k = indexAfter(begin); k < m_breaks.size() && m_breaks[k].at < end; ++k) {
        places.push_back(m_breaks[k].at);
        hurts.push_back(m_breaks[k].hurt);
    }
    places.push_back(end);
    hurts.push_back(0);
    // The fewest lines that are possible decide which length is even.
    std::size_t fewest = 0;
    for (std::size_t from = 0; from + 1 < places.size(); ++fewest) {
        std::size_t to = from + 1;
        while (to + 1 < places.size() && columns(places[from], places[to + 1]) <= rules.columns)
            ++to;
        from = to;
    }
    const double even = static_cast<double>(total) / static_cast<double>(std::max<std::size_t>(fewest, 1));
    const auto lineHurt = [&](std::size_t from, std::size_t to) {
        const int width = columns(places[from], places[to]);
        const bool lonely = width <= kShortWord && trimmed(std::string_view(m_text).substr(places[from], places[to] - places[from])).find(' ') == std::string_view::npos;
        const double off = (width - even) / rules.columns;
        return 60 * off * off + hurts[to] + (lonely ? kShortLine : 0) + (width > rules.columns ? 10.0 * (width - rules.columns) + 1000 : 0);
    };
    // best[l][k]: the least that hurts when places[k] ends line l.
    constexpr double kNever = std::numeric_limits<double>::max() / 4;
    std::vector<std::vector<double>> best(fewest + 1, std::vector<double>(places.size(), kNever));
    std::vector<std::vector<std::size_t>> from(fewest + 1, std::vector<std::size_t>(places.size(), 0));
    best[0][0] = 0;
    for (std::size_t line = 1; line <= fewest; ++line) {
        for (std::size_t to = line; to < places.size(); ++to) {
            for (std::size_t k = to; k-- > line - 1;) {
                const int width = columns(places[k], places[to]);
                if (width > rules.columns && k + 1 < to)
                    break; // it only grows
                const double hurt = best[line - 1][k] + lineHurt(k, to);
                if (hurt < best[line][to]) {
                    best[line][to] = hurt;
                    from[line][to] = k;
                }
            }
        }
    }
    std::size_t at = places.size() - 1;
    for (std::size_t line = fewest; line > 0; --line) {
        out.ends.insert(out.ends.begin(), places[at]);
        out.fits = out.fits && columns(places[from[line][at]], places[at]) <= rules.columns;
        at = from[line][at];
    }
    out.hurt = best[fewest][places.size() - 1];
    return out;
}

} // namespace loquor::speech
