// Costs of core/media on this machine, as JSON: RGB to YUV (own and FFmpeg's), the MP4 writer with
// a moving photo, loading of a large JPEG, decoding of a video and of sound.
// Chunks: writing segments, ten minutes of them copied into one file, and encoded anew beside x264 alone on the
// same pictures (medians of five, by turns).
//   bench_media PHOTO [FRAMES]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

extern "C" {
#include <libswscale/swscale.h>
}

#include "core/base/trace.h"
#include "core/media/audio_reader.h"
#include "core/media/audio_writer.h"
#include "core/media/image_loader.h"
#include "core/media/mp4_encoders.h"
#include "core/media/mp4_writer.h"
#include "core/media/segments.h"
#include "core/media/video_reader.h"
#include "core/media/yuv.h"
#include "tests/bench/bench_options.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/core/media/picture_files.h"

using namespace loquor;
using namespace loquor::media;
namespace fs = std::filesystem;

namespace {

constexpr int kWidth = 1280, kHeight = 720;

double cpuNow()
{
    return processCpuSeconds();
}

template<class Work>
double medianMs(int runs, Work work)
{
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const double before = threadCpuSeconds();
        work();
        times.push_back((threadCpuSeconds() - before) * 1e3);
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[static_cast<std::size_t>(runs / 2)];
}

// The photo filling the frame, its middle swaying by some pixels as a talking head does.
Image swaying(const Image& photo, int index)
{
    Image out(kWidth, kHeight, 3);
    const double scale = std::min(static_cast<double>(photo.width) / kWidth,
                                  static_cast<double>(photo.height) / kHeight);
    const double sway = 4 * std::sin(index * 0.15);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            const double near =
                std::exp(-(std::pow((x - 640) / 200.0, 2) + std::pow((y - 330) / 220.0, 2)));
            const int u =
                std::clamp(static_cast<int>((x + sway * near) * scale), 0, photo.width - 1);
            const int v =
                std::clamp(static_cast<int>((y + 2 * sway * near) * scale), 0, photo.height - 1);
            std::copy_n(photo.row(v) + 3 * u, 3, out.row(y) + 3 * x);
        }
    return out;
}

struct Yuv
{
    std::vector<std::uint8_t> y, u, v;
    Yuv() : y(kWidth * kHeight), u(y.size() / 4), v(y.size() / 4) {}
};

double swscaleMs(const Image& image, int flags)
{
    Yuv to;
    SwsContext* context = sws_getContext(kWidth, kHeight, AV_PIX_FMT_RGB24, kWidth, kHeight,
                                         AV_PIX_FMT_YUV420P, flags, nullptr, nullptr, nullptr);
    sws_setColorspaceDetails(context, sws_getCoefficients(SWS_CS_DEFAULT), 1,
                             sws_getCoefficients(SWS_CS_ITU709), 0, 0, 1 << 16, 1 << 16);
    const std::uint8_t* from[4] = {image.data.data(), nullptr, nullptr, nullptr};
    const int fromStride[4] = {static_cast<int>(image.stride()), 0, 0, 0};
    std::uint8_t* planes[4] = {to.y.data(), to.u.data(), to.v.data(), nullptr};
    const int strides[4] = {kWidth, kWidth / 2, kWidth / 2, 0};
    const double ms =
        medianMs(60, [&] { sws_scale(context, from, fromStride, 0, kHeight, planes, strides); });
    sws_freeContext(context);
    return ms;
}

double wallNow()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What chunks cost. Seconds; CPU seconds are those of all threads.
struct ChunkCosts
{
    double writeMsPerFrame = 0, mbitPerSecond = 0;
    double copyWall = 0, copyCpu = 0;
    std::string again; // JSON
};

// Wall and processor seconds of what was run.
struct Cost
{
    double wall = 0, cpu = 0;
};

template<class Work>
Cost costOf(Work work)
{
    const double cpu = cpuNow(), wall = wallNow();
    work();
    return {wallNow() - wall, cpuNow() - cpu};
}

