// The speech of a run inside the rank: lines arrive at one end, chunks are cut from the other.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "core/media/audio_block.h"
#include "core/media/burnt_caption.h"
#include "core/pipeline/chunk_plan.h"
#include "core/portrait/motion_solver.h"
#include "core/speech/timing.h"

namespace loquor::stages {

// A line as it arrives. Times of phonemes and cues are seconds from the start of the run.
struct TrackLine
{
    pipeline::LineSpec spec;
    std::vector<speech::Phoneme> phonemes;
    std::vector<portrait::Cue> cues;
    AudioBlock audio; // interleaved; frames() == spec.samples
    std::vector<media::BurntCaption> captions; // times of the run
};

// Any thread may append; one thread cuts lines, one asks for windows. Keeps only what is still needed:
// memory depends on how far the producer runs ahead, not on the length of the run.
class SpeechTrack
{
public:
    SpeechTrack(int sampleRate, int channels);

    // InvalidArgument when the sound has another shape than the run or follows the last line.
    Result<void> append(TrackLine line);

    // The next line to cut; blocks until one is there. Nothing after the last.
    Result<std::optional<pipeline::LineSpec>> nextLine(const CancelToken& cancel);
    // What the solver needs for [from, to] seconds of the run; blocks until the sound reaches `to` or
    // the run has ended. Sound is mixed to mono.
    Result<portrait::SpeechWindow> window(double from, double to, const CancelToken& cancel);
    // Interleaved sound of [first, first + count), which must be there and not yet forgotten.
    AudioBlock audio(SampleIndex first, SampleIndex count) const;
    // Captions of lines that came since the last call, in order.
    std::vector<media::BurntCaption> takeCaptions();
    // Nobody will ask for anything before this time again.
    void forgetBefore(double seconds);

    // True while a call above waits for the producer.
    bool isWaiting() const;
    // Seconds of sound held now; for tests.
    double secondsHeld() const;
    int sampleRate() const { return m_sampleRate; }

private:
    template<class Condition>
    Result<void> waitUntil(std::unique_lock<std::mutex>& lock, const CancelToken& cancel,
                           Condition condition);

    const int m_sampleRate, m_channels;
    mutable std::mutex m_mutex; // guards all below
    std::condition_variable m_changed;
    std::deque<pipeline::LineSpec> m_lines; // not yet cut
    std::deque<portrait::Sound> m_sounds;
    std::deque<portrait::Cue> m_cues;
    std::vector<media::BurntCaption> m_captions; // not yet taken
    std::vector<float> m_samples;  // interleaved, from m_firstSample on
    SampleIndex m_firstSample = 0; // of one channel
    SampleIndex m_end = 0;         // samples received
    bool m_complete = false;       // the last line is here
    int m_waiting = 0;
};

} // namespace loquor::stages
