// A neural voice: Piper's network through sherpa-onnx, phonemes from espeak-ng. Internal to this folder.
#pragma once

#include <memory>

#include "core/speech/voice.h"

namespace loquor::speech {

Result<std::unique_ptr<Voice>> openPiperVoice(const VoiceDescription& description,
                                              std::shared_ptr<PhonemeClient> phonemes);
// Reads a voice.json; the folder is the file's.
Result<VoiceDescription> readPiperDescription(const std::filesystem::path& voiceJson);

} // namespace loquor::speech
