#include "core/speech/audio_features.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>

#include <sherpa-onnx/c-api/c-api.h>

#include "core/base/bit_reversal.h"
#include "core/base/check.h"

namespace loquor::speech {

namespace {

constexpr double kWindowSeconds = 0.025;
constexpr int kMelBands = 40;
constexpr int kCepstra = 12;
constexpr double kLowHz = 80, kHighHz = 7600;
constexpr float kSlopeWeight = 1.0f;
constexpr float kEnergyWeight = 3.0f;
// Frames.
constexpr std::size_t kLongestClick = 4;
constexpr std::size_t kLongestSmack = 10;
constexpr std::size_t kLongSilence = 20;

int frameCount(const AudioBlock& mono)
{
    const auto window = static_cast<std::int64_t>(kWindowSeconds * mono.sampleRate);
    if (mono.frames() < window)
        return 0;
    return 1 + static_cast<int>(static_cast<double>(mono.frames() - window) / (kFrameSeconds * mono.sampleRate));
}

std::size_t frameStart(int frame, int rate)
{
    return static_cast<std::size_t>(std::lround(frame * kFrameSeconds * rate));
}

// In place, length a power of two.
void fft(std::vector<std::complex<float>>& x)
{
    const std::size_t n = x.size();
    forBitReversedPairs(n, [&x](std::size_t i, std::size_t j) { std::swap(x[i], x[j]); });
    for (std::size_t length = 2; length <= n; length <<= 1) {
        const double angle = -2 * std::numbers::pi / static_cast<double>(length);
        const std::complex<float> step(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
        for (std::size_t i = 0; i < n; i += length) {
            std::complex<float> w(1, 0);
            for (std::size_t k = 0; k < length / 2; ++k, w *= step) {
                const auto a = x[i + k], b = x[i + k + length / 2] * w;
                x[i + k] = a + b;
                x[i + k + length / 2] = a - b;
            }
        }
    }
}

// Triangular bands over the bins of the transform.
struct MelBank
{
    std::vector<std::vector<std::pair<int, float>>> bands;

    MelBank(int rate, int size)
    {
        const auto mel = [](double hz) { return 1127 * std::log(1 + hz / 700); };
        const auto hz = [](double m) { return 700 * (std::exp(m / 1127) - 1); };
        std::vector<double> edges;
        for (int i = 0; i < kMelBands + 2; ++i)
            edges.push_back(hz(mel(kLowHz) + (mel(kHighHz) - mel(kLowHz)) * i / (kMelBands + 1)));
        for (std::size_t b = 0; b < kMelBands; ++b) {
            std::vector<std::pair<int, float>> band;
            for (int k = 0; k <= size / 2; ++k) {
                const double f = static_cast<double>(k) * rate / size;
                const double w = std::min((f - edges[b]) / (edges[b + 1] - edges[b]),
                                          (edges[b + 2] - f) / (edges[b + 2] - edges[b + 1]));
                if (w > 0)
                    band.emplace_back(k, static_cast<float>(w));
            }
            bands.push_back(std::move(band));
        }
    }
};

// kCepstra values a frame.
std::vector<float> cepstra(const AudioBlock& mono)
{
    const int rate = mono.sampleRate;
    const auto window = static_cast<std::size_t>(kWindowSeconds * rate);
    std::size_t size = 512;
    while (size < window)
        size *= 2;
    const MelBank bank(rate, static_cast<int>(size));
    std::vector<float> hamming(window);
    for (std::size_t i = 0; i < window; ++i)
        hamming[i] = static_cast<float>(
            0.54 - 0.46 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(window - 1)));
    std::vector<float> cosines(kCepstra * kMelBands);
    for (std::size_t c = 0; c < kCepstra; ++c) {
        for (std::size_t b = 0; b < kMelBands; ++b)
            cosines[c * kMelBands + b] = static_cast<float>(
                std::sqrt(2.0 / kMelBands) *
                std::cos(std::numbers::pi * static_cast<double>(c + 1) * (static_cast<double>(b) + 0.5) / kMelBands));
    }
    const int count = frameCount(mono);
    std::vector<float> out(static_cast<std::size_t>(count) * kCepstra);
    std::vector<std::complex<float>> bins(size);
    std::vector<float> logs(kMelBands);
    for (int f = 0; f < count; ++f) {
        const std::size_t start = frameStart(f, rate);
        std::fill(bins.begin(), bins.end(), std::complex<float>());
        for (std::size_t i = 0; i < window && start + i < mono.samples.size(); ++i) {
            const float before = start + i > 0 ? mono.samples[start + i - 1] : mono.samples[0];
            bins[i] = (mono.samples[start + i] - 0.97f * before) * hamming[i];
        }
        fft(bins);
        for (std::size_t b = 0; b < kMelBands; ++b) {
            float sum = 0;
            for (const auto& [k, w] : bank.bands[b])
                sum += w * std::norm(bins[static_cast<std::size_t>(k)]);
            logs[b] = std::log(sum + 1e-6f);
        }
        for (std::size_t c = 0; c < kCepstra; ++c) {
            float sum = 0;
            for (std::size_t b = 0; b < kMelBands; ++b)
                sum += cosines[c * kMelBands + b] * logs[b];
            out[static_cast<std::size_t>(f) * kCepstra + c] = sum;
        }
    }
    return out;
}

float percentile(std::vector<float> values, double p)
{
    const auto at = static_cast<std::ptrdiff_t>(p * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

struct DestroyResampler
{
    void operator()(const SherpaOnnxLinearResampler* r) const { SherpaOnnxDestroyLinearResampler(r); }
};

} // namespace

AudioBlock monoAtRate(const AudioBlock& audio, int rate)
{
    LOQUOR_CHECK(audio.channels > 0 && audio.sampleRate > 0);
    AudioBlock mono{audio.sampleRate, 1, {}};
    if (audio.channels == 1) {
        mono.samples = audio.samples;
    } else {
        const auto channels = static_cast<std::size_t>(audio.channels);
        mono.samples.reserve(static_cast<std::size_t>(audio.frames()));
        for (std::size_t i = 0; i + channels <= audio.samples.size(); i += channels) {
            float sum = 0;
            for (std::size_t c = 0; c < channels; ++c)
                sum += audio.samples[i + c];
            mono.samples.push_back(sum / static_cast<float>(channels));
        }
    }
    if (mono.sampleRate == rate || mono.samples.empty())
        return mono;
    const float cutoff = 0.99f * 0.5f * static_cast<float>(std::min(rate, mono.sampleRate));
    const std::unique_ptr<const SherpaOnnxLinearResampler, DestroyResampler> resampler(
        SherpaOnnxCreateLinearResampler(mono.sampleRate, rate, cutoff, 6));
    LOQUOR_CHECK(resampler != nullptr);
    const auto* out = SherpaOnnxLinearResamplerResample(resampler.get(), mono.samples.data(),
                                                        static_cast<std::int32_t>(mono.samples.size()), 1);
    AudioBlock result{rate, 1, std::vector<float>(out->samples, out->samples + out->n)};
    SherpaOnnxLinearResamplerResampleFree(out);
    return result;
}

std::vector<float> frameEnergies(const AudioBlock& mono)
{
    const auto window = static_cast<std::size_t>(kWindowSeconds * mono.sampleRate);
    std::vector<float> out;
    for (int f = 0; f < frameCount(mono); ++f) {
        const std::size_t start = frameStart(f, mono.sampleRate);
        double sum = 0;
        for (std::size_t i = start; i < std::min(start + window, mono.samples.size()); ++i)
            sum += static_cast<double>(mono.samples[i]) * static_cast<double>(mono.samples[i]);
        out.push_back(static_cast<float>(std::log(sum + 1e-8)));
    }
    return out;
}

float loudnessRange(const std::vector<float>& energies)
{
    return energies.empty() ? 0.0f : percentile(energies, 0.95) - percentile(energies, 0.05);
}

std::vector<bool> silentFrames(const std::vector<float>& energies)
{
    std::vector<bool> out(energies.size());
    if (energies.empty())
        return out;
    const float low = percentile(energies, 0.05), high = percentile(energies, 0.95);
    const float threshold = low + 0.30f * (high - low);
    for (std::size_t i = 0; i < energies.size(); ++i)
        out[i] = energies[i] < threshold;
    // Clicks, lip smacks and breaths are not speech: short bursts in silence, the shorter the less silence
    // they need around them.
    const auto runOf = [&](std::size_t at) {
        std::size_t end = at;
        while (end < out.size() && out[end] == out[at])
            ++end;
        return end;
    };
    std::size_t quiet = kLongSilence; // frames of silence before `at`
    for (std::size_t at = 0; at < out.size();) {
        const std::size_t end = runOf(at);
        if (out[at]) {
            quiet = std::max(at == 0 ? quiet : 0, end - at);
        } else {
            const std::size_t after = end < out.size() ? runOf(end) - end : kLongSilence;
            const bool isolated = quiet >= kLongSilence && (after >= kLongSilence || end + after == out.size());
            if (end - at <= kLongestClick || (end - at <= kLongestSmack && isolated))
                std::fill(out.begin() + static_cast<std::ptrdiff_t>(at), out.begin() + static_cast<std::ptrdiff_t>(end), true);
        }
        at = end;
    }
    return out;
}

std::vector<FrameRange> silentRuns(const std::vector<bool>& silent, int shortest)
{
    std::vector<FrameRange> out;
    const int n = static_cast<int>(silent.size());
    for (int i = 0; i < n; ++i) {
        if (!silent[static_cast<std::size_t>(i)])
            continue;
        FrameRange run{i, i};
        while (run.end < n && silent[static_cast<std::size_t>(run.end)])
            ++run.end;
        i = run.end;
        if (run.length() >= shortest)
            out.push_back(run);
    }
    return out;
}

std::vector<float> alignmentFeatures(const AudioBlock& mono, const std::vector<float>& energies,
                                     const std::vector<bool>& silent)
{
    std::vector<float> c = cepstra(mono);
    const std::size_t n = c.size() / kCepstra;
    for (std::size_t k = 0; k < kCepstra; ++k) {
        double sum = 0, squares = 0, count = 0;
        for (std::size_t f = 0; f < n; ++f) {
            if (silent[f])
                continue;
            const double v = static_cast<double>(c[f * kCepstra + k]);
            sum += v;
            squares += v * v;
            ++count;
        }
        const double mean = count > 0 ? sum / count : 0;
        const double deviation = count > 0 ? std::sqrt(std::max(0.0, squares / count - mean * mean)) : 1;
        for (std::size_t f = 0; f < n; ++f)
            c[f * kCepstra + k] = static_cast<float>((static_cast<double>(c[f * kCepstra + k]) - mean) / (deviation + 1e-6));
    }
    const float low = n ? percentile(energies, 0.05) : 0, high = n ? percentile(energies, 0.95) : 1;
    std::vector<float> out(n * kFeatureSize);
    for (std::size_t f = 0; f < n; ++f) {
        float* row = &out[f * kFeatureSize];
        const auto at = [&](std::ptrdiff_t frame, std::size_t k) {
            const auto g = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(frame, 0, static_cast<std::ptrdiff_t>(n) - 1));
            return c[g * kCepstra + k];
        };
        const auto i = static_cast<std::ptrdiff_t>(f);
        for (std::size_t k = 0; k < kCepstra; ++k) {
            row[k] = c[f * kCepstra + k];
            row[kCepstra + k] = kSlopeWeight * (2 * (at(i + 2, k) - at(i - 2, k)) + (at(i + 1, k) - at(i - 1, k))) / 5;
        }
        row[2 * kCepstra] = kEnergyWeight * std::clamp((energies[f] - low) / (high - low + 1e-6f), 0.0f, 1.2f);
    }
    return out;
}

} // namespace loquor::speech
