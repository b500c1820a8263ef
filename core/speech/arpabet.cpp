#include "core/speech/arpabet.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/speech/phoneme_client.h"

namespace loquor::speech {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// clang-format off
constexpr std::array<Pair, 39> kPhones{{
    {"AA", "ɑː"}, {"AE", "æ"}, {"AH", "ʌ"}, {"AO", "ɔː"}, {"AW", "aʊ"}, {"AY", "aɪ"}, {"B", "b"}, {"CH", "tʃ"},
    {"D", "d"}, {"DH", "ð"}, {"EH", "ɛ"}, {"ER", "ɜː"}, {"EY", "eɪ"}, {"F", "f"}, {"G", "ɡ"}, {"HH", "h"},
    {"IH", "ɪ"}, {"IY", "iː"}, {"JH", "dʒ"}, {"K", "k"}, {"L", "l"}, {"M", "m"}, {"N", "n"}, {"NG", "ŋ"},
    {"OW", "oʊ"}, {"OY", "ɔɪ"}, {"P", "p"}, {"R", "ɹ"}, {"S", "s"}, {"SH", "ʃ"}, {"T", "t"}, {"TH", "θ"},
    {"UH", "ʊ"}, {"UW", "uː"}, {"V", "v"}, {"W", "w"}, {"Y", "j"}, {"Z", "z"}, {"ZH", "ʒ"}}};
// clang-format on

// Longest first where one begins with another.
// clang-format off
constexpr std::array<Pair, 67> kIpa{{
    {"aɪɚ", "AY ER"}, {"aɪə", "AY AH"}, {"ɔːɹ", "AO R"}, {"oːɹ", "AO R"}, {"ɑːɹ", "AA R"}, {"iəɹ", "IH R"},
    {"aɪ", "AY"}, {"aʊ", "AW"}, {"eɪ", "EY"}, {"oʊ", "OW"}, {"əʊ", "OW"}, {"ɔɪ", "OY"}, {"ɛɹ", "EH R"},
    {"ɪɹ", "IH R"}, {"ʊɹ", "UH R"}, {"iə", "IY AH"}, {"əl", "AH L"}, {"tʃ", "CH"}, {"dʒ", "JH"},
    {"ɑː", "AA"}, {"ɔː", "AO"}, {"oː", "AO"}, {"ɜː", "ER"}, {"iː", "IY"}, {"uː", "UW"}, {"aː", "AA"}, {"eː", "EY"},
    {"n̩", "AH N"}, {"l̩", "AH L"}, {"m̩", "AH M"}, {"ɑ", "AA"}, {"æ", "AE"}, {"ɐ", "AH"}, {"ə", "AH"},
    {"ɚ", "ER"}, {"ɛ", "EH"}, {"ɪ", "IH"}, {"i", "IY"}, {"ᵻ", "IH"}, {"ɔ", "AO"}, {"o", "OW"}, {"ʊ", "UH"},
    {"u", "UW"}, {"ʌ", "AH"}, {"a", "AA"}, {"e", "EH"}, {"ɾ", "T"}, {"ʔ", "T"}, {"ɹ", "R"}, {"r", "R"},
    {"x", "K"}, {"ç", "HH"}, {"ɲ", "N Y"}, {"ŋ", "NG"}, {"ɡ", "G"}, {"j", "Y"}, {"θ", "TH"}, {"ð", "DH"},
    {"ʃ", "SH"}, {"ʒ", "ZH"}, {"h", "HH"}, {"b", "B"}, {"d", "D"}, {"f", "F"}, {"k", "K"}, {"l", "L"}, {"m", "M"}}};
constexpr std::array<Pair, 7> kIpaRest{{
    {"n", "N"}, {"p", "P"}, {"s", "S"}, {"t", "T"}, {"v", "V"}, {"w", "W"}, {"z", "Z"}}};
// clang-format on

void addPhones(std::vector<std::string>& out, std::string_view phones)
{
    for (std::size_t at = 0; at < phones.size();) {
        const std::size_t space = std::min(phones.find(' ', at), phones.size());
        out.emplace_back(phones.substr(at, space - at));
        at = space + 1;
    }
}

} // namespace

std::string ipaOfArpabet(std::string_view phone)
{
    for (const auto& [name, ipa] : kPhones) {
        if (name == phone)
            return std::string(ipa);
    }
    return {};
}

bool isArpabetVowel(std::string_view phone)
{
    return !phone.empty() && std::string_view("AEIOU").find(phone[0]) != std::string_view::npos;
}

std::vector<std::string> arpabetOfIpa(std::string_view ipa)
{
    bool stressed = false;
    const std::string plain = plainSymbol(std::string(ipa), stressed);
    std::vector<std::string> out;
    for (std::size_t at = 0; at < plain.size();) {
        const std::string_view rest = std::string_view(plain).substr(at);
        const auto begins = [&](const Pair& p) { return rest.starts_with(p.first); };
        const Pair* found = nullptr;
        if (const auto it = std::find_if(kIpa.begin(), kIpa.end(), begins); it != kIpa.end())
            found = &*it;
        else if (const auto other = std::find_if(kIpaRest.begin(), kIpaRest.end(), begins); other != kIpaRest.end())
            found = &*other;
        if (found) {
            addPhones(out, found->second);
            at += found->first.size();
        } else {
            ++at;
            while (at < plain.size() && (static_cast<unsigned char>(plain[at]) & 0xC0) == 0x80)
                ++at;
        }
    }
    return out;
}

} // namespace loquor::speech
