#include "core/speech/script_markup.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/speech/ipa.h"
#include "core/speech/script.h"
#include "core/speech/utf8.h"
#include "core/speech/voice.h"

namespace loquor::speech {

namespace {

// "0.5s", "500ms", "0,5" -> seconds or a plain number; nothing when it is not a number.
std::optional<double> readNumber(std::string word, bool isTime)
{
    std::replace(word.begin(), word.end(), ',', '.');
    double scale = 1;
    if (isTime && word.size() > 2 && word.ends_with("ms")) {
        scale = 0.001;
        word.resize(word.size() - 2);
    } else if (isTime && word.size() > 1 && word.ends_with('s')) {
        word.pop_back();
    }
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(value >= 0))
        return std::nullopt;
    return value * scale;
}

// A number with a sign and one of the units; nothing when it is not finite.
std::optional<double> readSigned(std::string word, std::string_view unit)
{
    std::replace(word.begin(), word.end(), ',', '.');
    if (word.starts_with("\xE2\x88\x92")) // the minus sign of typographers
        word.replace(0, 3, "-");
    if (!unit.empty() && word.size() > unit.size() && word.ends_with(unit))
        word.resize(word.size() - unit.size());
    const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
    double value = 0;
    const auto [end, error] = std::from_chars(begin, word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value) ||
        (begin != word.data() && *begin == '-'))
        return std::nullopt;
    return value;
}

