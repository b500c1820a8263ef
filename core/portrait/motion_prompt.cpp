// The words of motion prompts and tags; the vocabulary is explained in DESIGN.md.
#include "core/portrait/motion_prompt.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace loquor::portrait {

namespace {

enum class Quality {
    Energy = 1,
    HeadMotion,
    Smile,
};
enum class Effect {
    Set = 1,
    Scale,
};

struct PromptWord
{
    const char* words; // one to three words, lower case
    Quality quality;
    Effect effect;
    double value;
};

// A word with several effects has several rows.
// clang-format off
constexpr PromptWord kWords[] = {
    {"calm", Quality::Energy, Effect::Scale, .85}, {"calm", Quality::HeadMotion, Effect::Scale, .65},
    {"relaxed", Quality::Energy, Effect::Scale, .9}, {"relaxed", Quality::HeadMotion, Effect::Scale, .8},
    {"quiet", Quality::Energy, Effect::Scale, .75}, {"quiet", Quality::HeadMotion, Effect::Scale, .6},
    {"soft", Quality::Energy, Effect::Scale, .8}, {"gentle", Quality::Energy, Effect::Scale, .85},
    {"gentle", Quality::HeadMotion, Effect::Scale, .8}, {"tired", Quality::Energy, Effect::Scale, .75},
    {"tired", Quality::HeadMotion, Effect::Scale, .5}, {"sad", Quality::Energy, Effect::Scale, .85},
    {"sad", Quality::HeadMotion, Effect::Scale, .6}, {"sad", Quality::Smile, Effect::Set, 0},
    {"lively", Quality::Energy, Effect::Scale, 1.1}, {"lively", Quality::HeadMotion, Effect::Scale, 1.35},
    {"animated", Quality::Energy, Effect::Scale, 1.15}, {"animated", Quality::HeadMotion, Effect::Scale, 1.5},
    {"expressive", Quality::Energy, Effect::Scale, 1.15}, {"expressive", Quality::HeadMotion, Effect::Scale, 1.3},
    {"energetic", Quality::Energy, Effect::Scale, 1.25}, {"energetic", Quality::HeadMotion, Effect::Scale, 1.5},
    {"excited", Quality::Energy, Effect::Scale, 1.3}, {"excited", Quality::HeadMotion, Effect::Scale, 1.6},
    {"excited", Quality::Smile, Effect::Set, .3},
    {"clear", Quality::Energy, Effect::Scale, 1.15}, {"articulate", Quality::Energy, Effect::Scale, 1.2},
    {"serious", Quality::Smile, Effect::Set, 0}, {"serious", Quality::HeadMotion, Effect::Scale, .85},
    {"formal", Quality::Smile, Effect::Set, 0}, {"formal", Quality::HeadMotion, Effect::Scale, .75},
    {"neutral", Quality::Smile, Effect::Set, 0}, {"professional", Quality::HeadMotion, Effect::Scale, .85},
    {"friendly", Quality::Smile, Effect::Set, .25}, {"warm", Quality::Smile, Effect::Set, .25},
    {"smiling", Quality::Smile, Effect::Set, .45}, {"smile", Quality::Smile, Effect::Set, .45},
    {"smiles", Quality::Smile, Effect::Set, .45}, {"happy", Quality::Smile, Effect::Set, .5},
    {"cheerful", Quality::Smile, Effect::Set, .5}, {"cheerful", Quality::Energy, Effect::Scale, 1.1},
    {"big smile", Quality::Smile, Effect::Set, .75}, {"slight smile", Quality::Smile, Effect::Set, .2},
    {"no smile", Quality::Smile, Effect::Set, 0}, {"not smiling", Quality::Smile, Effect::Set, 0},
    {"still", Quality::HeadMotion, Effect::Set, .25}, {"still head", Quality::HeadMotion, Effect::Set, .25},
    {"head still", Quality::HeadMotion, Effect::Set, .25}, {"no head motion", Quality::HeadMotion, Effect::Set, 0},
    {"no head movement", Quality::HeadMotion, Effect::Set, 0},
    {"less head motion", Quality::HeadMotion, Effect::Scale, .6}, {"less head movement", Quality::HeadMotion, Effect::Scale, .6},
    {"more head motion", Quality::HeadMotion, Effect::Scale, 1.5}, {"more head movement", Quality::HeadMotion, Effect::Scale, 1.5},
    {"less motion", Quality::HeadMotion, Effect::Scale, .6}, {"more motion", Quality::HeadMotion, Effect::Scale, 1.5},
    {"less movement", Quality::HeadMotion, Effect::Scale, .6}, {"more movement", Quality::HeadMotion, Effect::Scale, 1.5},
    {"less mouth motion", Quality::Energy, Effect::Scale, .75}, {"more mouth motion", Quality::Energy, Effect::Scale, 1.25},
    {"less energy", Quality::Energy, Effect::Scale, .75}, {"more energy", Quality::Energy, Effect::Scale, 1.25},
    {"small mouth", Quality::Energy, Effect::Scale, .75}, {"wide mouth", Quality::Energy, Effect::Scale, 1.25},
};
// clang-format on

// Scale the effect of the word that follows: away from 1 (or from 0 for a smile).
struct Modifier
{
    const char* words;
    double value;
};
// clang-format off
constexpr Modifier kModifiers[] = {
    {"a little bit", .5}, {"a little", .5}, {"a bit", .5}, {"slightly", .5}, {"somewhat", .7},
    {"very", 1.6}, {"really", 1.5}, {"extremely", 2.0}, {"much", 1.5},
};
// clang-format on

// Words that carry no direction.
// clang-format off
constexpr std::string_view kFillers[] = {
    "a", "an", "the", "with", "and", "but", "in", "of", "at", "to", "is", "be", "his", "her", "their", "they", "he", "she",
    "it", "i", "you", "person", "man", "woman", "speaker", "presenter", "speaking", "speaks", "talking", "talks", "speak",
    "talk", "voice", "tone", "style", "manner", "way", "please", "looks", "keep", "keeps", "camera", "into", "while",
};
// clang-format on

std::vector<std::string> wordsOf(std::string_view text)
{
    std::vector<std::string> words(1);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || byte >= 0x80 || c == '\'')
            words.back() += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty())
        words.pop_back();
    return words;
}

