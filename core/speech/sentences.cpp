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
constexpr std::string_view kBeforeNumbers[] = {"no", "nos", "vol", "fig", "pp", "p", "pág", "núm", "art", "sec", "ch", "nr",
                                               "jan", "feb", "aug", "sept", "oct", "nov", "dec", "tue", "wed", "thu", "fri"};
constexpr std::string_view kEnglish[] = {"mr", "mrs", "ms", "mx", "gen", "col", "capt", "lt", "sgt", "rep",
                                         "sen", "gov", "hon", "rev", "pres", "mt", "e.g", "i.e", "messrs",
                                         "adm", "maj", "cmdr", "fr", "approx", "viz"};
constexpr std::string_view kSpanish[] = {"sr", "sra", "srta", "sres", "d", "dña", "dra", "ud", "uds", "vd",
                                         "gral", "ing", "lic", "arq", "av", "avda", "p.ej",
                                         "ee.uu", "sto", "sta", "mtro"};
constexpr std::string_view kVietnamese[] = {"tp", "q", "p", "ts", "ths", "gs", "pgs", "bs", "ks", "ông", "tx",
                                            "tt", "kts", "cn", "đ/c"};
constexpr std::string_view kFilipino[] = {"gng", "g", "bb", "dra", "atty", "engr", "hon", "kgg", "gen", "mr",
                                          "mrs", "ms", "sr", "jr", "pang", "sen", "rep"};

constexpr std::string_view kIndonesian[] = {"jl", "ir", "drs", "dra", "h", "hj", "kh", "sdr", "sdri", "bpk", "yth", "tn", "ny", "gg"};
constexpr std::string_view kFrench[] = {"m", "mm", "mme", "mmes", "mlle", "mlles", "mgr", "pr", "p.ex", "av", "bd", "chap", "éd", "env", "ste", "tél"};
constexpr std::string_view kGerman[] = {"hr", "fr", "frl", "str", "bzw", "z.b", "d.h", "u.a", "evtl", "ggf", "inkl", "vgl", "abs", "hrsg",
                                        "geb", "gest", "dipl", "ing", "z", "d", "u", "o", "i", "h"};
constexpr std::string_view kItalian[] = {"sig", "sig.ra", "sig.na", "sigg", "dott", "dott.ssa", "prof.ssa", "ing", "avv", "arch", "geom",
                                         "rag", "on", "sen", "p.es", "ss", "pag"};
constexpr std::string_view kPortuguese[] = {"sr", "sra", "srta", "srs", "dra", "profa", "eng", "arq", "av", "exmo", "exma", "d", "p.ex", "cap"};
constexpr std::string_view kDutch[] = {"dhr", "mevr", "mw", "mr", "drs", "ir", "ing", "bijv", "o.a", "d.w.z", "i.p.v", "m.b.t", "t.a.v", "ds"};
constexpr std::string_view kPolish[] = {"mgr", "inż", "p", "ul", "al", "pl", "np", "tj", "tzn", "św", "ks", "gen", "płk", "kpt", "im",
                                        "m.in", "godz", "hab", "zob"};
constexpr std::string_view kRussian[] = {"ул", "д", "кв", "т.е", "т.к", "гр", "проф", "акад", "им", "стр", "рис", "св", "тов", "пр",
                                         "просп", "напр", "ст", "пл", "обл"};
// A town before its name, a year behind its number.
constexpr std::string_view kNotAfterNumbers[] = {"г", "с", "п"};
// Behind a German ordinal: "am 3. Mai".
constexpr std::string_view kBehindOrdinals[] = {"januar", "jänner", "februar", "märz", "april", "mai", "juni", "juli", "august",
                                                "september", "oktober", "november", "dezember", "jahrhundert", "klasse", "platz", "mal"};

template<std::size_t N>
bool contains(const std::string_view (&list)[N], std::string_view word)
{
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

struct Neighbours
{
    bool numberBefore = false, numberAfter = false;
};

bool isListed(std::string_view word, std::string_view language, const Neighbours& neighbours)
{
    if (contains(kCommon, word) || (neighbours.numberAfter && contains(kBeforeNumbers, word)))
        return true;
    const std::string base = baseLanguage(language);
    if (base == "en")
        return contains(kEnglish, word);
    if (base == "es")
        return contains(kSpanish, word);
    if (base == "vi")
        return contains(kVietnamese, word);
    if (base == "fil")
        return contains(kFilipino, word);
    if (base == "id" || base == "ms")
        return contains(kIndonesian, word);
    if (base == "fr")
        return contains(kFrench, word);
    if (base == "de")
        return contains(kGerman, word) || (neighbours.numberAfter && word.ends_with("str")); // "Hauptstr. 5"
    if (base == "it")
        return contains(kItalian, word);
    if (base == "pt")
        return contains(kPortuguese, word);
    if (base == "nl")
        return contains(kDutch, word);
    if (base == "pl")
        return contains(kPolish, word);
    return base == "ru" && (contains(kRussian, word) || (!neighbours.numberBefore && contains(kNotAfterNumbers, word)));
}

bool isNumber(std::string_view word)
{
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// "am 3. Mai": the dot makes the number an ordinal.
bool isGermanOrdinal(std::string_view number, std::string_view rest, std::string_view language)
{
    if (number.size() > 2 || !isNumber(number) || baseLanguage(language) != "de")
        return false;
    std::size_t end = 0;
    for (std::size_t i = 0; i < rest.size() && isLetterOrDigit(nextCharacter(rest, i));)
        end = i;
    return contains(kBehindOrdinals, foldedText(rest.substr(0, end)));
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
    Neighbours neighbours;
    neighbours.numberAfter = next < text.size() && text[next] >= '0' && text[next] <= '9';
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
    neighbours.numberBefore = begin > 1 && text[begin - 1] == ' ' && text[begin - 2] >= '0' && text[begin - 2] <= '9';
    if (isGermanOrdinal(word, text.substr(next, kLongest), language))
        return true;
    if (const std::size_t article = word.find_last_of('\''); article != std::string_view::npos) // "l'avv. Verdi"
        word.remove_prefix(article + 1);
    if (word.empty())
        return false;
    std::size_t at = 0;
    const char32_t first = nextCharacter(word, at);
    if (at == word.size())
        return (isUpperCase(first) && first != U'I') || isListed(foldedText(word), language, neighbours); // "J. Smith"
    return isListed(foldedText(word), language, neighbours);
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
