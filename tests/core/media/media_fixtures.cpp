#include "tests/core/media/media_fixtures.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/random.h"
#include "core/media/video_reader.h"
#include "core/platform/child_process.h"

namespace loquor::test {

Image movingPicture(int width, int height, int index)
{
    Image image(width, height, 3);
    for (int y = 0; y < height; ++y) {
        std::uint8_t* p = image.row(y);
        for (int x = 0; x < width; ++x, p += 3) {
            p[0] = static_cast<std::uint8_t>(40 + 150 * x / width);
            p[1] = static_cast<std::uint8_t>(40 + 150 * y / height);
            p[2] = static_cast<std::uint8_t>(90 + 20 * ((x / 16 + y / 16) % 2));
        }
    }
    const int size = std::max(8, width / 8);
    const int left = (index * 7) % std::max(1, width - size);
    for (int y = height / 3; y < std::min(height, height / 3 + size); ++y)
        for (int x = left; x < left + size; ++x)
            for (int c = 0; c < 3; ++c)
                image.row(y)[3 * x + c] = c == 0 ? 230 : 60;
    return image;
}

Image noise(int width, int height, unsigned seed)
{
    Random random(seed);
    Image image(width, height, 3);
    for (std::uint8_t& value : image.data)
        value = static_cast<std::uint8_t>(random.next() >> 56);
    return image;
}

AudioBlock sine(int sampleRate, int channels, double seconds, double hertz, float level)
{
    AudioBlock block;
    block.sampleRate = sampleRate;
    block.channels = channels;
    const auto frames = static_cast<std::int64_t>(std::llround(seconds * sampleRate));
    for (std::int64_t i = 0; i < frames; ++i) {
        const double phase = 2 * std::numbers::pi * hertz * static_cast<double>(i) / sampleRate;
        block.samples.insert(block.samples.end(), static_cast<std::size_t>(channels),
                             level * static_cast<float>(std::sin(phase)));
    }
    return block;
}

std::vector<Image> decoded(const std::filesystem::path& file)
{
    std::vector<Image> out;
    auto reader = media::VideoReader::open(file);
    while (reader) {
        auto frame = reader->next();
        if (!frame || !*frame)
            break;
        out.push_back(std::move((*frame)->image));
    }
    return out;
}

double psnr(const Image& a, const Image& b)
{
    if (a.data.size() != b.data.size() || a.isEmpty())
        return 0;
    double sum = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i) {
        const double d = static_cast<double>(a.data[i]) - b.data[i];
        sum += d * d;
    }
    const double mean = sum / static_cast<double>(a.data.size());
    return mean > 0 ? 10 * std::log10(255.0 * 255.0 / mean) : 99;
}

double rms(const AudioBlock& block, std::int64_t from, std::int64_t to, int channel)
{
    double sum = 0;
    for (std::int64_t i = from; i < to; ++i) {
        const double v = block.samples[static_cast<std::size_t>(i * block.channels + channel)];
        sum += v * v;
    }
    return std::sqrt(sum / static_cast<double>(to - from));
}

std::string runTool(const std::string& program, const std::vector<std::string>& arguments)
{
    platform::ChildOptions options;
    options.program = program;
    options.arguments = {"-hide_banner", "-v", "error"};
    if (program == "ffmpeg")
        options.arguments.insert(options.arguments.end(), {"-y", "-nostdin"});
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    const auto out = platform::runProgram(options, {}, std::chrono::seconds(60));
    if (!out)
        return "error: " + out.error().text();
    if (!out->status.isSuccess())
        return "error: " + out->errors;
    return out->output;
}

std::string ffprobe(const std::filesystem::path& file, const std::string& entry,
                    const std::string& stream, bool countFrames)
{
    std::vector<std::string> arguments;
    if (!stream.empty())
        arguments = {"-select_streams", stream};
    if (countFrames)
        arguments.push_back("-count_frames");
    arguments.insert(arguments.end(), {"-show_entries", entry, "-of", "default=nw=1:nk=1"});
    arguments.push_back("file:" + file.string());
    std::string text = runTool("ffprobe", arguments);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

int filesIn(const std::filesystem::path& folder)
{
    int count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder))
        ++count;
    return count;
}

} // namespace loquor::test
