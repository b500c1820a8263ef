// Windows of a recording by comparison with a synthetic reading: any language. Each window is compared with more of the
// reading than it can hold, and more is listened to than is decided: what lies behind a window's end shows where that is in
// the text, so that no error of one window is carried into the next. Internal to this folder.
#pragma once

#include "core/speech/align_windows.h"
#include "core/speech/reference_speech.h"

namespace loquor::speech {

class ReferenceWindows : public WindowAligner
{
public:
    // denoiser: may be null; noisy windows are compared without their noise.
    // textBegin: the sound begins with the word there.
    ReferenceWindows(Script script, std::shared_ptr<PhonemeClient> phonemes, Denoiser* denoiser, std::int32_t textBegin = 0);
    WindowPlan plan(int number) const override;
    Result<bool> hasWords(const CancelToken& cancel) override;
    Result<AlignWindow> next(const AudioBlock& sound, const WindowPlan& plan, bool isLast, const CancelToken& cancel) override;
    std::vector<std::string> takeWarnings() override;

private:
    Result<void> haveReading(double seconds, const CancelToken& cancel);
    void takeReading(std::int32_t textBegin);

    const Script m_script;
    ReferenceSpeech m_reader;
    Denoiser* const m_denoiser;
    SpokenSound m_reading; // what is not yet found
    std::int32_t m_textBegin;
    bool m_allRead = false, m_noisy = false, m_first = true;
    double m_pace = 1.1;   // sounding seconds of the recording for one of the reading
    std::vector<std::string> m_warnings;
};

} // namespace loquor::speech
