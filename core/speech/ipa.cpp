#include "core/speech/ipa.h"

#include <algorithm>
#include <array>

#include "core/speech/language.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr std::u32string_view kVowels = U"iyɨʉɯuɪʏʊeøɘɵɤoəɛœɜɞʌɔæɐaɶɑɒɚɝᵻᵿ";
constexpr std::u32string_view kConsonants = U"pbtdʈɖcɟkɡqɢʔmɱnɳɲŋɴʙrʀɾɽɸβfvθðszʃʒʂʐçʝxɣχʁħʕhɦɬɮʋɹɻjɰlɭʎʟʍwɥʜʢɕʑɺɧɫ";
constexpr std::u32string_view kModifiers = U"ːˑʰʲʷˠˤⁿˡʼ˞˥˦˧˨˩";
constexpr std::u32string_view kPrimary = U"ˈ'’";
constexpr std::u32string_view kSecondary = U"ˌ,";
constexpr std::u32string_view kSilent = U"./|‖‿-()[]";
// Sounds of two letters, the first of them first.
constexpr std::array<std::u32string_view, 21> kPairs{U"tʃ", U"dʒ", U"ts", U"dz", U"tɕ", U"dʑ", U"aɪ", U"aʊ", U"eɪ", U"oʊ", U"ɔɪ",
                                                     U"əʊ", U"ɪə", U"eə", U"ʊə", U"ɛə", U"ɔʏ", U"aɪ̯", U"ɔø", U"pf", U"œy"};

bool isIn(std::u32string_view set, char32_t c)
{
    return set.find(c) != std::u32string_view::npos;
}
bool isMark(char32_t c)
{
    return (c >= 0x300 && c <= 0x36F) || c == 0x203F;
}
bool isTie(char32_t c)
{
    return c == 0x361 || c == 0x35C || c == 0x203F;
}

// Keyboard letters for the ones they stand for.
char32_t proper(char32_t c, bool isEnglish)
{
    if (c == U'g')
        return U'ɡ';
    if (c == U':')
        return U'ː';
    if (c == U'ɫ')
        return U'l';
    if (isEnglish && c == U'r')
        return U'ɹ';
    return c;
}

struct Sound
{
    std::u32string letters; // with modifiers
    bool isVowel = false;
    char32_t stress = 0; // before its syllable
};

std::string utf8Of(std::u32string_view text)
{
    std::string out;
    for (const char32_t c : text)
        appendCharacter(out, c);
    return out;
}

// Stress goes to the first vowel at or behind it; two sounds that are one become one.
std::vector<std::string> asEspeak(std::vector<Sound> sounds)
{
    char32_t waiting = 0;
    for (Sound& s : sounds) {
        waiting = s.stress ? s.stress : waiting;
        s.stress = s.isVowel ? waiting : 0;
        waiting = s.isVowel ? 0 : waiting;
    }
    std::vector<std::string> out;
    for (std::size_t i = 0; i < sounds.size(); ++i) {
        std::u32string letters = sounds[i].letters;
        if (i + 1 < sounds.size() && sounds[i + 1].stress == 0) {
            const std::u32string pair = letters + sounds[i + 1].letters;
            if (std::find(kPairs.begin(), kPairs.end(), pair) != kPairs.end()) {
                letters = pair;
                sounds[i + 1].letters.clear();
            }
        }
        if (letters.empty())
            continue;
        if (sounds[i].stress)
            letters.insert(letters.begin(), sounds[i].stress);
        out.push_back(utf8Of(letters));
    }
    return out;
}

} // namespace

std::string ipaProblem(std::string_view ipa)
{
    bool sounds = false;
    for (std::size_t i = 0; i < ipa.size();) {
        const char32_t c = proper(nextCharacter(ipa, i), false);
        if (isIn(kVowels, c) || isIn(kConsonants, c)) {
            sounds = true;
        } else if (!isIn(kModifiers, c) && !isIn(kPrimary, c) && !isIn(kSecondary, c) && !isIn(kSilent, c) && !isMark(c) &&
                   !isSpace(c)) {
            std::string letter;
            appendCharacter(letter, c);
            return "holds '" + letter + "', which is no sound of the phonetic alphabet";
        }
    }
    return sounds ? std::string() : "holds no sound";
}

std::vector<std::vector<std::string>> ipaWords(std::string_view ipa, std::string_view language)
{
    const bool isEnglish = baseLanguage(language) == "en";
    std::vector<std::vector<std::string>> words;
    std::vector<Sound> sounds;
    char32_t stress = 0;
    bool tied = false;
    const auto endWord = [&] {
        if (!sounds.empty())
            words.push_back(asEspeak(std::move(sounds)));
        sounds.clear();
        stress = 0;
        tied = false;
    };
    for (std::size_t i = 0; i < ipa.size();) {
        const char32_t c = proper(nextCharacter(ipa, i), isEnglish);
        if (isSpace(c)) {
            endWord();
        } else if (isIn(kPrimary, c)) {
            stress = U'ˈ';
        } else if (isIn(kSecondary, c)) {
            stress = U'ˌ';
        } else if (isTie(c)) {
            tied = !sounds.empty();
        } else if (isIn(kModifiers, c) || isMark(c)) {
            if (!sounds.empty())
                sounds.back().letters += c;
        } else if (isIn(kVowels, c) || isIn(kConsonants, c)) {
            if (tied) {
                sounds.back().letters += c;
                tied = false;
                continue;
            }
            sounds.push_back({std::u32string(1, c == U'ɝ' ? U'ɜ' : c), isIn(kVowels, c), stress});
            if (c == U'ɝ')
                sounds.back().letters += U'ː';
            stress = 0;
        }
    }
    endWord();
    return words;
}

} // namespace loquor::speech
