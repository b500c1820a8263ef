// What the command line's `say` and `align` do, without files: text -> sound and times, sound and text ->
// times. Everything here blocks.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/speech/align.h"
#include "core/speech/phoneme_client.h"
#include "core/speech/pronunciations.h"
#include "core/speech/script.h"
#include "core/speech/segment_cache.h"
#include "core/speech/timing_json.h"
#include "core/speech/voice.h"

namespace loquor::speech {

struct SayOptions
{
    std::string voice;    // empty: by language
    std::string language; // empty: guessed
    SpeechOptions speech;
    Pronunciations pronunciations; // of the user
    std::shared_ptr<SegmentCache> cache; // nothing: everything is said afresh
};

struct SaidScript
{
    VoiceDescription voice;
    TimingDocument document;           // times of the whole, spans in document.text
    std::vector<TimedTag> cues;        // directions, seconds of the whole
    std::vector<std::string> warnings; // guessed language, unknown directions with line and column, ...
    std::int64_t samples = 0;
};

// Says a script. `sink` gets the sound piece by piece, in order (mono, the voice's rate); an error of it ends
// everything. Pauses between lines are included.
using SoundSink = std::function<Result<void>(const AudioBlock& piece)>;
Result<SaidScript> sayScript(std::string_view text, const SayOptions& options, const std::filesystem::path& dataFolder,
                             const std::shared_ptr<PhonemeClient>& phonemes, const SoundSink& sink,
                             const CancelToken& cancel = {});

struct AlignedRecording
{
    TimingDocument document;
    std::vector<std::string> warnings;
};
// Aligns a recording to its text; see Aligner. The acoustic model is looked for under dataFolder.
Result<AlignedRecording> alignRecording(const AudioBlock& audio, std::string_view text, const AlignOptions& options,
                                        const std::filesystem::path& dataFolder,
                                        std::shared_ptr<PhonemeClient> phonemes, const CancelToken& cancel = {});

// Folder of the English acoustic model inside the data folder.
std::filesystem::path acousticModelFolder(const std::filesystem::path& dataFolder);

} // namespace loquor::speech
