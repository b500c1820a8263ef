// What espeak-ng calls the sounds of the phonetic alphabet. It differs from voice to voice, so the voice is asked.
// Internal to this folder.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/speech/phoneme_client.h"

namespace loquor::speech {

class EspeakSounds
{
public:
    // Asks the voice (about 0.2 s, once).
    Result<void> learn(PhonemeClient& client, const std::string& voice, const CancelToken& cancel);
    bool isKnown() const { return !m_names.empty(); }
    // "[[t@|m'A:|toU]]" for IPA, ready for a text that is spoken with mnemonics. Sounds that the voice does not have
    // are said by their nearest; what has none is left out and added to `missing`.
    std::string mnemonics(std::string_view ipa, std::string_view language, std::vector<std::string>& missing) const;

private:
    // Names of the sound, joined; empty when the voice has none.
    std::string nameOf(const std::string& sound) const;
    std::unordered_map<std::string, std::string> m_names; // IPA without stress -> espeak's name
};

} // namespace loquor::speech
