// The description of a voice that somebody put into the voices folder.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "core/speech/piper_voice.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("loquor-fuzz-" + std::to_string(getpid()) + ".json");
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    const auto voice = loquor::speech::readPiperDescription(file);
    if (voice && (voice->sampleRate < 8000 || voice->sampleRate > 96000))
        std::abort();
    return 0;
}
