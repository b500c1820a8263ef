#include "core/speech/language.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/speech/espeak_languages.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

// Letters that only Vietnamese text uses in number: those with two marks, and ă đ ơ ư.
bool isVietnameseLetter(char32_t c)
{
    return (c >= 0x1EA0 && c <= 0x1EF9) || c == 0x103 || c == 0x111 || c == 0x1A1 || c == 0x1B0;
}

bool isKana(char32_t c)
{
    return c >= 0x3040 && c <= 0x30FF;
}

bool isSpanishMark(char32_t c)
{
    return c == 0xF1 || c == 0xBF || c == 0xA1;
}

template<std::size_t N>
int countWords(const std::string& folded, const std::array<std::string_view, N>& wanted)
{
    int count = 0;
    std::string word;
    for (std::size_t i = 0; i <= folded.size();) {
        char32_t c = ' ';
        const std::size_t begin = i;
        if (i < folded.size())
            c = nextCharacter(folded, i);
        else
            ++i;
        if (isLetterOrDigit(c)) {
            word.append(folded, begin, i - begin);
            continue;
        }
        if (!word.empty() && std::find(wanted.begin(), wanted.end(), word) != wanted.end())
            ++count;
        word.clear();
    }
    return count;
}

constexpr std::array<std::string_view, 26> kSpanish{
    "el", "la", "los", "las", "de", "del", "que", "y", "en", "un", "una", "por", "con",
    "para", "es", "está", "como", "pero", "muy", "más", "hola", "buenos", "días", "gracias", "se", "su"};
constexpr std::array<std::string_view, 22> kEnglish{
    "the", "of", "and", "to", "a", "is", "in", "that", "it", "you", "for", "was",
    "are", "with", "this", "not", "what", "we", "my", "your", "have", "be"};

std::string_view head(std::string_view text, std::size_t bytes)
{
    if (text.size() <= bytes)
        return text;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80)
        --bytes;
    return text.substr(0, bytes);
}

} // namespace

std::string baseLanguage(std::string_view tag)
{
    return std::string(tag.substr(0, tag.find('-')));
}

std::string normalizedLanguage(std::string_view tag)
{
    std::string t;
    for (const char c : tag.substr(0, tag.find('.')))
        t += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::string base = baseLanguage(t);
    if (base == "cmn" || base == "zh")
        return "zh";
    if (base == "tl" || base == "fil")
        return "fil";
    if (base == "vi")
        return t.starts_with("vi-vn-x-") ? t : "vi";
    if (t == "en")
        return "en-us";
    if (t == "fr-fr" || t == "de-de" || t == "ja-jp" || t == "it-it" || t == "pl-pl" || t == "ru-ru" || t == "pt-pt")
        return base; // as voices are named after both
    if (t == "en-uk")
        return "en-gb";
    if (base == "es")
        return t == "es" || t == "es-es" ? "es" : "es-419";
    return t;
}

LanguageGuess guessLanguage(std::string_view text)
{
    const std::string folded = foldedText(head(text, 4000));
    int letters = 0, han = 0, kana = 0, vietnamese = 0, spanish = 0;
    for (std::size_t i = 0; i < folded.size();) {
        const char32_t c = nextCharacter(folded, i);
        letters += isLetterOrDigit(c);
        han += isHan(c);
        kana += isKana(c);
        vietnamese += isVietnameseLetter(c);
        spanish += isSpanishMark(c);
    }
    if (kana > 0 && (kana + han) * 5 >= letters)
        return {"ja", "Japanese characters"};
    if (han * 5 >= letters && han > 0)
        return {"zh", "Chinese characters"};
    if (vietnamese * 33 >= letters && vietnamese > 0)
        return {"vi", "Vietnamese letters"};
    const int es = countWords(folded, kSpanish) + 2 * spanish;
    const int en = countWords(folded, kEnglish);
    if (es >= 2 && es > 2 * en)
        return {"es", "Spanish words"};
    return {"en-us", en > 0 ? "English words" : "no other language recognised"};
}

std::string espeakVoiceName(std::string_view language)
{
    const std::string l = normalizedLanguage(language);
    if (const EspeakLanguage* known = espeakLanguage(l))
        return std::string(known->voice);
    return l.empty() ? "en-us" : l;
}

} // namespace loquor::speech
