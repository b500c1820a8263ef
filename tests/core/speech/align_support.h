// What the tests of alignment share.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/random.h"
#include "core/speech/align.h"
#include "tests/core/speech/speech_support.h"
#include "tests/support/readings.h"

namespace loquor::speechtest {

using speech::AlignOptions;
using speech::AlignStream;
using speech::Timing;
using speech::Word;

inline AudioBlock readRecording(const std::string& name)
{
    return test::readRecording(dataFolder() / "media" / "test" / name);
}

inline AlignOptions inLanguage(const char* language)
{
    AlignOptions out;
    out.language = language;
    return out;
}

inline AudioBlock repeated(const AudioBlock& audio, int times)
{
    AudioBlock out = audio;
    for (int i = 1; i < times; ++i)
        out.samples.insert(out.samples.end(), audio.samples.begin(), audio.samples.end());
    return out;
}

inline std::vector<double> startErrors(const Timing& timing, const Timing& reference)
{
    std::map<int, double> starts;
    for (const Word& w : reference.words)
        starts[w.textBegin] = w.start;
    std::vector<double> errors;
    for (const Word& w : timing.words) {
        if (starts.contains(w.textBegin))
            errors.push_back(std::abs(w.start - starts[w.textBegin]));
    }
    std::sort(errors.begin(), errors.end());
    return errors;
}

inline AudioBlock withNoise(AudioBlock sound, double decibelsBelow)
{
    double power = 0;
    for (const float s : sound.samples)
        power += static_cast<double>(s) * static_cast<double>(s);
    const double level = std::sqrt(power / static_cast<double>(sound.samples.size()) / std::pow(10, decibelsBelow / 10));
    Random random(7);
    for (float& s : sound.samples)
        s += static_cast<float>(level * random.normal());
    return sound;
}

// Fed half a second at a time. `held`: the most that waited in the stream, in samples.
inline Timing streamed(AlignStream& stream, const AudioBlock& audio, std::size_t& held)
{
    Timing all;
    std::size_t fed = 0;
    while (!stream.isOver()) {
        for (; stream.wantsSound() && fed < audio.samples.size(); fed += 8000) {
            const auto from = audio.samples.begin() + static_cast<std::ptrdiff_t>(fed);
            stream.add({from, from + static_cast<std::ptrdiff_t>(std::min<std::size_t>(8000, audio.samples.size() - fed))});
        }
        const double before = all.durationSeconds;
        const auto stretch = stream.next(fed >= audio.samples.size(), {});
        if (!stretch)
            return {};
        held = std::max(held, fed - static_cast<std::size_t>(before * 16000));
        all.words.insert(all.words.end(), stretch->timing.words.begin(), stretch->timing.words.end());
        all.durationSeconds = stretch->end;
    }
    return all;
}

} // namespace loquor::speechtest