// Number of words of `phrase` if the words from `at` on start with it, else 0.
std::size_t matches(const std::vector<std::string>& words, std::size_t at, std::string_view phrase)
{
    std::size_t count = 0;
    while (!phrase.empty()) {
        const auto space = std::min(phrase.find(' '), phrase.size());
        if (at + count >= words.size() || words[at + count] != phrase.substr(0, space))
            return 0;
        ++count;
        phrase.remove_prefix(std::min(space + 1, phrase.size()));
    }
    return count;
}

void apply(const PromptWord& word, double modifier, Style& style)
{
    double& value = word.quality == Quality::Energy       ? style.energy
                    : word.quality == Quality::HeadMotion ? style.headMotion
                                                          : style.smile;
    if (word.effect == Effect::Set)
        value = word.quality == Quality::Smile ? word.value * modifier : word.value;
    else
        value *= std::max(.1, 1 + (word.value - 1) * modifier);
}

} // namespace

PromptReading readPrompt(const std::string& prompt, Style base)
{
    PromptReading reading{base, {}};
    const auto words = wordsOf(prompt);
    double modifier = 1;
    for (std::size_t at = 0; at < words.size();) {
        std::size_t length = 0;
        for (const PromptWord& word : kWords)
            length = std::max(length, matches(words, at, word.words));
        if (length > 0) {
            for (const PromptWord& word : kWords)
                if (matches(words, at, word.words) == length)
                    apply(word, modifier, reading.style);
            modifier = 1;
            at += length;
            continue;
        }
        for (const Modifier& candidate : kModifiers)
            if (const auto n = matches(words, at, candidate.words); n > length) {
                length = n;
                modifier = candidate.value;
            }
        if (length == 0) {
            if (std::find(std::begin(kFillers), std::end(kFillers), words[at]) == std::end(kFillers))
                reading.unknown.push_back(words[at]);
            length = 1;
        }
        at += length;
    }
    reading.style.energy = std::clamp(reading.style.energy, 0.0, 2.0);
    reading.style.headMotion = std::clamp(reading.style.headMotion, 0.0, 3.0);
    reading.style.smile = std::clamp(reading.style.smile, 0.0, 1.0);
    return reading;
}

std::optional<CueKind> cueFromTag(const std::string& tag)
{
    static constexpr struct
    {
        const char* words;
        CueKind kind;
    // clang-format off
    } kTags[] = {
        {"smile", CueKind::Smile}, {"smiling", CueKind::Smile}, {"serious", CueKind::Serious},
        {"nod", CueKind::Nod}, {"nods", CueKind::Nod}, {"shake", CueKind::Shake}, {"shake head", CueKind::Shake},
        {"look left", CueKind::LookLeft}, {"look right", CueKind::LookRight}, {"look up", CueKind::LookUp},
        {"look down", CueKind::LookDown}, {"look camera", CueKind::LookCamera}, {"look at camera", CueKind::LookCamera},
        {"look at the camera", CueKind::LookCamera}, {"brow up", CueKind::BrowUp}, {"brows up", CueKind::BrowUp},
        {"brow down", CueKind::BrowDown}, {"brows down", CueKind::BrowDown}, {"frown", CueKind::BrowDown},
        {"blink", CueKind::Blink},
    };
    // clang-format on
    const auto words = wordsOf(tag);
    for (const auto& row : kTags)
        if (matches(words, 0, row.words) == words.size() && !words.empty())
            return row.kind;
    return std::nullopt;
}

} // namespace loquor::portrait
