#include "core/media/sound_import.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/media/flac_writer.h"
#include "core/media/loudness.h"
#include "core/media/noise_filter.h"
#include "core/media/peak_limiter.h"

namespace loquor::media {

namespace {

// Bump when the same import gives other samples.
constexpr const char* kProcessingVersion = "processed 1";
constexpr SampleIndex kPiece = 1 << 15;
constexpr double kCeilingDb = -1, kMostGainDb = 30; // as normaliseLoudness()

// The part, decoded; each pass reads it from the start.
class Passes
{
public:
    Passes(const std::filesystem::path& file, const SoundImport& import, const CancelToken& cancel, const ImportProgress& progress)
        : m_file(file), m_import(import), m_cancel(cancel), m_progress(progress),
          m_count((import.denoise ? 1 : 0) + (import.loudness ? 1 : 0) + 1)
    {
    }

    // `take` gets every piece.
    template<class Take>
    Result<void> pass(Take take)
    {
        AudioReadOptions options = m_import.reading(m_rate, m_channels);
        if (m_channels == 0) {
            LQ_TRY(const AudioReader probe, AudioReader::open(m_file, m_import.reading(0, 0), m_cancel));
            m_rate = options.sampleRate = probe.sampleRate();
            m_channels = options.channels = std::min(2, probe.channels());
            const auto seconds = [](std::chrono::microseconds time) { return std::chrono::duration<double>(time).count(); };
            const double all = probe.info().estimatedSeconds, to = seconds(m_import.to);
            m_estimated = std::max(.1, (to > 0 ? std::min(all, to) : all) - seconds(m_import.from));
        }
        LQ_TRY(AudioReader reader, AudioReader::open(m_file, options, m_cancel));
        for (;;) {
            if (m_cancel.isCancelled())
                return cancelled();
            LQ_TRY(const AudioBlock block, reader.read(kPiece));
            if (block.samples.empty())
                break;
            LQ_CHECKED(take(block));
            if (m_progress)
                m_progress((m_done + std::min(1.0, static_cast<double>(reader.position()) / m_rate / m_estimated)) / m_count);
        }
        ++m_done;
        return {};
    }
    int rate() const { return m_rate; }
    int channels() const { return m_channels; }

private:
    const std::filesystem::path& m_file;
    const SoundImport& m_import;
    const CancelToken& m_cancel;
    const ImportProgress& m_progress;
    const int m_count;
    int m_rate = 0, m_channels = 0, m_done = 0;
    double m_estimated = 1;
};

// A pass through the noise filter, where the noise is known; `take` gets what comes out.
template<class Take>
Result<void> filteredPass(Passes& passes, const std::vector<float>& noise, Take take)
{
    std::optional<NoiseFilter> filter;
    std::vector<float> out;
    const auto filtered = [&](const AudioBlock& block) -> Result<void> {
        if (noise.empty())
            return take(block.samples.data(), block.frames());
        if (!filter) {
            LQ_TRY(filter, NoiseFilter::create(block.sampleRate, block.channels, noise));
        }
        out.clear();
        LQ_CHECKED(filter->push(block.samples.data(), block.frames(), out));
        return take(out.data(), static_cast<SampleIndex>(out.size()) / block.channels);
    };
    LQ_CHECKED(passes.pass(filtered));
    if (!filter)
        return {};
    out.clear();
    LQ_CHECKED(filter->finish(out));
    return take(out.data(), static_cast<SampleIndex>(out.size()) / passes.channels());
}

// What is heard when nobody speaks.
Result<std::vector<float>> noiseOf(Passes& passes)
{
    std::optional<NoiseListener> listener;
    const auto listen = [&](const AudioBlock& block) -> Result<void> {
        if (!listener)
            listener.emplace(block.sampleRate, block.channels);
        listener->add(block.samples.data(), block.frames());
        return {};
    };
    LQ_CHECKED(passes.pass(listen));
    return listener ? listener->noise() : std::vector<float>();
}

Result<float> wantedGain(Passes& passes, const std::vector<float>& noise)
{
    std::optional<LoudnessMeter> meter;
    const auto measure = [&](const float* samples, SampleIndex frames) -> Result<void> {
        if (!meter)
            meter.emplace(passes.rate(), passes.channels());
        meter->add(samples, frames);
        return {};
    };
    LQ_CHECKED(filteredPass(passes, noise, measure));
    const double lufs = meter ? meter->result().integratedLufs : -70;
    if (lufs <= -70)
        return 1.0f;
    return static_cast<float>(std::pow(10.0, std::min(kImportLufs - lufs, kMostGainDb) / 20));
}

} // namespace

AudioReadOptions SoundImport::reading(int sampleRate, int channels) const
{
    AudioReadOptions out;
    out.sampleRate = sampleRate;
    out.channels = channels;
    out.stream = stream;
    out.from = from;
    out.to = to;
    return out;
}

std::string importKey(const SoundImport& import)
{
    if (import.isPlain())
        return {};
    std::string out = "stream " + std::to_string(import.stream) + " from " + std::to_string(import.from.count()) + " to " +
                      std::to_string(import.to.count());
    if (import.isProcessed())
        out += std::string(", ") + kProcessingVersion + (import.denoise ? " denoise" : "") + (import.loudness ? " loudness" : "");
    return out;
}

Result<void> writeProcessed(const std::filesystem::path& file, const SoundImport& import, const std::filesystem::path& copy,
                            const CancelToken& cancel, const ImportProgress& progress)
{
    Passes passes(file, import, cancel, progress);
    std::vector<float> noise;
    if (import.denoise) {
        LQ_TRY(noise, noiseOf(passes));
    }
    float gain = 1;
    if (import.loudness) {
        LQ_TRY(gain, wantedGain(passes, noise));
    }
    std::optional<FlacWriter> writer;
    std::optional<PeakLimiter> limiter;
    std::vector<float> loud, limited;
    const auto write = [&](const float* samples, SampleIndex frames) -> Result<void> {
        if (!writer) {
            LQ_TRY(writer, FlacWriter::create(copy, passes.rate(), passes.channels()));
            if (import.loudness)
                limiter.emplace(passes.rate(), passes.channels(), kCeilingDb);
        }
        if (!limiter)
            return writer->write(samples, frames);
        loud.assign(samples, samples + frames * passes.channels());
        for (float& sample : loud)
            sample *= gain;
        limited.clear();
        limiter->push(loud.data(), frames, limited);
        return writer->write(limited.data(), static_cast<SampleIndex>(limited.size()) / passes.channels());
    };
    const auto work = [&]() -> Result<void> {
        LQ_CHECKED(filteredPass(passes, noise, write));
        if (!limiter)
            return {};
        limited.clear();
        limiter->finish(limited);
        return writer->write(limited.data(), static_cast<SampleIndex>(limited.size()) / passes.channels());
    };
    auto done = work();
    if (done && writer)
        done = writer->finish();
    if (!done && writer)
        writer->discard();
    return done;
}

} // namespace loquor::media
