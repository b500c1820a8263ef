// Recordings and clips from outside: any bytes give sound and pictures within the limits, or an error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

extern "C" {
#include <libavutil/log.h>
}

#include "core/media/audio_reader.h"
#include "core/media/video_reader.h"

namespace {

using namespace loquor;

void demand(bool condition)
{
    if (!condition)
        std::abort();
}

void readSound(const std::filesystem::path& file)
{
    media::AudioReadOptions options;
    options.sampleRate = 16000;
    auto reader = media::AudioReader::open(file, options);
    for (int blocks = 0; reader && blocks < 50; ++blocks) {
        const auto block = reader->read(4000);
        if (!block || block->samples.empty())
            return;
        demand(block->frames() <= 4000 && block->sampleRate == 16000 && block->channels == 1);
        for (const float sample : block->samples)
            demand(std::isfinite(sample));
    }
}

void readPictures(const std::filesystem::path& file)
{
    media::VideoReadOptions options;
    options.maxPixels = 100'000;
    options.threads = 1;
    auto reader = media::VideoReader::open(file, options);
    for (int frames = 0; reader && frames < 5; ++frames) {
        const auto frame = reader->next();
        if (!frame || !*frame)
            return;
        const Image& image = (*frame)->image;
        demand(image.channels == 3 && std::int64_t{image.width} * image.height <= 110'000);
        demand(image.data.size() == image.stride() * static_cast<std::size_t>(image.height));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("loquor-fuzz-" + std::to_string(getpid()) + ".media");
    av_log_set_level(AV_LOG_QUIET);
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    readSound(file);
    readPictures(file);
    return 0;
}
