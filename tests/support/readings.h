// Recordings that set-up unpacks for tests and benches, and what is said in them.
#pragma once

#include <filesystem>

#include "core/media/audio_reader.h"

namespace loquor::test {

// What is said in jfk.wav.
inline constexpr const char* kKennedy = "And so, my fellow Americans: ask not what your country can do for you, ask what you "
                                        "can do for your country.";
// What is said in two_cities.wav.
inline constexpr const char* kTwoCities =
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, it "
    "was the epoch of belief, it was the epoch of incredulity, it was the season of Light, it was the season of "
    "Darkness, it was the spring of hope, it was the winter of despair, we had everything before us, we had nothing "
    "before us, we were all going direct to Heaven, we were all going direct the other way - in short, the period was "
    "so far like the present period, that some of its noisiest authorities insisted on its being received, for good "
    "or for evil, in the superlative degree of comparison only.";

// At the rate and with the channels of the file; nothing where it cannot be read.
inline AudioBlock readRecording(const std::filesystem::path& file)
{
    media::AudioReadOptions options;
    options.channels = 0;
    const auto block = media::readAudio(file, options);
    return block ? *block : AudioBlock{};
}

} // namespace loquor::test
