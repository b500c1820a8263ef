#include "tests/core/portrait/motion_test_support.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/random.h"
#include "core/portrait/viseme.h"

namespace loquor::portrait::made {

namespace {

// A buzz with two resonances for a vowel, a hiss for an s, a murmur for an m, nothing for a stop.
void addSound(AudioBlock& audio, const Sound& sound, const Viseme& viseme, Random& random)
{
    const double rate = audio.sampleRate;
    const auto from = static_cast<std::size_t>(sound.start * rate);
    const auto to = std::min(audio.samples.size(), static_cast<std::size_t>(sound.end * rate));
    const bool vowel = viseme.kind == SoundClass::Vowel;
    const bool hiss = sound.symbol == "s" || sound.symbol == "ʃ" || sound.symbol == "f";
    const bool stop = sound.symbol == "p" || sound.symbol == "t" || sound.symbol == "k" || sound.symbol == "b";
    const double level = sound.symbol.empty() ? 0 : vowel ? .25
                                                : hiss    ? .05
                                                : stop    ? .004
                                                          : .08;
    const double firstFormant = 280 + 550 * viseme.jaw, secondFormant = 1100 + 1100 * viseme.stretch - 400 * viseme.pucker;
    for (std::size_t i = from; i < to; ++i) {
        const double t = static_cast<double>(i) / rate;
        double value = 0;
        if (hiss) {
            value = random.normal();
        } else {
            for (double f = 110; f < 3600; f += 110) {
                const double gain = 1 / (1 + std::pow((f - firstFormant) / 120, 2)) + .5 / (1 + std::pow((f - secondFormant) / 200, 2));
                value += gain * std::sin(2 * std::numbers::pi * f * t);
            }
        }
        const double edge = std::min({1.0, (t - sound.start) / .01, (sound.end - t) / .01});
        audio.samples[i] += static_cast<float>(level * value * std::max(0.0, edge));
    }
}

} // namespace

Speech makeSpeech(std::uint64_t seed, double seconds, double phonesPerSecond, int sampleRate)
{
    static const std::vector<const char*> kConsonants{"p", "b", "m", "t", "s", "k", "n", "l", "f", "w", "ʃ", "ɹ"};
    static const std::vector<const char*> kVowels{"a", "ɛ", "iː", "oʊ", "uː", "ə", "æ", "aɪ"};
    Random random(seed);
    const auto pick = [&](const auto& list) { return list[static_cast<std::size_t>(random.uniform() * static_cast<double>(list.size()))]; };
    Speech speech;
    double at = .3;
    speech.sounds.push_back({"", 0, at, 1, false});
    bool vowel = false;
    while (at < seconds - 1) {
        double length = random.uniform(.6, 1.4) / phonesPerSecond;
        Sound sound{vowel ? pick(kVowels) : pick(kConsonants), at, at + length, 1, vowel && random.uniform() < .3};
        if (!vowel && random.uniform() < .04) {
            length = random.uniform(.15, .9);
            sound = {"", at, at + length, 1, false};
        }
        speech.sounds.push_back(sound);
        at += length;
        vowel = !vowel;
    }
    speech.sounds.push_back({"", at, seconds, 1, false});
    if (sampleRate == 0)
        return speech;
    speech.audio.sampleRate = sampleRate;
    speech.audio.channels = 1;
    speech.audio.samples.assign(static_cast<std::size_t>(std::llround(seconds * sampleRate)), 0.f);
    for (const Sound& sound : speech.sounds)
        addSound(speech.audio, sound, visemesOf(sound.symbol)[0].viseme, random);
    return speech;
}

AudioBlock makeVowel(const char* symbol, double seconds, int sampleRate)
{
    AudioBlock audio{sampleRate, 1, std::vector<float>(static_cast<std::size_t>(seconds * sampleRate), 0.f)};
    Random random(1);
    addSound(audio, {symbol, 0, seconds, 1, false}, visemesOf(symbol)[0].viseme, random);
    return audio;
}

FrameIndex frameCount(const Speech& speech, Rational fps)
{
    return framesCovering(speech.audio.frames(), speech.audio.sampleRate, fps);
}

SpeechWindow windowFor(const Speech& speech, Rational fps, FrameIndex first, int count)
{
    SpeechWindow window;
    const int rate = speech.audio.sampleRate;
    const double from = secondsOf(first, fps) - kLookBehindSeconds;
    const double to = secondsOf(first + count - 1, fps) + kLookAheadSeconds;
    const auto begin = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(from * rate)), 0, speech.audio.frames());
    const auto end = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(to * rate)), 0, speech.audio.frames());
    window.audio.sampleRate = rate;
    window.audio.channels = 1;
    window.audio.samples.assign(speech.audio.samples.begin() + begin, speech.audio.samples.begin() + end);
    window.audioStart = static_cast<double>(begin) / rate;
    window.isLast = end == speech.audio.frames();
    for (const Sound& sound : speech.sounds)
        if (sound.end > from && sound.start < to)
            window.sounds.push_back(sound);
    for (const Cue& cue : speech.cues)
        if (cue.time > from && cue.time < to)
            window.cues.push_back(cue);
    return window;
}

std::vector<Motion> solveInChunks(const Speech& speech, Rational fps, std::uint64_t seed, const std::vector<int>& sizes, Style style)
{
    MotionSolver solver(seed, fps, style);
    std::vector<Motion> frames;
    const FrameIndex total = frameCount(speech, fps);
    FrameIndex at = 0;
    for (std::size_t i = 0; at < total; ++i) {
        const auto count = static_cast<int>(std::min<FrameIndex>(sizes[i % sizes.size()], total - at));
        const auto part = solver.solve(windowFor(speech, fps, at, count), at, count);
        frames.insert(frames.end(), part.begin(), part.end());
        at += count;
    }
    return frames;
}

} // namespace loquor::portrait::made
