#include "core/speech/espeak_sounds.h"

#include <array>
#include <utility>

#include "core/speech/ipa.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

// Names that espeak-ng's voices have for their sounds; a voice knows some 80 of them.
constexpr auto kNames = std::to_array<std::string_view>({"p", "b", "t", "d", "k", "g", "tS", "dZ", "ts", "f", "v", "T", "D", "s", "z", "S", "Z", "h", "x", "C", "Q", "X", "m", "n",
                                                         "N", "n^", "l", "r", "l^", "l.", "L", "w", "j", "?", "R", "R2", "*", "**", "t#", "t.", "d.", "n.", "s.", "z.", "tS;", "dZ;",
                                                         "ts;", "s;", "S;", "z;", "t;", "d;", "n;", "l;", "k;", "x;", "B", "w#", "v#", "Q^", "J", "J^", "c", "p'", "t'", "k'", "H",
                                                         "i", "I", "e", "E", "a", "A", "O", "o", "U", "u", "@", "V", "3", "y", "Y", "W", "&", "#", "i:", "I2", "I#", "e:", "E:", "a:",
                                                         "A:", "O:", "o:", "U:", "u:", "@:", "3:", "y:", "W:", "aI", "eI", "OI", "aU", "oU", "@U", "eU", "e@", "i@", "o@", "O@", "U@",
                                                         "A@", "a#", "a2", "o2", "0", "0#", "0:", "O2", "u2", "i2", "e2", "W2", "I^", "i^", "u^", "&:", "V:", "e~", "a~", "O~", "W~",
                                                         "A~", "o~", "E~", "i~", "u~", "ai", "au", "ei", "oi", "EI", "ui", "iu", "ia", "io", "ua", "OY"});

// For sounds that a voice lacks, those that are heard most like them.
constexpr auto kNearest = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"ɪ", "i"},
    {"ʊ", "u"},
    {"ɛ", "e"},
    {"e", "ɛ"},
    {"ɔ", "o"},
    {"o", "oː"},
    {"ɒ", "ɑː"},
    {"ɑ", "ɑː"},
    {"ɑː", "aː"},
    {"ɑ", "a"},
    {"ɑː", "a"},
    {"a", "æ"},
    {"a", "ɑ"},
    {"æ", "a"},
    {"ʌ", "a"},
    {"ə", "e"},
    {"ɐ", "a"},
    {"ɜ", "ə"},
    {"ɚ", "ə"},
    {"ɨ", "ɪ"},
    {"ɯ", "u"},
    {"ø", "œ"},
    {"œ", "ø"},
    {"y", "i"},
    {"oʊ", "əʊ"},
    {"əʊ", "oʊ"},
    {"ɹ", "r"},
    {"r", "ɹ"},
    {"r", "ɾ"},
    {"ɾ", "r"},
    {"ʁ", "r"},
    {"ʀ", "r"},
    {"h", "x"},
    {"x", "h"},
    {"ŋ", "n"},
    {"ɲ", "n"},
    {"ʎ", "l"},
    {"ɕ", "ʃ"},
    {"ʑ", "ʒ"},
    {"ɒ", "ɔ"},
});

// The single sound of a reading, without stress; empty when there are more or none.
std::string onlySound(const std::vector<PhonemeWord>& words, std::size_t count, std::size_t which)
{
    std::vector<std::string> all;
    for (const PhonemeWord& w : words)
        all.insert(all.end(), w.phonemes.begin(), w.phonemes.end());
    if (all.size() != count)
        return {};
    std::string out;
    const std::string& sound = all[which];
    for (std::size_t i = 0; i < sound.size();) {
        const char32_t c = nextCharacter(sound, i);
        if (c != U'ˈ' && c != U'ˌ')
            appendCharacter(out, c);
    }
    return out;
}

} // namespace

Result<void> EspeakSounds::learn(PhonemeClient& client, const std::string& voice, const CancelToken& cancel)
{
    std::vector<std::string> texts; // each name alone and between vowels: some sounds change at the end of a word
    for (const std::string_view name : kNames) {
        texts.push_back("[[" + std::string(name) + "]]");
        texts.push_back("[[a|" + std::string(name) + "|a]]");
    }
    LQ_TRY(const auto readings, client.phonemes(voice, texts, cancel, Writing::WithMnemonics));
    struct Reading
    {
        std::string name, alone, inside;
    };
    std::vector<Reading> all;
    for (std::size_t i = 0; i < kNames.size(); ++i)
        all.push_back({std::string(kNames[i]), onlySound(readings[2 * i], 1, 0), onlySound(readings[2 * i + 1], 3, 1)});
    const auto note = [&](const std::string& sound, const std::string& name) {
        if (!sound.empty())
            m_names.emplace(sound, name);
    };
    for (const Reading& r : all)
        note(r.alone == r.inside ? r.alone : std::string(), r.name);
    for (const Reading& r : all)
        note(r.inside, r.name);
    for (const Reading& r : all)
        note(r.alone, r.name);
    if (m_names.empty())
        return fail(ErrorCode::Unsupported, "The espeak-ng voice '" + voice + "' names none of its sounds, so that it cannot read IPA.");
    return {};
}

std::string EspeakSounds::nameOf(const std::string& sound) const
{
    const auto find = [&](const std::string& s) {
        const auto at = m_names.find(s);
        return at == m_names.end() ? std::string() : at->second;
    };
    if (std::string name = find(sound); !name.empty())
        return name;
    for (const auto& [from, to] : kNearest) {
        if (from != sound)
            continue;
        if (std::string name = find(std::string(to)); !name.empty())
            return name;
    }
    std::string joined; // of its letters; marks go
    for (std::size_t i = 0; i < sound.size();) {
        const std::size_t at = i;
        nextCharacter(sound, i);
        const std::string letter = sound.substr(at, i - at);
        if (letter == sound)
            return {};
        const std::string name = nameOf(letter);
        if (!name.empty())
            joined += (joined.empty() ? "" : "|") + name;
    }
    return joined;
}

std::string EspeakSounds::mnemonics(std::string_view ipa, std::string_view language, std::vector<std::string>& missing) const
{
    std::string out;
    for (const auto& word : ipaWords(ipa, language)) {
        std::string names;
        for (const std::string& marked : word) {
            std::string sound, stress;
            for (std::size_t i = 0; i < marked.size();) {
                const char32_t c = nextCharacter(marked, i);
                if (c == U'ˈ' || c == U'ˌ')
                    stress = c == U'ˈ' ? "'" : ",";
                else
                    appendCharacter(sound, c);
            }
            const std::string name = nameOf(sound);
            if (name.empty())
                missing.push_back(sound);
            else
                names.append(names.empty() ? "" : "|").append(stress).append(name);
        }
        if (!names.empty())
            out += (out.empty() ? "[[" : " [[") + names + "]]";
    }
    return out;
}

} // namespace loquor::speech
