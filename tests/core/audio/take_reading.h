// Shared by the tests of this folder.
#pragma once

#include "core/media/audio_reader.h"

namespace loquor::audio {

// All of a take, with the channels it has; nothing where it cannot be read.
inline AudioBlock readTake(const std::filesystem::path& file)
{
    media::AudioReadOptions options;
    options.channels = 0;
    const auto block = media::readAudio(file, options);
    return block ? *block : AudioBlock{};
}

} // namespace loquor::audio
