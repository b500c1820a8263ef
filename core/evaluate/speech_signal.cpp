#include "core/evaluate/speech_signal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <opencv2/core.hpp>

namespace loquor::evaluate {

namespace {

constexpr std::size_t kHop = 160, kWindow = 400, kTransform = 512, kBins = kTransform / 2 + 1;

// Ridge regression from mel bands (20 bands, 5 moments 40 ms apart, normalised per clip) to lip opening,
// fitted on 22 clips of real people, each shifted to its own best lag first. It is the yardstick for lag
// and coupling, so it is never fitted to the clip under test.
constexpr std::array<double, kContextColumns> kOpeningWeights = {
    0.048, -0.038, -0.271, 0.094, -0.147, -0.129, -0.093, -0.048, 0.044, -0.155,
    -0.015, 0.058, -0.012, 0.220, -0.209, -0.105, -0.106, -0.037, 0.222, -0.087,
    0.029, 0.136, -0.348, 0.132, 0.064, 0.212, 0.042, 0.003, 0.116, -0.026,
    0.149, 0.112, 0.152, 0.260, -0.043, 0.208, -0.051, -0.139, 0.141, -0.129,
    -0.009, -0.084, -0.430, -0.109, 0.004, 0.155, -0.039, -0.175, -0.022, -0.048,
    0.105, 0.090, 0.118, 0.192, -0.123, 0.114, -0.037, -0.052, 0.185, -0.169,
    0.076, -0.116, -0.071, -0.050, 0.132, 0.320, 0.118, -0.107, -0.139, 0.038,
    0.185, 0.215, 0.091, 0.195, 0.012, 0.079, -0.028, 0.000, 0.311, -0.069,
    0.103, -0.321, 0.028, -0.333, -0.100, 0.367, 0.210, -0.310, -0.301, 0.082,
    0.252, 0.065, -0.150, 0.067, 0.143, -0.075, -0.018, -0.016, 0.110, -0.144};

// Triangular filters, 80..7000 Hz on the mel scale.
std::array<std::array<double, kBins>, kMelBands> makeMelFilters()
{
    const auto mel = [](double hz) { return 2595 * std::log10(1 + hz / 700); };
    std::array<double, kMelBands + 2> edges{};
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const double m = mel(80) + (mel(7000) - mel(80)) * static_cast<double>(i) / static_cast<double>(edges.size() - 1);
        edges[i] = 700 * (std::pow(10, m / 2595) - 1);
    }
    std::array<std::array<double, kBins>, kMelBands> filters{};
    for (std::size_t b = 0; b < kMelBands; ++b)
        for (std::size_t k = 0; k < kBins; ++k) {
            const double hz = static_cast<double>(k) * kSpeechRate / kTransform;
            const double up = (hz - edges[b]) / (edges[b + 1] - edges[b]);
            const double down = (edges[b + 2] - hz) / (edges[b + 2] - edges[b + 1]);
            filters[b][k] = std::max(0.0, std::min(up, down));
        }
    return filters;
}

Mask speechMask(const Series& decibels, SpeechSignal& out)
{
    const Series smoothed = smooth(decibels, 5);
    const double low = percentile(smoothed, 10);
    const double high = percentile(smoothed, 95);
    const double threshold = low + std::max(6.0, 0.35 * (high - low));
    Mask active(smoothed.size());
    for (std::size_t i = 0; i < smoothed.size(); ++i)
        active[i] = smoothed[i] > threshold && smoothed[i] > -55;
    if (high - low < 8) // silence or steady noise
        active.assign(smoothed.size(), !(high < -35));
    out.contrast = high - low;
    return widen(active, 21); // 100 ms on both sides
}

} // namespace

std::optional<SpeechSignal> analyseSpeech(std::span<const float> mono16k, double start)
{
    if (mono16k.size() < kSpeechRate / 4)
        return std::nullopt;
    static const auto kFilters = makeMelFilters();
    const std::size_t frames = 1 + (mono16k.size() - kWindow) / kHop;
    SpeechSignal out;
    out.mel.assign(kMelBands, Series(frames));
    std::array<double, kWindow> window{};
    for (std::size_t i = 0; i < kWindow; ++i)
        window[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / (kWindow - 1));
    cv::Mat_<double> input(1, static_cast<int>(kTransform));
    cv::Mat_<double> spectrum;
    std::array<double, kBins> power{};
    for (std::size_t f = 0; f < frames; ++f) {
        input.setTo(0);
        for (std::size_t i = 0; i < kWindow; ++i)
            input(0, static_cast<int>(i)) = window[i] * static_cast<double>(mono16k[f * kHop + i]);
        cv::dft(input, spectrum); // packed: re0, re1, im1, re2, im2, ..., re256
        double band = 0;
        for (std::size_t k = 0; k < kBins; ++k) {
            const int re = k == 0 ? 0 : static_cast<int>(2 * k - 1);
            const double x = spectrum(0, re);
            const double y = k == 0 || k == kBins - 1 ? 0 : spectrum(0, re + 1);
            power[k] = x * x + y * y;
            const double hz = static_cast<double>(k) * kSpeechRate / kTransform;
            if (hz >= 300 && hz <= 3400)
                band += power[k];
        }
        out.decibels.push_back(10 * std::log10(band + 1e-7));
        for (std::size_t b = 0; b < kMelBands; ++b) {
            double sum = 0;
            for (std::size_t k = 0; k < kBins; ++k)
                sum += power[k] * kFilters[b][k];
            out.mel[b][f] = std::log(sum + 1e-5);
        }
        out.times.push_back(start + (static_cast<double>(f * kHop) + kWindow / 2.0) / kSpeechRate);
    }
    out.speech = speechMask(out.decibels, out);
    return out;
}

std::vector<Series> melContext(const SpeechSignal& speech, const Series& times)
{
    const bool enough = count(speech.speech) > 50;
    std::vector<Series> bands = speech.mel;
    Series deviations;
    for (Series& band : bands) {
        const Series reference = enough ? select(band, speech.speech) : band;
        const double centre = mean(reference);
        deviations.push_back(standardDeviation(reference));
        for (double& v : band)
            v -= centre;
    }
    const double size = mean(deviations) + 1e-6;
    for (Series& band : bands) {
        for (double& v : band)
            v /= size;
        band = smooth(band, 4);
    }
    std::vector<Series> columns;
    for (const double shift : {-0.08, -0.04, 0.0, 0.04, 0.08}) {
        Series at = times;
        for (double& t : at)
            t += shift;
        for (const Series& band : bands)
            columns.push_back(interpolate(at, speech.times, band));
    }
    return columns;
}

Series expectedOpening(const SpeechSignal& speech, const Series& times)
{
    const std::vector<Series> columns = melContext(speech, times);
    Series out(times.size(), 0.0);
    for (std::size_t c = 0; c < columns.size(); ++c)
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] += kOpeningWeights[c] * columns[c][i];
    return out;
}

} // namespace loquor::evaluate