double median(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

std::vector<AvFramePtr> yuvOf(const fs::path& video)
{
    std::vector<AvFramePtr> pictures;
    auto reader = VideoReader::open(video);
    while (reader) {
        const auto frame = reader->next();
        if (!frame || !*frame)
            break;
        const Image& image = (*frame)->image;
        AvFramePtr picture = makeFrame();
        picture->format = AV_PIX_FMT_YUV420P;
        picture->width = image.width;
        picture->height = image.height;
        av_frame_get_buffer(picture.get(), 0);
        rgbToYuv420(image.data.data(), static_cast<std::ptrdiff_t>(image.stride()), image.width, image.height,
                    {picture->data[0], picture->data[1], picture->data[2], picture->linesize[0], picture->linesize[1],
                     picture->linesize[2]});
        pictures.push_back(std::move(picture));
    }
    return pictures;
}

// Pictures through x264 and nothing else.
bool encodeAlone(const std::vector<AvFramePtr>& pictures, const Mp4Options& options)
{
    auto encoder = H264Encoder::create(codingOf(options), true);
    const PacketSink sink = [](AVPacket& packet) -> Result<> {
        av_packet_unref(&packet);
        return {};
    };
    bool fine = encoder.has_value();
    for (const AvFramePtr& picture : pictures)
        fine = fine && encoder->encodeYuv(*picture, sink);
    return fine && encoder->encode(nullptr, sink);
}

SoundSource soundFor(double seconds)
{
    auto left = std::make_shared<SampleIndex>(std::llround(seconds * 22050));
    AudioBlock second = test::sine(22050, 1, 1.0, 180);
    for (std::size_t i = 0; i < second.samples.size(); ++i) // syllables of a buzz
        second.samples[i] *= static_cast<float>(std::sin(static_cast<double>(i) * .01) * std::sin(static_cast<double>(i) * 8e-4));
    return [left, second](SampleIndex) -> Result<AudioBlock> {
        AudioBlock out = second;
        out.samples.resize(static_cast<std::size_t>(std::min<SampleIndex>(*left, 22050)));
        *left -= out.frames();
        return out;
    };
}

// Adds an object to `json`: ten seconds of chunks into a video with other settings, beside x264 alone.
bool measureAgain(const fs::path& file, const std::vector<SegmentPart>& parts, ExportOptions options, std::string& json)
{
    options.video.quality = 22;
    options.video.threads = 0;
    const double seconds = static_cast<double>(parts.size());
    bool fine = encodeSegments(file, parts, options, soundFor(seconds), platform::IfExists::Replace).has_value();
    const std::vector<AvFramePtr> pictures = yuvOf(file);
    std::vector<double> wall, cpu, aloneWall, aloneCpu;
    for (int i = 0; i < 5 && fine; ++i) {
        const Cost again = costOf([&] {
            fine = encodeSegments(file, parts, options, soundFor(seconds), platform::IfExists::Replace).has_value();
        });
        const Cost alone = costOf([&] { fine = fine && encodeAlone(pictures, options.video); });
        wall.push_back(again.wall);
        cpu.push_back(again.cpu);
        aloneWall.push_back(alone.wall);
        aloneCpu.push_back(alone.cpu);
    }
    char text[300];
    std::snprintf(text, sizeof text,
                  "%s{\"size\": \"%dx%d\", \"frames\": %zu, \"wall_s\": %.3f, \"cpu_s\": %.3f, \"x264_wall_s\": %.3f, "
                  "\"x264_cpu_s\": %.3f, \"wall_ratio\": %.3f, \"cpu_ratio\": %.3f}",
                  json.size() > 1 ? ",\n  " : "", options.video.width, options.video.height, pictures.size(), median(wall),
                  median(cpu), median(aloneWall), median(aloneCpu), median(wall) / median(aloneWall),
                  median(cpu) / median(aloneCpu));
    json += text;
    return fine && pictures.size() == parts.size() * 25;
}

bool measureChunks(const std::vector<Image>& loop, const std::filesystem::path& folder, ChunkCosts& costs)
{
    constexpr int kSegments = 20, kFrames = 25;
    std::vector<SegmentPart> second;
    std::uint64_t bytes = 0;
    const double cpu = cpuNow();
    for (int k = 0; k < kSegments; ++k) {
        second.push_back({folder / ("segment" + std::to_string(k) + ".mp4"), 0, kFrames});
        auto writer = SegmentWriter::create(second.back().file, {kWidth, kHeight, {25, 1}, {6}}, platform::IfExists::Replace);
        for (int i = 0; i < kFrames && writer; ++i)
            if (!writer->addFrame(loop[static_cast<std::size_t>(k * kFrames + i) % loop.size()]))
                return false;
        const auto done = writer->finish();
        if (!done)
            return false;
        bytes += done->bytes;
    }
    costs.writeMsPerFrame = (cpuNow() - cpu) * 1e3 / (kSegments * kFrames);
    costs.mbitPerSecond = static_cast<double>(bytes) * 8e-6 / kSegments;

    ExportOptions options;
    options.video.width = kWidth;
    options.video.height = kHeight;
    options.video.audioRate = 22050;
    options.video.threads = 2;
    std::vector<SegmentPart> all;
    for (int k = 0; k < 600; ++k)
        all.push_back(second[static_cast<std::size_t>(k % kSegments)]);
    const double copyCpu = cpuNow(), copyWall = wallNow();
    const auto copied = copySegments(folder / "copy.mp4", all, options, soundFor(600), platform::IfExists::Replace);
    costs.copyWall = wallNow() - copyWall;
    costs.copyCpu = cpuNow() - copyCpu;
    if (!copied)
        return false;

    all.resize(10);
    costs.again = "[";
    for (const auto& [width, height] : {std::pair{kWidth, kHeight}, {1920, 1080}, {960, 540}, {640, 360}}) {
        options.video.width = width;
        options.video.height = height;
        if (!measureAgain(folder / "again.mp4", all, options, costs.again))
            return false;
    }
    costs.again += "]";
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    std::filesystem::path file;
    int frames = 250;
    CLI::App app("What pictures, sound and video cost, as JSON", "bench_media");
    app.add_option("photo", file, "Photo to make moving pictures of")->required()->check(CLI::ExistingFile);
    app.add_option("frames", frames, "Frames to encode")->check(CLI::Range(1, 1'000'000));
    if (const auto code = bench::parse(app, argc, argv))
        return *code;
    const auto photo = loadImage(file);
    if (!photo) {
        std::fprintf(stderr, "%s\n", photo.error().text().c_str());
        return 1;
    }
    std::vector<Image> loop;
    for (int i = 0; i < 42; ++i) // one period of the sway
        loop.push_back(swaying(photo->image, i));
    Yuv to;
    const YuvPlanes planes{to.y.data(), to.u.data(), to.v.data(), kWidth, kWidth / 2, kWidth / 2};
    const auto stride = static_cast<std::ptrdiff_t>(loop[0].stride());
    const double own =
        medianMs(60, [&] { rgbToYuv420(loop[0].data.data(), stride, kWidth, kHeight, planes); });
    const double plain = medianMs(20, [&] {
        media::detail::rgbToYuv420With(false, loop[0].data.data(), stride, kWidth, kHeight, planes);
    });

    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / "loquor-bench-media";
    std::filesystem::create_directories(folder);
    Mp4Options options;
    options.width = kWidth;
    options.height = kHeight;
    options.audioRate = 22050;
    const double cpuBefore = cpuNow();
    const auto wallBefore = std::chrono::steady_clock::now();
    auto writer = Mp4Writer::create(folder / "a.mp4", options, platform::IfExists::Replace);
    const AudioBlock second = test::sine(22050, 1, 1.0);
    for (int i = 0; i < frames; ++i) {
        if (!writer->addFrame(loop[static_cast<std::size_t>(i) % loop.size()]))
            return 1;
        if (i % 25 == 0 && !writer->addAudio(second.samples.data(), second.frames()))
            return 1;
    }
    const auto summary = writer->finish();
    if (!summary) {
        std::fprintf(stderr, "%s\n", summary.error().text().c_str());
        return 1;
    }
    const double wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - wallBefore).count();
    const double cpu = cpuNow() - cpuBefore;

    const double decodeBefore = cpuNow();
    auto reader = VideoReader::open(folder / "a.mp4");
    int decoded = 0;
    while (reader && *reader->next())
        ++decoded;
    const double decodeMs = (cpuNow() - decodeBefore) * 1e3 / std::max(decoded, 1);

    const test::Bytes jpeg = test::makeJpeg(test::noise(4000, 3000, 1), {});
    const double loadMs = medianMs(3, [&] { loadImage(jpeg, "bench"); });

    const AudioBlock minute = test::sine(44100, 2, 60);
    if (!writeWav(folder / "m.wav", minute))
        return 1;
    AudioReadOptions to16k;
    to16k.sampleRate = 16000;
    const double audioMs = medianMs(3, [&] { readAudio(folder / "m.wav", to16k); });
    ChunkCosts chunks;
    if (!measureChunks(loop, folder, chunks)) {
        std::fprintf(stderr, "the chunks could not be measured\n");
        return 1;
    }
    std::filesystem::remove_all(folder);

    const double seconds = summary->videoSeconds;
    std::printf(
        "{\"rgb_to_yuv_ms\": %.3f, \"rgb_to_yuv_plain_ms\": %.3f, \"swscale_bicubic_ms\": %.3f, "
        "\"swscale_accurate_ms\": %.3f,\n \"mp4_frames\": %d, \"mp4_wall_s\": %.3f, \"mp4_cpu_s\": "
        "%.3f, "
        "\"encoder_cpu_per_s\": %.4f, \"conversion_cpu_per_s\": %.4f, \"other_cpu_per_s\": %.4f, "
        "\"mbit_per_s\": %.2f,\n \"decode_rgb_ms_per_frame\": %.3f, \"jpeg_12mp_ms\": %.1f, "
        "\"minute_44100_stereo_to_16000_ms\": %.1f,\n \"segment_write_ms_per_frame\": %.3f, "
        "\"segment_mbit_per_s\": %.2f, \"copy_10_minutes_wall_s\": %.3f, \"copy_10_minutes_cpu_s\": %.3f,\n "
        "\"encode_anew\": %s}\n",
        own, plain, swscaleMs(loop[0], SWS_BICUBIC),
        swscaleMs(loop[0], SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP), frames, wall, cpu,
        summary->encoderCpuSeconds / seconds, summary->conversionCpuSeconds / seconds,
        (cpu - summary->encoderCpuSeconds - summary->conversionCpuSeconds) / seconds,
        static_cast<double>(summary->bytes) * 8e-6 / seconds, decodeMs, loadMs, audioMs, chunks.writeMsPerFrame,
        chunks.mbitPerSecond, chunks.copyWall, chunks.copyCpu, chunks.again.c_str());
    return 0;
}
