#include "core/speech/respelling.h"

#include <algorithm>
#include <array>
#include <utility>

#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include "core/speech/language.h"
#include "core/speech/sentences.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

bool isJoiner(char32_t c)
{
    return c == 0xAD || (c >= 0x200B && c <= 0x200D) || c == 0x2060 || c == 0xFEFF;
}

void append(Respelling& out, std::string_view bytes, std::size_t origin)
{
    out.text += bytes;
    out.origin.insert(out.origin.end(), bytes.size(), static_cast<std::int32_t>(origin));
}

// Copies text[begin, end) composed, if it is not already.
void appendComposed(Respelling& out, std::string_view text, std::size_t begin, std::size_t end,
                    const icu::Normalizer2* nfc)
{
    const std::string_view part = text.substr(begin, end - begin);
    UErrorCode error = U_ZERO_ERROR;
    const auto source =
        icu::UnicodeString::fromUTF8(icu::StringPiece(part.data(), static_cast<std::int32_t>(part.size())));
    if (!nfc || nfc->isNormalized(source, error) || U_FAILURE(error)) {
        for (std::size_t i = begin; i < end; ++i)
            append(out, text.substr(i, 1), i);
        return;
    }
    std::string composed;
    nfc->normalize(source, error).toUTF8String(composed);
    append(out, composed, begin);
}

// Letters and marks: one step per character with the marks that belong to it.
Respelling composed(std::string_view text)
{
    UErrorCode error = U_ZERO_ERROR;
    const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(error);
    if (U_FAILURE(error))
        nfc = nullptr;
    Respelling out;
    std::size_t begin = 0; // of the current cluster
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t at = i;
        const char32_t c = nextCharacter(text, i);
        const bool boundary = !nfc || nfc->hasBoundaryBefore(static_cast<UChar32>(c));
        if (at > begin && (boundary || isJoiner(c))) {
            appendComposed(out, text, begin, at, nfc);
            begin = at;
        }
        if (isJoiner(c))
            begin = i;
    }
    appendComposed(out, text, begin, text.size(), nfc);
    out.origin.push_back(static_cast<std::int32_t>(text.size()));
    return out;
}

void blankTitleDots(Respelling& r, std::string_view language)
{
    for (std::size_t i = 1; i + 1 < r.text.size(); ++i) {
        if (r.text[i] == '.' && r.text[i + 1] == ' ' && endsInAbbreviation(r.text, i + 1, language))
            r.text[i] = ' ';
    }
}

// Whole words of Filipino that the Indonesian voice cannot guess, then letters inside words.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kFilipinoWords{
    {{"mga", "manga"}, {"ng", "nang"}}};

std::string filipinoLetters(std::string_view word)
{
    std::string out;
    for (std::size_t i = 0; i < word.size(); ++i) {
        const char c = word[i];
        const char next = i + 1 < word.size() ? word[i + 1] : '\0';
        const bool beforeFront = next == 'e' || next == 'i';
        if (word.substr(i, 2) == "ll") {
            out += "ly";
            ++i;
        } else if (word.substr(i, 2) == "\xC3\xB1") { // n with tilde
            out += "ny";
            ++i;
        } else if (word.substr(i, 2) == "qu" && i + 2 < word.size() && (word[i + 2] == 'e' || word[i + 2] == 'i')) {
            out += 'k';
            ++i;
        } else if (c == 'c' && next != 'h') {
            out += beforeFront ? 's' : 'k';
        } else {
            out += c;
        }
    }
    return out;
}

Respelling filipino(const Respelling& in)
{
    Respelling out;
    const auto flush = [&](std::size_t begin, std::size_t end) {
        if (end <= begin)
            return;
        const std::string folded = foldedText(in.text.substr(begin, end - begin));
        std::string spelled = filipinoLetters(folded);
        for (const auto& [from, to] : kFilipinoWords) {
            if (folded == from)
                spelled = to;
        }
        append(out, spelled, static_cast<std::size_t>(in.origin[begin]));
    };
    std::size_t begin = 0;
    for (std::size_t i = 0; i < in.text.size();) {
        const std::size_t at = i;
        const char32_t c = nextCharacter(in.text, i);
        if (isLetterOrDigit(c))
            continue;
        flush(begin, at);
        for (std::size_t k = at; k < i; ++k)
            append(out, std::string_view(in.text).substr(k, 1), static_cast<std::size_t>(in.origin[k]));
        begin = i;
    }
    flush(begin, in.text.size());
    out.origin.push_back(in.origin.back());
    return out;
}

Respelling respelled(std::string_view text, std::string_view language)
{
    Respelling out = composed(text);
    const std::string base = baseLanguage(language);
    if (base != "en")
        blankTitleDots(out, language);
    if (base == "fil")
        out = filipino(out);
    return out;
}

} // namespace

Respelling respell(std::string_view text, std::string_view language, std::span<const Replacement> replacements)
{
    if (replacements.empty())
        return respelled(text, language);
    constexpr std::string_view kStandIn = "x"; // a letter, so that it counts as a word
    Respelling written; // with the replacements in place
    std::size_t at = 0;
    const auto copyUntil = [&](std::size_t end) {
        for (; at < end; ++at)
            append(written, text.substr(at, 1), at);
    };
    for (const Replacement& r : replacements) {
        copyUntil(static_cast<std::size_t>(r.begin));
        const auto begin = static_cast<std::int32_t>(written.text.size());
        append(written, r.isSounds ? kStandIn : std::string_view(r.text), at);
        written.replaced.push_back({begin, static_cast<std::int32_t>(written.text.size()), written.replaced.size()});
        at = static_cast<std::size_t>(r.end);
    }
    copyUntil(text.size());
    written.origin.push_back(static_cast<std::int32_t>(text.size()));
    Respelling out = respelled(written.text, language);
    for (Replaced r : written.replaced) {
        const auto find = [&](std::int32_t byte) {
            return static_cast<std::int32_t>(std::lower_bound(out.origin.begin(), out.origin.end(), byte) - out.origin.begin());
        };
        r.begin = find(r.begin);
        r.end = find(r.end);
        out.replaced.push_back(r);
    }
    for (std::int32_t& origin : out.origin)
        origin = written.origin[static_cast<std::size_t>(origin)];
    return out;
}

bool widenToReplaced(const Respelling& spelled, std::int32_t& begin, std::int32_t& end)
{
    bool touches = false;
    for (const Replaced& r : spelled.replaced) {
        if (r.begin >= end || r.end <= begin)
            continue;
        begin = std::min(begin, r.begin);
        end = std::max(end, r.end);
        touches = true;
    }
    return touches;
}

void writeReplaced(Respelling& spelled, std::size_t which, std::string_view text)
{
    Replaced& r = spelled.replaced[which];
    const auto begin = static_cast<std::size_t>(r.begin), end = static_cast<std::size_t>(r.end);
    const std::int32_t origin = spelled.origin[begin];
    spelled.text.replace(begin, end - begin, text);
    const auto at = spelled.origin.begin();
    spelled.origin.erase(at + r.begin, at + r.end);
    spelled.origin.insert(spelled.origin.begin() + r.begin, text.size(), origin);
    const auto grown = static_cast<std::int32_t>(text.size()) - (r.end - r.begin);
    r.end += grown;
    for (std::size_t i = which + 1; i < spelled.replaced.size(); ++i) {
        spelled.replaced[i].begin += grown;
        spelled.replaced[i].end += grown;
    }
}

} // namespace loquor::speech
