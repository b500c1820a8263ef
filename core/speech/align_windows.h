// How the words of a stretch of a recording are found: the two ways that AlignStream knows. Internal to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/speech/sphinx_aligner.h"

namespace loquor::speech {

class Denoiser;

// A window ends within the limits; `ahead` seconds behind it are listened to as well.
struct WindowPlan
{
    WindowLimits limits;
    double ahead = 0;
};

class WindowAligner
{
public:
    virtual ~WindowAligner() = default;
    // The first windows are short, so that the picture can begin.
    virtual WindowPlan plan(int number) const = 0;
    // Whether anything of the text is left.
    virtual Result<bool> hasWords(const CancelToken& cancel) = 0;
    // 16 kHz mono from where the last window ended. Takes what it finds from the text. isLast: there is no more sound
    // than this. Errors: Cancelled, Internal; any other means that nothing was found.
    virtual Result<AlignWindow> next(const AudioBlock& sound, const WindowPlan& plan, bool isLast, const CancelToken& cancel) = 0;
    // False: for such a sound, and what is behind it, another way is better.
    virtual bool isFitFor(const AudioBlock& sound) const { return static_cast<void>(sound), true; }
    // The place in the text from which on nothing was taken yet.
    virtual std::int32_t textAt() const { return 0; }
    // Sentences for the user that came up since the last call.
    virtual std::vector<std::string> takeWarnings() = 0;
};

// Speech less than some 15 dB over its noise.
bool isNoisy(const AudioBlock& mono);
// Speech so little over its noise that the acoustic model finds some of the words without it, is sure of them, and loses its
// place; noise alone is not meant.
bool isVeryNoisy(const AudioBlock& mono);
inline constexpr const char* kNoisyNote = "The recording is noisy: its words were looked for in a copy without the noise.";

} // namespace loquor::speech
