#include "core/portrait/hearing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/bit_reversal.h"
#include "core/base/time.h"

namespace loquor::portrait {

namespace {

// Loudness tracker: rises with the sound, falls slowly and only while there is voice, so that a fade
// of up to about this rate does not close the mouth and pauses do not amplify noise.
constexpr double kReferenceRise = .35;      // share of the distance per tick
constexpr double kReferenceFallDb = 7.0 / kTicksPerSecond;
constexpr double kFloorRiseDb = 6.0 / kTicksPerSecond;
constexpr double kFloorRiseStartDb = 70.0 / kTicksPerSecond; // in the first half second: find the floor fast
constexpr double kVoiceAboveFloorDb = 8, kVoiceBelowReferenceDb = 24, kVoiceMinDb = -66;
constexpr double kVoiceHysteresisDb = 3;
constexpr std::int32_t kHangoverTicks = 9;  // stop gaps do not end a voice

// Of the first formant's band over the one below it, dB.
constexpr double kOpenRate = .004, kOpenLowest = -16, kOpenHighest = 6;

double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

double toDb(double power)
{
    return std::max<double>(kSilenceDb, 10 * std::log10(power + 1e-12));
}

} // namespace

void Hearing::prepare(int sampleRate)
{
    m_rate = sampleRate;
    const auto length = std::max<std::size_t>(
        8, static_cast<std::size_t>(std::lround(2 * kHearingHalfWindow * sampleRate)));
    m_size = 1;
    while (m_size < length)
        m_size *= 2;
    m_window.resize(length);
    for (std::size_t i = 0; i < length; ++i)
        m_window[i] = static_cast<float>(
            .5 - .5 * std::cos(2 * std::numbers::pi * (static_cast<double>(i) + .5) / static_cast<double>(length)));
    m_cos.resize(m_size / 2);
    m_sin.resize(m_size / 2);
    for (std::size_t i = 0; i < m_size / 2; ++i) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(m_size);
        m_cos[i] = static_cast<float>(std::cos(angle));
        m_sin[i] = static_cast<float>(std::sin(angle));
    }
    m_power.resize(m_size / 2);
}

void Hearing::loadWindow(const AudioBlock& audio, double audioStart, std::int64_t tick)
{
    m_re.assign(m_size, 0);
    m_im.assign(m_size, 0);
    // positions are absolute in the run: the same samples whatever the chunk
    const std::int64_t centre = mulDivRound(tick, m_rate, kTicksPerSecond);
    const auto origin = static_cast<std::int64_t>(std::llround(audioStart * m_rate));
    const std::int64_t first = centre - static_cast<std::int64_t>(m_window.size() / 2) - origin;
    const std::int64_t frames = audio.frames();
    for (std::size_t i = 0; i < m_window.size(); ++i) {
        const std::int64_t at = first + static_cast<std::int64_t>(i);
        if (at < 0 || at >= frames)
            continue;
        float sum = 0;
        for (int c = 0; c < audio.channels; ++c)
            sum += audio.samples[static_cast<std::size_t>(at * audio.channels + c)];
        const float value = sum / static_cast<float>(audio.channels);
        m_re[i] = std::isfinite(value) ? value * m_window[i] : 0;
    }
}

// In-place radix-2 transform, then the power of each bin.
void Hearing::transform()
{
    const std::size_t n = m_size;
    forBitReversedPairs(n, [this](std::size_t i, std::size_t j) { std::swap(m_re[i], m_re[j]); });
    for (std::size_t half = 1; half < n; half *= 2) {
        const std::size_t stride = n / (2 * half);
        for (std::size_t base = 0; base < n; base += 2 * half)
            for (std::size_t k = 0; k < half; ++k) {
                const float c = m_cos[k * stride], s = m_sin[k * stride];
                const std::size_t a = base + k, b = a + half;
                const float re = m_re[b] * c - m_im[b] * s, im = m_re[b] * s + m_im[b] * c;
                m_re[b] = m_re[a] - re;
                m_im[b] = m_im[a] - im;
                m_re[a] += re;
                m_im[a] += im;
            }
    }
    double energy = 0;
    for (const float w : m_window)
        energy += static_cast<double>(w) * w;
    const double scale = 2 / (energy * static_cast<double>(n));
    for (std::size_t k = 0; k < n / 2; ++k)
        m_power[k] = scale * (static_cast<double>(m_re[k]) * m_re[k] + static_cast<double>(m_im[k]) * m_im[k]);
}

double Hearing::bandDb(double fromHz, double toHz) const
{
    const double binHz = static_cast<double>(m_rate) / static_cast<double>(m_size);
    const auto last = static_cast<double>(m_power.size());
    const auto from = static_cast<std::size_t>(std::clamp(std::ceil(fromHz / binHz), 0.0, last));
    const auto to = static_cast<std::size_t>(std::clamp(std::ceil(toHz / binHz), 0.0, last));
    double sum = 0;
    for (std::size_t k = from; k < to; ++k)
        sum += m_power[k];
    return toDb(sum);
}

HeardTick Hearing::hear(const AudioBlock& audio, double audioStart, std::int64_t tick, HearingState& state)
{
    HeardTick out;
    if (audio.sampleRate > 0 && audio.channels > 0) {
        if (audio.sampleRate != m_rate)
            prepare(audio.sampleRate);
        loadWindow(audio, audioStart, tick);
        transform();
        out.levelDb = static_cast<float>(bandDb(150, 4000));
    }
    const double level = out.levelDb;
    state.level += (level > state.level ? .6 : .3) * (level - state.level);
    // floor: falls with the sound, rises slowly
    const bool starting = state.ticks < kTicksPerSecond / 2;
    state.floorDb = std::min(state.floorDb + (starting ? kFloorRiseStartDb : kFloorRiseDb), state.level);
    state.ticks = std::min<std::int32_t>(state.ticks + 1, 1 << 30);
    const double threshold = std::max({state.floorDb + kVoiceAboveFloorDb, state.referenceDb - kVoiceBelowReferenceDb, kVoiceMinDb});
    const bool voiced = level > threshold - (state.hangover > 0 ? kVoiceHysteresisDb : 0);
    state.hangover = voiced ? kHangoverTicks : std::max(0, state.hangover - 1);
    out.voice = state.hangover > 0 ? 1.f : 0.f;
    if (state.level > state.referenceDb)
        state.referenceDb += kReferenceRise * (state.level - state.referenceDb);
    else if (voiced)
        state.referenceDb -= kReferenceFallDb;
    if (!voiced)
        return out;
    // Rough formants. Open vowels put their first resonance above 500 Hz; spread ones their second above
    // 1.7 kHz; rounded ones leave little above 1.2 kHz; fricatives are louder above 4 kHz than below 1 kHz.
    const double low = bandDb(150, 450), first = bandDb(450, 1000), back = bandDb(800, 1500),
                 front = bandDb(1700, 3200), upper = bandDb(1200, 3400), high = bandDb(4000, 8000);
    const double body = std::max(low, first);
    // Recordings differ in their lows by more than vowels do: open is what is more open than usual.
    state.usualOpen += kOpenRate * (std::clamp(first - low, kOpenLowest, kOpenHighest) - state.usualOpen);
    out.open = static_cast<float>(sigmoid((first - low - state.usualOpen) / 4));
    out.wide = static_cast<float>(sigmoid((front - back + 2) / 4));
    out.round = static_cast<float>(sigmoid((body - upper - 18) / 4));
    out.hiss = static_cast<float>(sigmoid((high - body) / 3));
    return out;
}

} // namespace loquor::portrait
