// Windows of a recording by the English acoustic model. Internal to this folder.
#pragma once

#include "core/speech/align_windows.h"
#include "core/speech/script.h"

namespace loquor::speech {

class AcousticWindows : public WindowAligner
{
public:
    // denoiser: may be null; windows that are noisy, or whose words are not found, are tried without their noise.
    AcousticWindows(Script script, SphinxAligner& sphinx, std::shared_ptr<PhonemeClient> phonemes, Denoiser* denoiser);
    WindowPlan plan(int number) const override;
    Result<bool> hasWords(const CancelToken& cancel) override;
    Result<AlignWindow> next(const AudioBlock& sound, const WindowPlan& plan, bool isLast, const CancelToken& cancel) override;
    bool isFitFor(const AudioBlock& sound) const override { return !isVeryNoisy(sound); }
    std::int32_t textAt() const override;
    std::vector<std::string> takeWarnings() override;

private:
    Result<void> haveWords(std::size_t count, const CancelToken& cancel);
    Result<AlignWindow> alignWindow(const AudioBlock& sound, const std::vector<AlignWord>& words, WindowLimits limits,
                                    bool isLast, const CancelToken& cancel);

    const Script m_script;
    SphinxAligner& m_sphinx;
    const std::shared_ptr<PhonemeClient> m_phonemes;
    Denoiser* const m_denoiser;
    bool m_noisy = false;           // some window was found without its noise only
    std::size_t m_line = 0;         // of the script, not yet in m_words
    std::vector<AlignWord> m_words; // not yet found
    std::vector<std::string> m_warnings;
};

} // namespace loquor::speech
