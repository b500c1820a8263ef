// Forced alignment with PocketSphinx: English only. Internal to this folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/speech/phoneme_client.h"
#include "core/speech/timing.h"

namespace loquor::speech {

// A spoken word of the text: spans in the text, and how it is said when the dictionary does not know it.
struct AlignWord
{
    std::string text;
    std::int32_t begin = 0, end = 0;
    std::vector<std::string> phonemes; // espeak's; may be empty
};

class SphinxAligner
{
public:
    SphinxAligner();
    ~SphinxAligner();
    // Loads model and dictionary. Errors: NotFound, Corrupt.
    Result<void> load(const std::filesystem::path& modelFolder);
    // 16 kHz mono. Errors: InvalidArgument when the model cannot follow the text through the sound.
    Result<Timing> align(const AudioBlock& audio, const std::vector<AlignWord>& words, const CancelToken& cancel);

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::speech
