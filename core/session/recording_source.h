// Speech from a recording, streamed: hours of it cost no memory.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/media/audio_reader.h"
#include "core/session/speech_source.h"
#include "core/session/voice_shelf.h"

namespace loquor::session {

// Cut at pauses on frame boundaries; no sample is changed, beyond a change of rate where the output
// format needs one. With a transcript the whole recording is aligned before the first line; without, or
// when that fails, lines carry no phonemes and lips follow the sound alone.
class RecordingSource : public SpeechSource
{
public:
    RecordingSource(SpeechInput input, Rational fps, std::shared_ptr<VoiceShelf> voices);
    Result<SpeechFacts> open(const CancelToken& cancel) override;
    Result<std::optional<SpokenLine>> next(const CancelToken& cancel) override;
    std::vector<std::string> takeWarnings() override;

private:
    Result<void> fill(const CancelToken& cancel);
    // Fills m_timing and m_cues; false: not possible, and `facts` says why.
    Result<bool> align(SpeechFacts& facts, const CancelToken& cancel);
    void takeTimes(double start, double end, SpokenLine& line);

    SpeechInput m_input;
    Rational m_fps;
    std::shared_ptr<VoiceShelf> m_voices;
    speech::Timing m_timing;          // of the whole recording; empty without transcript
    std::vector<comm::LineCue> m_cues;
    std::size_t m_nextWord = 0, m_nextPhoneme = 0, m_nextCue = 0;
    std::optional<media::AudioReader> m_reader;
    AudioBlock m_pending;        // read, not yet handed out
    SampleIndex m_start = 0;     // of m_pending in the run
    bool m_ended = false, m_finished = false;
    int m_number = 0;
    std::size_t m_warningsTaken = 0;
};

} // namespace loquor::session
