// Sounds of the English acoustic model and their IPA. Internal to this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loquor::speech {

// "AA" -> "ɑː"; "SIL", "+NSN+" and the like -> "".
std::string ipaOfArpabet(std::string_view phone);
bool isArpabetVowel(std::string_view phone);
// IPA of espeak-ng's English voices (with or without stress marks) -> phones of the acoustic model.
// Symbols without an equivalent are left out.
std::vector<std::string> arpabetOfIpa(std::string_view ipa);

} // namespace loquor::speech
