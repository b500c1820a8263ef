// Dictionaries of how words are said: one of the user, one of each project, where the project's wins. Values and pure
// functions, any thread; only the functions that name a file touch one.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/speech/script.h"

namespace loquor::speech {

inline constexpr std::size_t kMaxPronunciations = 20000; // of one dictionary

// One of `alias` (text) and `ipa` is given; an entry with neither is kept and has no effect.
struct Pronunciation
{
    std::string words;     // a word or phrase, single spaces; all small letters: any case matches, else as written
    std::string language;  // normalized; "en" is for all kinds of English, "" for every language
    std::string alias;     // said instead
    std::string ipa;       // or these sounds
    std::string preserved; // fields of the file this version does not know, as a JSON object; "" = none

    bool operator==(const Pronunciation&) const = default;
};
using Pronunciations = std::vector<Pronunciation>;

// An entry of what a user typed. InvalidArgument: no word, or not exactly one of alias and IPA, or IPA that is none.
Result<Pronunciation> makePronunciation(std::string_view words, std::string_view language, std::string_view alias,
                                        std::string_view ipa);
// Adds it, or replaces the entry of the same words and language.
Result<void> setPronunciation(Pronunciations& list, Pronunciation entry);
// False when there is none of these words and this language.
bool removePronunciation(Pronunciations& list, std::string_view words, std::string_view language);
// The project's, then those of the user for which the project has none.
Pronunciations mergedPronunciations(const Pronunciations& project, const Pronunciations& user);

// Adds spans to the line for its words that are in the list: whole words, the longest phrase first, the first entry
// of equal ones, never where a tag of the script says how. Gives the entries that were used, each once, by their first
// place. `language`: of the line.
std::vector<const Pronunciation*> applyPronunciations(ScriptLine& line, std::span<const Pronunciation> list,
                                                      std::string_view language);
void applyPronunciations(Script& script, std::span<const Pronunciation> list, std::string_view language);
// The entries that a text uses, as one text that changes when one of them does; "" when it uses none.
std::string pronunciationsUsed(std::string_view text, std::span<const Pronunciation> list, std::string_view language);

// The user's dictionary. A missing file is an empty one. Errors name the file.
std::filesystem::path userPronunciationsFile(const std::filesystem::path& configFolder);
Result<Pronunciations> readPronunciations(const std::filesystem::path& file);
// Whole or not at all; unknown fields of the file that is there stay. Makes the folder.
Result<void> writePronunciations(const std::filesystem::path& file, const Pronunciations& list);

} // namespace loquor::speech
