// Sounds written in the International Phonetic Alphabet, as users and dictionaries write them, brought into the
// form the voices know. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loquor::speech {

// A sentence on what cannot be read, without full stop: "holds '7', which is no sound". Empty when all is well.
std::string ipaProblem(std::string_view ipa);

// The sounds of each word (spaces part words), as espeak-ng writes them: stress marks stand before the vowel of
// their syllable and not before the syllable; diphthongs and affricates are one sound. "təˈmɑːtəʊ" ->
// {"t", "ə", "m", "ˈɑː", "t", "əʊ"}. What is no sound is left out. `language` decides what "r" is.
std::vector<std::vector<std::string>> ipaWords(std::string_view ipa, std::string_view language);

} // namespace loquor::speech
