// From a recording and its text to times: which word and which sound is where.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/speech/align_stream.h"
#include "core/speech/phoneme_client.h"
#include "core/speech/pronunciations.h"
#include "core/speech/timing.h"

namespace loquor::speech {

enum class AlignMethod {
    None = 0,
    Acoustic,  // English acoustic model (PocketSphinx): words and sounds, within some 20 ms
    Reference, // warped onto espeak-ng's speech of the same text: any language, median 25 ms, at worst 0.3 s
};

// Words with less confidence are named in a warning: what is said there may be something else.
inline constexpr double kDoubtfulWord = 0.45;

struct Alignment
{
    Timing timing; // source Alignment; spans are bytes of the text given (behind a byte order mark)
    AlignMethod method = AlignMethod::None;
    std::vector<std::string> warnings; // sentences for the user
};

struct AlignOptions
{
    std::string language; // empty: guessed from the text
    AlignMethod method = AlignMethod::None; // None: Acoustic for English, Reference for all else and as fallback
    std::shared_ptr<const Pronunciations> pronunciations = {}; // how words are said; null: none
};

// One thread at a time. Holds the acoustic model after the first English recording (some 40 MB).
class Aligner
{
public:
    // modelFolder: <data folder>/deps/pocketsphinx/model
    // denoiserModel: denoiserModelFile(); without one noisy recordings are taken as they are.
    Aligner(std::filesystem::path modelFolder, std::shared_ptr<PhonemeClient> phonemes,
            std::filesystem::path denoiserModel = {});
    ~Aligner();
    Aligner(const Aligner&) = delete;
    Aligner& operator=(const Aligner&) = delete;

    // Any rate and channels; 16 kHz mono saves a conversion. Directions in the text are ignored; what [say], [ipa] and
    // the pronunciations put in the place of words is what is looked for, as one word with their text. Long
    // recordings (English: 46 s, other languages: 15 minutes) are cut at pauses, so that memory stays bounded. Blocks; sees a cancel within a second.
    // Errors: EmptyInput (no words, or no sound), InvalidArgument (text and sound cannot belong together),
    // NotFound (no model), Cancelled.
    // Callers then go on with the sound alone (and tell).
    Result<Alignment> align(const AudioBlock& audio, std::string_view text, const AlignOptions& options,
                            const CancelToken& cancel = {});

    // The same with a script that was read already (and its language).
    Result<Alignment> align(const AudioBlock& audio, const Script& script, AlignMethod method, const CancelToken& cancel);

    // The same for a recording that is read bit by bit. The aligner must outlive the stream. Errors: those of the text and
    // the model.
    Result<std::unique_ptr<AlignStream>> stream(std::string_view text, const AlignOptions& options);

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::speech