std::vector<std::string> tagWords(std::string_view inside)
{
    std::vector<std::string> words(1);
    for (const char c : foldedText(inside)) {
        if (c == ' ' || c == '\t' || c == '_') {
            if (!words.back().empty())
                words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    if (words.back().empty())
        words.pop_back();
    return words;
}

std::string bracketed(std::string_view inside)
{
    std::string out = "[";
    out.append(inside).append("]");
    return out;
}

// Tags that open a stretch.
struct SpanTag
{
    std::string_view name;
    SpanKind kind;
    double value;              // without a number
    double low, high;          // of the number; equal: takes none
    std::string_view unit;     // may stand behind the number
    std::string_view example;  // with a number
};
constexpr std::array<SpanTag, 6> kSpanTags{{
    {"rate", SpanKind::Rate, 1, kSlowest, kFastest, "", "[rate 0.8]"},
    {"slow", SpanKind::Rate, 0.8, 0, 0, "", "[rate 0.8]"},
    {"fast", SpanKind::Rate, 1.25, 0, 0, "", "[rate 1.25]"},
    {"pitch", SpanKind::Pitch, 0, -kMaxPitch, kMaxPitch, "st", "[pitch +2st] or [pitch -2st]"},
    {"volume", SpanKind::Volume, 0, kMinVolume, kMaxVolume, "db", "[volume -6dB]"},
    {"emphasis", SpanKind::Emphasis, 1, 0, 0, "", ""},
}};

const SpanTag* spanTag(std::string_view name)
{
    const auto at = std::find_if(kSpanTags.begin(), kSpanTags.end(), [&](const SpanTag& t) { return t.name == name; });
    return at == kSpanTags.end() ? nullptr : &*at;
}

std::string numberText(double value)
{
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return error == std::errc() ? std::string(buffer.data(), end) : std::string();
}

ReadTag readEmphasis(const std::vector<std::string>& words, const std::string& shown)
{
    ReadTag r;
    r.kind = TagKind::Opens;
    r.span = SpanKind::Emphasis;
    const std::string level = words.size() > 1 ? words[1] : "moderate";
    if (level == "strong")
        r.value = kStrongEmphasis;
    else if (level == "reduced")
        r.value = kReducedEmphasis;
    if (words.size() > 2 || (level != "moderate" && r.value == 1))
        r.problem = "In " + shown + " only strong, moderate or reduced can follow; it is read as [emphasis].";
    return r;
}

ReadTag readOpening(const SpanTag& tag, const std::vector<std::string>& words, const std::string& shown)
{
    if (tag.kind == SpanKind::Emphasis)
        return readEmphasis(words, shown);
    ReadTag r;
    r.kind = TagKind::Opens;
    r.span = tag.kind;
    r.value = tag.value;
    const std::string plain = bracketed(tag.name);
    if (tag.low == tag.high) {
        if (words.size() > 1)
            r.problem = plain + " takes no number, so " + shown + " is read as " + plain + "; write " +
                        std::string(tag.example) + ".";
        return r;
    }
    std::string number;
    for (std::size_t i = 1; i < words.size(); ++i)
        number += words[i];
    const bool percent = tag.kind == SpanKind::Rate && number.ends_with('%');
    const auto value = readSigned(percent ? number.substr(0, number.size() - 1) : number, tag.unit);
    if (!value) {
        r.problem = shown + " holds no number that can be read, so it changes nothing; write " +
                    std::string(tag.example) + ".";
        return r;
    }
    const double wanted = percent ? *value / 100 : *value;
    r.value = std::clamp(wanted, tag.low, tag.high);
    if (r.value != wanted)
        r.problem = shown + " is beyond what can be done well (" + numberText(tag.low) + " to " + numberText(tag.high) +
                    "); " + numberText(r.value) + " is used.";
    return r;
}

struct Quoted
{
    std::size_t begin = 0, end = 0; // bytes of what stands in the quotes
};

// Bytes of the quotation mark at text[at] and of the one that ends it.
struct QuotePair
{
    std::size_t opens = 0;
    std::string_view ends;
};
QuotePair quoteAt(std::string_view text, std::size_t at)
{
    constexpr std::string_view kLeft = "\xE2\x80\x9C", kRight = "\xE2\x80\x9D", kLow = "\xE2\x80\x9E";
    const std::string_view rest = text.substr(at);
    if (rest.starts_with('"'))
        return {1, "\""};
    if (rest.starts_with(kLeft))
        return {kLeft.size(), kRight};
    if (rest.starts_with(kLow))
        return {kLow.size(), kLeft};
    return {};
}

// The quoted text that begins at `at` or behind spaces; moves `at` behind it.
std::optional<Quoted> takeQuoted(std::string_view text, std::size_t& at)
{
    at = std::min(text.find_first_not_of(" \t", at), text.size());
    const QuotePair quote = quoteAt(text, at);
    if (quote.opens == 0)
        return std::nullopt;
    const std::size_t begin = at + quote.opens;
    const std::size_t end = text.find(quote.ends, begin);
    if (end == std::string_view::npos)
        return std::nullopt;
    at = end + quote.ends.size();
    return Quoted{begin, end};
}

bool hasWord(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        if (isLetterOrDigit(nextCharacter(text, i)))
            return true;
    }
    return false;
}

std::string trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// Words in a tag, and what they become. `isSay`: text, else sounds.
ReadTag readReplacing(std::string_view inside, std::size_t at, bool isSay)
{
    const std::string shown = bracketed(inside);
    const std::string example = isSay ? "[say \"SQL\" as \"sequel\"]" : "[ipa \"Nice\" as \"ni\xCB\x90s\"] or [ipa \"ni\xCB\x90s\"]";
    ReadTag r;
    r.kind = TagKind::LeftOut;
    const auto first = takeQuoted(inside, at);
    if (!first) {
        r.problem = shown + " cannot be read and is left out; write " + example + ".";
        return r;
    }
    std::size_t as = std::min(inside.find_first_not_of(" \t", at), inside.size());
    const bool hasSecond = foldedText(inside.substr(as, 2)) == "as";
    std::optional<Quoted> second;
    if (hasSecond) {
        as += 2;
        second = takeQuoted(inside, as);
        as = std::min(inside.find_first_not_of(" \t", as), inside.size());
    }
    const std::string_view words = inside.substr(first->begin, first->end - first->begin);
    if (!hasSecond && !isSay && as == inside.size()) {
        r.kind = TagKind::Sounds;
        r.text = trimmed(words);
    } else {
        if (!hasWord(words) || words.find_first_of("[]") != std::string_view::npos) {
            r.problem = shown + " names no word, or a bracket, so it is left out; write " + example + ".";
            return r;
        }
        r.kind = TagKind::Says;
        r.wordsBegin = first->begin;
        r.wordsEnd = first->end;
        if (!second || as != inside.size()) {
            r.problem = shown + " does not say how its words sound, so they are said as written; write " + example + ".";
            return r;
        }
        r.text = trimmed(inside.substr(second->begin, second->end - second->begin));
    }
    r.span = isSay ? SpanKind::Alias : SpanKind::Ipa;
    const bool says = r.kind == TagKind::Says;
    const std::string instead = says ? "its words are said as written" : "it is left out";
    if (std::max(words.size(), r.text.size()) > kMaxQuotedBytes)
        r.problem = shown.substr(0, 40) + "... holds more than " + std::to_string(kMaxQuotedBytes) + " bytes in quotes; " + instead + ".";
    else if (isSay && !hasWord(r.text))
        r.problem = shown + " gives nothing to say in their place; " + instead + ".";
    else if (!isSay) {
        if (const std::string problem = ipaProblem(r.text); !problem.empty())
            r.problem = shown + ": " + problem + "; " + instead + ".";
    }
    if (!r.problem.empty()) {
        r.span = SpanKind::None;
        r.text.clear();
        if (!says)
            r.kind = TagKind::LeftOut;
    }
    return r;
}

// Behind "say" or "ipa" and a space or quotation mark; 0 when the tag is another one.
std::size_t behindSayWord(std::string_view inside, bool& isSay)
{
    const std::size_t first = std::min(inside.find_first_not_of(" \t"), inside.size());
    const std::string word = foldedText(inside.substr(first, 3));
    isSay = word == "say";
    if (!isSay && word != "ipa")
        return 0;
    const std::size_t next = first + 3;
    if (next < inside.size() && inside[next] != ' ' && inside[next] != '\t' && quoteAt(inside, next).opens == 0)
        return 0;
    return next;
}

ReadTag readPause(const std::vector<std::string>& words, std::optional<double> value, const std::string& shown)
{
    ReadTag r;
    r.kind = words.size() > 1 ? TagKind::LeftOut : TagKind::Pause;
    r.name = "pause";
    r.value = value.value_or(0.5);
    if (words.size() > 1)
        r.problem = "The pause " + shown + " has no length that can be read; write [pause 0.5s] or [pause 500ms].";
    if (r.value > kMaxPauseSeconds) {
        r.value = kMaxPauseSeconds;
        r.problem = "The pause " + shown + " is longer than 60 s; 60 s are used.";
    }
    return r;
}

} // namespace

