// The phoneme helper (loquor-phonemes, around espeak-ng) as a supervised service.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"

namespace loquor::speech {

// A word with its sounds. begin/end: bytes of the text that was asked about. Words that are spoken as one
// ("out of") and numbers ("1,234") are one word.
struct PhonemeWord
{
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::vector<std::string> phonemes; // IPA with stress marks, as espeak-ng writes it
};

// A sound of espeak's own speech. `word` is an index into the words; empty symbol = pause.
struct EspeakSound
{
    std::int64_t sample = 0;
    int word = -1;
    std::string symbol;
    bool stressed = false;
};

struct EspeakSpeech
{
    int sampleRate = 0;
    std::vector<std::int16_t> pcm; // mono
    std::int64_t spokenSamples = 0; // of pcm; callers may add silence behind
    std::vector<PhonemeWord> words;
    std::vector<std::int64_t> wordSamples; // where each word starts
    std::vector<EspeakSound> sounds;
};

// How espeak-ng reads a text: "[[h@l'oU]]" can be its own names of sounds.
enum class Writing {
    Plain = 1,
    WithMnemonics,
};

// How it says it. speed: 0.5 .. 2; pitch: semitones up.
struct EspeakManner
{
    double speed = 1;
    double pitch = 0;
    Writing writing = Writing::Plain;
};

struct PhonemeClientOptions
{
    std::filesystem::path program; // empty: loquor-phonemes beside the running program
    std::chrono::milliseconds timeout{10000}; // for one request, plus 1 s for each 2000 bytes of text
};

// Starts the helper at the first request and again after it died; a request that meets a dead helper is
// repeated once. Calls block; any thread may call, one is served at a time. Errors: NotFound (no helper
// program), Unsupported (no such voice), Timeout, ConnectionLost (died twice on the same text), Cancelled
// (the helper is stopped and restarts with the next request).
class PhonemeClient
{
public:
    explicit PhonemeClient(PhonemeClientOptions options = {});
    ~PhonemeClient();
    PhonemeClient(const PhonemeClient&) = delete;
    PhonemeClient& operator=(const PhonemeClient&) = delete;

    // Starts the helper ahead of the first request.
    Result<void> warmUp(const CancelToken& cancel = {});
    // What the helper is built around ("espeak-ng 1.51"): another version may say the same text otherwise.
    Result<std::string> engineVersion(const CancelToken& cancel = {});
    // Names of all espeak-ng voices.
    Result<std::vector<std::string>> voices(const CancelToken& cancel = {});
    // One entry for each text. `voice` is an espeak-ng voice name. Texts: valid UTF-8.
    Result<std::vector<std::vector<PhonemeWord>>> phonemes(const std::string& voice, std::span<const std::string> texts,
                                                           const CancelToken& cancel = {},
                                                           Writing writing = Writing::Plain);
    Result<EspeakSpeech> speak(const std::string& voice, const std::string& text, const EspeakManner& manner = {},
                               const CancelToken& cancel = {});
    // Process id of the running helper, -1 when none runs. For tests and diagnosis.
    int helperPid() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

// IPA as it is seen on a face: without stress and tone marks, aspiration dropped, retroflexes in their IPA
// letter ("ts.h" -> "tʂ"). Sets `stressed` when there was a primary stress mark.
std::string plainSymbol(const std::string& espeakSymbol, bool& stressed);

} // namespace loquor::speech
