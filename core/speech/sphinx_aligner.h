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
    bool isReplaced = false;           // something else is said for it: `said`, or the phonemes alone
    std::string said;                  // words; empty: sounds
};

// The beginning of a longer recording, aligned.
struct AlignWindow
{
    Timing timing;           // times from the start of the sound; phonemes contiguous over the window
    std::size_t words = 0;   // how many of the words are said in it; 0: none could be found
    std::size_t samples = 0; // its length
};
struct WindowLimits
{
    double shortest = 18, longest = 40; // seconds
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
    // Aligns the first window of 16 kHz mono `audio`; it ends in a pause, if there is one within the limits.
    // `words`: what is said from its start on, and beyond. isLast: there is no more sound, and when `audio` is no
    // longer than the limits allow, all of it is the window.
    Result<AlignWindow> alignWindow(const AudioBlock& audio, const std::vector<AlignWord>& words, WindowLimits limits,
                                    bool isLast, const CancelToken& cancel);

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::speech
