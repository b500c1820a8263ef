#include "core/speech/sentences.h"

#include <algorithm>
#include <memory>
#include <string>

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include "core/speech/language.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

// Titles and the like, without their dot, folded. Abbreviations that also end sentences (p.m., etc., Inc.)
// are not here: ICU joins them where a small letter follows.
constexpr std::string_view kCommon[] = {"dr", "prof", "st", "vs", "cf", "ca"};
// Only before a number: "No. 5", but "I said no. Then".
constexpr std::string_view kBeforeNumbers[] = {"no", "nos", "vol", "fig", "pp", "p", "pág", "núm", "art", "sec", "ch"};
constexpr std::string_view kEnglish[] = {"mr", "mrs", "ms", "mx", "gen", "col", "capt", "lt", "sgt", "rep",
                                         "sen", "gov", "hon", "rev", "pres", "mt", "e.g", "i.e", "messrs"};
constexpr std::string_view kSpanish[] = {"sr", "sra", "srta", "sres", "d", "dña", "dra", "ud", "uds", "vd",
                                         "gral", "ing", "lic", "arq", "av", "avda", "p.ej",
                                         "ee.uu", "sto", "sta", "mtro"};
constexpr std::string_view kVietnamese[] = {"tp", "q", "p", "ts", "ths", "gs", "pgs", "bs", "ks", "ông", "tx",
                                            "tt", "kts", "cn", "đ/c"};
constexpr std::string_view kFilipino[] = {"gng", "g", "bb", "dra", "atty", "engr", "hon", "kgg", "gen", "mr",
                                          "mrs", "ms", "sr", "jr", "pang", "sen", "rep"};

template<std::size_t N>
bool contains(const std::string_view (&list)[N], std::string_view word)
{
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool isListed(std::string_view word, std::string_view language, bool beforeNumber)
{
    if (contains(kCommon, word) || (beforeNumber && contains(kBeforeNumbers, word)))
        return true;
    const std::string base = baseLanguage(language);
    if (base == "es")
        return contains(kSpanish, word);
    if (base == "vi")
        return contains(kVietnamese, word);
    if (base == "fil")
        return contains(kFilipino, word);
    return base == "en" && contains(kEnglish, word);
}

struct CloseText
{
    void operator()(UText* text) const { utext_close(text); }
};

} // namespace

bool endsInAbbreviation(std::string_view text, std::size_t end, std::string_view language)
{
    std::size_t next = end;
    while (next < text.size() && text[next] == ' ')
        ++next;
    const bool beforeNumber = next < text.size() && text[next] >= '0' && text[next] <= '9';
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\n' || text[end - 1] == '\r'))
        --end;
    if (end < 2 || text[end - 1] != '.' || text[end - 2] == '.')
        return false;
    constexpr std::size_t kLongest = 24; // bytes; nothing in the lists is longer
    std::size_t begin = end - 1;
    while (begin > 0 && end - begin <= kLongest && text[begin - 1] != ' ' && text[begin - 1] != '\n' &&
           text[begin - 1] != '(' && text[begin - 1] != '"')
        --begin;
    if (end - begin > kLongest)
        return false;
    std::string_view word = text.substr(begin, end - 1 - begin);
    std::size_t at = 0;
    const char32_t first = nextCharacter(word, at);
    if (at == word.size())
        return (isUpperCase(first) && first != U'I') || isListed(foldedText(word), language, beforeNumber); // "J. Smith"
    return isListed(foldedText(word), language, beforeNumber);
}

Result<std::vector<std::size_t>> sentenceEnds(std::string_view text, std::string_view language)
{
    std::vector<std::size_t> ends;
    if (text.empty())
        return ends;
    UErrorCode error = U_ZERO_ERROR;
    const std::unique_ptr<UText, CloseText> source(
        utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &error));
    const std::unique_ptr<icu::BreakIterator> breaks(
        icu::BreakIterator::createSentenceInstance(icu::Locale(baseLanguage(language).c_str()), error));
    if (U_SUCCESS(error))
        breaks->setText(source.get(), error);
    if (U_FAILURE(error))
        return fail(ErrorCode::Internal, std::string("ICU cannot split sentences: ") + u_errorName(error) +
                                             ". Is the package libicu installed completely?");
    breaks->first();
    for (auto at = breaks->next(); at != icu::BreakIterator::DONE; at = breaks->next()) {
        const auto end = static_cast<std::size_t>(at);
        if (end < text.size() && endsInAbbreviation(text, end, language))
            continue;
        ends.push_back(end);
    }
    if (ends.empty() || ends.back() != text.size())
        ends.push_back(text.size());
    return ends;
}

} // namespace loquor::speech
