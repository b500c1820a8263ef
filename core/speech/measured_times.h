// Times of a voice that does not tell its own: the sound it made is aligned to the text like a recording.
// Internal to this folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/speech/align.h"
#include "core/speech/voice.h"

namespace loquor::speech {

// One thread at a time. The models of the aligner are loaded with the first sound.
class MeasuredTimes
{
public:
    MeasuredTimes(std::filesystem::path dataFolder, std::shared_ptr<PhonemeClient> phonemes)
        : m_dataFolder(std::move(dataFolder)), m_phonemes(std::move(phonemes))
    {
    }
    // Where the sound cannot be followed, words are spread over it by their length, with little confidence.
    // Errors: Cancelled, and those of the phoneme helper.
    Result<Timing> measure(const AudioBlock& audio, const Utterance& utterance, const std::string& language,
                           const CancelToken& cancel);

private:
    const std::filesystem::path m_dataFolder;
    const std::shared_ptr<PhonemeClient> m_phonemes;
    std::unique_ptr<Aligner> m_aligner;
};

} // namespace loquor::speech