std::size_t tagLength(std::string_view text, std::size_t at)
{
    const std::string_view near = text.substr(at + 1, kMaxTagBytes);
    bool isSay = false;
    if (const std::size_t behind = behindSayWord(near.substr(0, std::min(near.find_first_of("]\n["), near.size())), isSay)) {
        const std::string_view window = text.substr(at + 1, kMaxWordsTagBytes);
        for (std::size_t i = behind; i < window.size() && window[i] != '\n';) {
            if (window[i] == ']')
                return i + 2;
            if (window[i] == '[')
                return 0;
            const QuotePair quote = quoteAt(window, i);
            if (quote.opens == 0) {
                ++i;
                continue;
            }
            const std::size_t end = window.find(quote.ends, i + quote.opens);
            const std::size_t lineEnd = window.find('\n', i);
            const bool closes = end != std::string_view::npos && end < lineEnd;
            i = closes ? end + quote.ends.size() : i + quote.opens; // a lone mark protects nothing
        }
        return 0;
    }
    const std::size_t close = near.find_first_of("]\n[");
    return close == std::string_view::npos || near[close] != ']' ? 0 : close + 2;
}

ReadTag readTag(std::string_view inside)
{
    bool isSay = false;
    if (const std::size_t behind = behindSayWord(inside, isSay))
        return readReplacing(inside, behind, isSay);
    auto words = tagWords(inside);
    const std::string shown = bracketed(inside);
    if (words.size() == 1 && words[0].starts_with('/')) {
        if (const SpanTag* tag = spanTag(std::string_view(words[0]).substr(1))) {
            ReadTag r;
            r.kind = TagKind::Closes;
            r.span = tag->kind;
            return r;
        }
    }
    if (!words.empty()) {
        if (const SpanTag* tag = spanTag(words[0]))
            return readOpening(*tag, words, shown);
    }
    std::optional<double> value;
    const bool isPause = !words.empty() && words[0] == "pause";
    if (words.size() > 1) {
        value = readNumber(words.back(), isPause);
        if (value)
            words.pop_back();
    }
    if (isPause)
        return readPause(words, value, shown);
    ReadTag r;
    for (const auto& w : words)
        r.name += (r.name.empty() ? "" : " ") + w;
    const auto& known = knownDirections();
    if (std::find(known.begin(), known.end(), r.name) == known.end())
        r.problem = "Unknown direction " + shown + "; it is left out.";
    else
        r.kind = TagKind::Direction;
    r.value = std::min(1.0, value.value_or(1.0));
    return r;
}

const std::vector<std::string>& knownDirections()
{
    static const std::vector<std::string> names{
        "smile", "serious", "nod", "shake", "look left", "look right", "look up", "look down",
        "look camera", "brow up", "brow down", "blink"};
    return names;
}

} // namespace loquor::speech
