#include "core/media/sound_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loquor::media {

namespace {

constexpr float kFullScale = .985f;
constexpr double kWindowSeconds = .05, kClipJoinSeconds = .05, kSilenceSeconds = 1;
constexpr double kStepDb = .5;

void addSpan(std::vector<SoundSpan>& spans, SoundSpan span)
{
    if (spans.size() < SoundReport::kMostSpans)
        spans.push_back(span);
}

} // namespace

SoundInspector::SoundInspector(int sampleRate, int channels)
    // A sine of 80 Hz that just reaches full scale stays equal for less than this.
    : m_shortestRun(std::max(3, sampleRate / 16000)),
      m_clipJoin(static_cast<SampleIndex>(kClipJoinSeconds * sampleRate)),
      m_shortestSilence(static_cast<SampleIndex>(kSilenceSeconds * sampleRate)),
      m_window(std::max<SampleIndex>(1, static_cast<SampleIndex>(kWindowSeconds * sampleRate))),
      m_runs(static_cast<std::size_t>(channels)),
      m_levels(static_cast<std::size_t>(-SoundReport::kQuietest / kStepDb) + 1)
{
    m_report.sampleRate = sampleRate;
    m_report.channels = channels;
}

void SoundInspector::add(const float* samples, SampleIndex frames)
{
    const auto channels = static_cast<std::size_t>(m_report.channels);
    for (SampleIndex i = 0; i < frames; ++i, samples += channels) {
        const SampleIndex at = m_report.frames + i;
        float loudest = 0;
        for (std::size_t c = 0; c < channels; ++c) {
            const float value = samples[c];
            loudest = std::max(loudest, std::abs(value));
            m_power += static_cast<double>(value) * static_cast<double>(value);
            watchClipping(c, value, at);
        }
        m_report.peak = std::max(m_report.peak, loudest);
        watchSilence(loudest, at);
        if (++m_inWindow == m_window) {
            watchNoise(m_power / static_cast<double>(m_window * m_report.channels));
            m_power = 0;
            m_inWindow = 0;
        }
    }
    m_report.frames += frames;
}

void SoundInspector::watchClipping(std::size_t channel, float value, SampleIndex at)
{
    Run& run = m_runs[channel];
    if (run.length > 0 && value == run.value) {
        ++run.length;
        return;
    }
    endRun(run, at);
    run = std::abs(value) >= kFullScale ? Run{value, 1} : Run{};
}

void SoundInspector::endRun(const Run& run, SampleIndex end)
{
    if (run.length < m_shortestRun)
        return;
    ++m_report.clippedRuns;
    m_report.clippedFrames += run.length;
    const SampleIndex first = end - run.length;
    if (!m_report.clipped.empty()) {
        SoundSpan& last = m_report.clipped.back();
        if (first <= last.first + last.frames + m_clipJoin) {
            last.frames = std::max(last.frames, end - last.first);
            return;
        }
    }
    addSpan(m_report.clipped, {first, run.length});
}

void SoundInspector::watchSilence(float loudest, SampleIndex at)
{
    if (loudest <= SoundReport::kSilenceLevel)
        return;
    const SampleIndex quiet = at - m_quietSince;
    if (!m_heard)
        m_report.leadingSilence = at;
    if (quiet >= m_shortestSilence) {
        ++m_report.silenceCount;
        addSpan(m_report.silences, {m_quietSince, quiet});
    }
    m_heard = true;
    m_quietSince = at + 1;
}

void SoundInspector::watchNoise(double power)
{
    if (power <= 0)
        return;
    const double steps = (10 * std::log10(power) - SoundReport::kQuietest) / kStepDb;
    const auto most = static_cast<double>(m_levels.size() - 1);
    ++m_levels[static_cast<std::size_t>(std::clamp(steps, 0.0, most))];
}

SoundReport SoundInspector::report() const
{
    SoundInspector copy = *this; // ends what is going on without ending it here
    for (const Run& run : copy.m_runs)
        copy.endRun(run, m_report.frames);
    SoundReport out = std::move(copy.m_report);
    out.trailingSilence = out.frames - m_quietSince;
    if (!m_heard)
        out.leadingSilence = out.frames;
    if (out.trailingSilence >= m_shortestSilence) {
        ++out.silenceCount;
        addSpan(out.silences, {m_quietSince, out.trailingSilence});
    }
    const std::int64_t all = std::accumulate(m_levels.begin(), m_levels.end(), std::int64_t{0});
    std::int64_t below = 0;
    for (std::size_t i = 0; i < m_levels.size() && all > 0; ++i) {
        below += m_levels[i];
        if (below * 10 >= all) {
            out.noiseFloorDb = SoundReport::kQuietest + kStepDb * static_cast<double>(i);
            break;
        }
    }
    return out;
}

Result<SoundReport> inspectSound(const std::filesystem::path& file, int stream, const CancelToken& cancel)
{
    AudioReadOptions options;
    options.channels = 0;
    options.stream = stream;
    LQ_TRY(AudioReader reader, AudioReader::open(file, options));
    SoundInspector inspector(reader.sampleRate(), reader.channels());
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, reader.read(1 << 16));
        if (block.samples.empty())
            return inspector.report();
        inspector.add(block.samples.data(), block.frames());
    }
}

} // namespace loquor::media
