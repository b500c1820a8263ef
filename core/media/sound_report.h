// What is in a sound before anybody listens: silence, clipping, noise, with places.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "core/media/audio_reader.h"

namespace loquor::media {

// A stretch of a sound, in sample frames.
struct SoundSpan
{
    SampleIndex first = 0, frames = 0;
    bool operator==(const SoundSpan&) const = default;
};

struct SoundReport
{
    int sampleRate = 0, channels = 0;
    SampleIndex frames = 0;
    float peak = 0;
    // Runs of equal values at full scale: what was too loud for the microphone's converter. Runs less than 50 ms apart
    // are one span. The lists hold the first kMostSpans; the counts all.
    std::int64_t clippedRuns = 0;
    SampleIndex clippedFrames = 0;
    std::vector<SoundSpan> clipped;
    // At least a second below kSilenceLevel.
    std::int64_t silenceCount = 0;
    std::vector<SoundSpan> silences;
    SampleIndex leadingSilence = 0, trailingSilence = 0; // of any length; both are all frames when all is silent
    double noiseFloorDb = kQuietest; // dBFS that a tenth of all 50 ms stay below; exact silence does not count

    double seconds() const { return sampleRate > 0 ? static_cast<double>(frames) / sampleRate : 0; }

    static constexpr std::size_t kMostSpans = 200;
    static constexpr float kSilenceLevel = .002f; // -54 dB: nothing anybody said
    static constexpr double kQuietest = -120;
};

// Fed block by block, in constant memory. One thread at a time.
class SoundInspector
{
public:
    SoundInspector(int sampleRate, int channels);
    void add(const float* samples, SampleIndex frames);
    SoundReport report() const; // of all so far

private:
    // Consecutive equal samples at full scale, of one channel.
    struct Run
    {
        float value = 0;
        SampleIndex length = 0;
    };
    void watchClipping(std::size_t channel, float value, SampleIndex at);
    void endRun(const Run& run, SampleIndex end);
    void watchSilence(float loudest, SampleIndex at);
    void watchNoise(double power);

    SoundReport m_report;
    SampleIndex m_shortestRun, m_clipJoin, m_shortestSilence, m_window;
    std::vector<Run> m_runs; // by channel
    SampleIndex m_quietSince = 0;
    bool m_heard = false;
    double m_power = 0;
    SampleIndex m_inWindow = 0;
    std::vector<std::int64_t> m_levels; // windows by half decibels above kQuietest
};

// Decodes one stream of a file, all of it. Errors as AudioReader::open.
Result<SoundReport> inspectSound(const std::filesystem::path& file, int stream = 0, const CancelToken& cancel = {});

} // namespace loquor::media
