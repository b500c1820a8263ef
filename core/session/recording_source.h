// Speech from a recording, streamed: hours of it cost no memory.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/media/audio_reader.h"
#include "core/session/speech_source.h"

namespace loquor::session {

// Cut at pauses on frame boundaries; no sample is changed, beyond a change of rate where the output
// format needs one.
class RecordingSource : public SpeechSource
{
public:
    RecordingSource(SpeechInput input, Rational fps);
    Result<SpeechFacts> open(const CancelToken& cancel) override;
    Result<std::optional<SpokenLine>> next(const CancelToken& cancel) override;
    std::vector<std::string> takeWarnings() override;

private:
    Result<void> fill(const CancelToken& cancel);

    SpeechInput m_input;
    Rational m_fps;
    std::optional<media::AudioReader> m_reader;
    AudioBlock m_pending;        // read, not yet handed out
    SampleIndex m_start = 0;     // of m_pending in the run
    bool m_ended = false, m_finished = false;
    int m_number = 0;
    std::size_t m_warningsTaken = 0;
};

} // namespace loquor::session
