// espeak-ng as a voice: robotic, but it speaks every language of ours and knows its times. Internal.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/speech/voice.h"

namespace loquor::speech {

// All languages of espeak-ng 1.51; later ones are reached by id.
std::vector<VoiceDescription> espeakDescriptions();
// "espeak-pl" -> a description; nothing for ids of another form.
std::optional<VoiceDescription> espeakDescription(std::string_view id);
std::unique_ptr<Voice> openEspeakVoice(const VoiceDescription& description, std::shared_ptr<PhonemeClient> phonemes);

// Times of espeak's own speech. `spelled` leads from the text that was spoken back to the source.
Timing timingOfEspeak(const EspeakSpeech& speech, std::string_view sourceText, const std::vector<std::int32_t>& origin,
                      std::int32_t textBegin, std::string_view language);

} // namespace loquor::speech
