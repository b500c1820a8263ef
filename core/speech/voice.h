// Voices: text in, sound and exact times out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/speech/phoneme_client.h"
#include "core/speech/respelling.h"
#include "core/speech/script.h"
#include "core/speech/timing.h"

namespace loquor::speech {

enum class VoiceEngine {
    None = 0,
    Piper,
    Espeak,
};

inline constexpr double kSlowest = 0.5;
inline constexpr double kFastest = 2;

// Which of the script's tags a voice can follow; of others the user is told once.
struct VoiceSupport
{
    bool exactTiming = true; // times are the voice's own, not measured afterwards
    double slowest = kSlowest, fastest = kFastest;
    bool pitch = true;
    bool sounds = true;     // IPA
    bool singleWords = true; // rate, pitch and emphasis of words inside a clause; else of whole clauses only
};

// What the user chooses from. Values only.
struct VoiceDescription
{
    std::string id;       // "en_US-joe-medium", "espeak-vi", "en_GB-vctk-medium:p226"
    std::string name;     // for people: "Joe", "Vietnamese (espeak-ng)"
    std::string language; // normalized: "en-us", "vi"
    std::string licence;
    std::string note; // what the user has to know about it; empty for most
    std::filesystem::path modelCard; // where its licence and origin are told; empty: there is none
    int sampleRate = 0;
    VoiceSupport supports = {};
    VoiceEngine engine = VoiceEngine::None;
    std::filesystem::path folder;      // of a Piper voice
    std::vector<std::string> speakers; // names by number; empty when there is one
    int speaker = 0;
    bool isRepeatable = true; // an utterance gives the same samples whatever was said before
    std::string fingerprint;  // changes with everything that its sound depends on
};

// What to synthesize at once: a clause of a line (see clauses.h).
struct Utterance
{
    std::string text;           // UTF-8, without directions
    std::int32_t textBegin = 0; // where it begins in its line; spans of words are offset by it
    bool endsSentence = true;   // false: more of the sentence follows
    std::vector<Replacement> replacements = {}; // words of `text` that are said otherwise
};

struct SpeechOptions
{
    double speed = 1; // kSlowest .. kFastest; others are taken as the nearest of these
    double pitch = 0; // semitones up, at most kMaxPitch either way
};

// All of both that the sound depends on, as bytes: where the utterance stands in its line is not. Every new field of
// either belongs in it.
std::string soundKey(const Utterance& utterance, const SpeechOptions& options);

// Mono sound at the voice's rate, and its times: phonemes contiguous over the whole block, words in order.
// timing.durationSeconds is exactly samples / rate.
struct SpokenSound
{
    AudioBlock audio;
    Timing timing;
    std::vector<std::string> notes = {}; // sentences for the user on what the voice could not do as asked
};

// One thread at a time. synthesize() blocks, at most about as long as a sixth of the sound it makes; a
// cancel is seen between clauses and while the phoneme helper works. The same utterance and options give the
// same samples and times, whatever was said before (description().isRepeatable false: the same times, and the
// same samples when all before them was the same, too). Text without words gives EmptyInput.
class Voice
{
public:
    virtual ~Voice() = default;
    virtual const VoiceDescription& description() const = 0;
    virtual Result<SpokenSound> synthesize(const Utterance& utterance, const SpeechOptions& options,
                                           const CancelToken& cancel) = 0;
};

// Every voice there is: folders with a voice.json under <dataFolder>/voices (those that begin with a dot are
// not finished), then espeak-ng's. A folder that cannot be used is left out and logged.
std::vector<VoiceDescription> listVoices(const std::filesystem::path& dataFolder);

// The voice to use and why. `note` is empty, or a sentence for the user ("The text looks Vietnamese ...").
struct VoiceChoice
{
    VoiceDescription voice;
    std::string language; // of the text, normalized
    std::string note;
};
// By id when given ("espeak-XX" works for every espeak-ng language, "ID:SPEAKER" for every speaker of a voice
// with several, by name or number), else the first voice of the language,
// else of the language the text seems to be in. Errors: InvalidArgument (no such id; lists what there is).
Result<VoiceChoice> chooseVoice(const std::vector<VoiceDescription>& voices, std::string_view voiceId,
                                std::string_view language, std::string_view text);

// Loads a voice; for Piper about a second of work. Errors: NotFound, Corrupt (names the file), Unsupported.
Result<std::unique_ptr<Voice>> openVoice(const VoiceDescription& description,
                                         std::shared_ptr<PhonemeClient> phonemes, const CancelToken& cancel = {});

// For SpokenSound::notes.
std::string missingSoundNote(const VoiceDescription& voice, const std::string& sound);

} // namespace loquor::speech
