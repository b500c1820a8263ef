// bench_portrait: what a video costs on this machine, end to end, as JSON. Everything is measured in one
// run, so ratios hold on a busy machine too.
#include "core/base/json.h"
#include "core/media/audio_convert.h"
#include "core/media/audio_reader.h"
#include "core/media/audio_writer.h"
#include "core/media/mp4_writer.h"
#include "core/media/video_reader.h"
#include "core/platform/paths.h"
#include "core/platform/signals.h"
#include "core/session/session.h"
#include "tests/bench/bench_options.h"
#include "tests/bench/job_runner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace fs = std::filesystem;
using namespace loquor;
using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

namespace {

struct Options
{
    double seconds = 60;
    double longSeconds = 0; // > 0: also a long run, for its memory
    int width = 1280, height = 720;
    fs::path photo, folder;
};

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

fs::path testMedia(const char* name)
{
    return platform::dataFolder() / "media" / "test" / name;
}

// `seconds` of natural speech: the test recordings one after the other, again and again.
Result<fs::path> makeRecording(const Options& options, double seconds, const char* name)
{
    const fs::path file = options.folder / name;
    LQ_TRY(media::WavWriter writer, media::WavWriter::create(file, 16000, 1, media::WavFormat::Int16,
                                                             platform::IfExists::Replace));
    auto left = static_cast<SampleIndex>(seconds * 16000);
    while (left > 0) {
        for (const char* part : {"two_cities.wav", "jfk.wav"}) {
            media::AudioReadOptions reading;
            reading.sampleRate = 16000;
            LQ_TRY(const AudioBlock audio, media::readAudio(testMedia(part), reading));
            const SampleIndex count = std::min(left, audio.frames());
            LQ_CHECKED(writer.write(audio.samples.data(), count));
            left -= count;
        }
    }
    LQ_CHECKED(writer.finish());
    return file;
}

// Runs one job to its end.
Result<session::RenderReport> run(session::Session& session, session::RenderRequest request)
{
    bench::JobRunner jobs(session);
    return jobs.wait(session.render(std::move(request)));
}

struct EncoderAlone
{
    double wallSeconds = 0, cpuSeconds = 0;
};

// The same frames through the same encoder with nothing else going on; decoding is not counted.
Result<EncoderAlone> encodeAgain(const fs::path& video, const Options& options)
{
    LQ_TRY(media::VideoReader reader, media::VideoReader::open(video));
    media::Mp4Options encoding;
    encoding.width = options.width;
    encoding.height = options.height;
    // As many as the engine uses. With one, all of x264 happens inside addFrame, so decoding costs nothing here.
    encoding.threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 2, 1, 2);
    LQ_TRY(media::Mp4Writer writer, media::Mp4Writer::create(options.folder / "again.mp4", encoding,
                                                             platform::IfExists::Replace));
    EncoderAlone out;
    for (;;) {
        LQ_TRY(const std::optional<media::TimedFrame> frame, reader.next());
        if (!frame)
            break;
        const auto start = Clock::now();
        LQ_CHECKED(writer.addFrame(frame->image));
        out.wallSeconds += secondsSince(start);
    }
    const auto start = Clock::now();
    LQ_TRY(const media::Mp4Summary summary, writer.finish());
    out.wallSeconds += secondsSince(start);
    out.cpuSeconds = summary.encoderCpuSeconds + summary.conversionCpuSeconds;
    return out;
}

session::RenderRequest requestFor(const Options& options, const char* output)
{
    session::RenderRequest request;
    request.reference = options.photo;
    request.settings.width = options.width;
    request.settings.height = options.height;
    request.output = options.folder / output;
    request.overwrite = true;
    return request;
}

ordered_json summaryOf(const session::RenderReport& report)
{
    ordered_json stages = ordered_json::object();
    for (const auto& [name, cost] : report.stages)
        stages[name] = cost.cpuSeconds;
    return {{"video_s", report.durationSeconds},
            {"total_s", report.totalSeconds},
            {"realtime_factor", report.realtimeFactor},
            {"first_frame_s", report.firstFrameSeconds},
            {"engine_cpu_per_s", report.engineCpuSeconds / report.durationSeconds},
            {"encoder_cpu_per_s", report.encoderCpuSeconds / report.durationSeconds},
            {"peak_rss_mb", report.peakRssMb},
            {"stage_cpu_s", stages}};
}

constexpr const char* kText =
    "Good evening, and welcome to the studio. Tonight we look at the small machines that changed how people "
    "talk to each other. Some of them fit into a pocket. Others fill a room, and hum quietly in the dark.";

Result<ordered_json> measure(const Options& options)
{
    session::SessionOptions sessionOptions;
    sessionOptions.preview = false;
    sessionOptions.cacheFolder = options.folder / "cache";
    ordered_json out;
    out["size"] = std::to_string(options.width) + "x" + std::to_string(options.height);
    LQ_TRY(const fs::path recording, makeRecording(options, options.seconds, "speech.wav"));
    {
        LQ_TRY(auto session, session::createSession(sessionOptions));
        session::RenderRequest request = requestFor(options, "recording.mp4");
        request.speech.audioFile = recording;
        LQ_TRY(const session::RenderReport cold, run(*session, request));
        out["recording_cold"] = summaryOf(cold);
        LQ_TRY(const EncoderAlone alone, encodeAgain(request.output, options));
        out["encoder_alone"] = {{"wall_s", alone.wallSeconds}, {"cpu_s", alone.cpuSeconds}};
        out["total_over_encoder_alone"] = cold.totalSeconds / alone.wallSeconds;
        LQ_TRY(request.speech.audioFile, makeRecording(options, 3, "clause.wav"));
        LQ_TRY(const session::RenderReport warm, run(*session, request));
        out["recording_warm"] = summaryOf(warm);
    }
    fs::remove_all(sessionOptions.cacheFolder);
    {
        LQ_TRY(auto session, session::createSession(sessionOptions));
        session::RenderRequest request = requestFor(options, "text.mp4");
        request.speech.text = kText;
        LQ_TRY(const session::RenderReport text, run(*session, request));
        out["text_cold"] = summaryOf(text);
        request.speech.text = "Good evening, and welcome.";
        LQ_TRY(const session::RenderReport warm, run(*session, request));
        out["text_warm"] = summaryOf(warm);
    }
    if (options.longSeconds > 0) {
        // Which buffers are full at the same moment differs from run to run by some 20 MB: medians, in turns.
        constexpr int kTurns = 3;
        std::map<double, std::vector<double>> peaks;
        for (int turn = 0; turn < kTurns; ++turn) {
            for (const double seconds : {20.0, options.longSeconds}) {
                LQ_TRY(auto session, session::createSession(sessionOptions));
                session::RenderRequest request = requestFor(options, "long.mp4");
                LQ_TRY(request.speech.audioFile, makeRecording(options, seconds, "long.wav"));
                LQ_TRY(const session::RenderReport report, run(*session, request));
                peaks[seconds].push_back(report.peakRssMb);
            }
        }
        for (auto& [seconds, values] : peaks) {
            std::sort(values.begin(), values.end());
            out["peak_rss_mb_" + std::to_string(static_cast<int>(seconds)) + "s"] = values;
        }
        out["peak_rss_ratio"] = peaks[options.longSeconds][kTurns / 2] / peaks[20.0][kTurns / 2];
    }
    return out;
}

std::optional<int> readOptions(int argc, char** argv, Options& out)
{
    out.photo = platform::dataFolder() / "media" / "demo" / "astronaut.png";
    CLI::App app("What single runs cost, end to end, as JSON", "bench_portrait");
    app.add_option("--seconds", out.seconds, "Length of the video, about")->check(CLI::Range(1.0, 36'000.0));
    app.add_option("--long", out.longSeconds, "Length of a second, long one, for its memory")
        ->check(CLI::Range(0.0, 36'000.0));
    app.add_option("--photo", out.photo, "Photo of the person")->check(CLI::ExistingFile);
    bench::addSize(app, out.width, out.height);
    return bench::parse(app, argc, argv);
}

} // namespace

int main(int argc, char** argv)
{
    platform::ignorePipeAndSizeSignals();
    Options options;
    if (const auto code = readOptions(argc, argv, options))
        return *code;
    options.folder = fs::temp_directory_path() / ("loquor-bench-" + std::to_string(Clock::now().time_since_epoch().count()));
    fs::create_directories(options.folder);
    const auto result = measure(options);
    std::error_code ignored;
    fs::remove_all(options.folder, ignored);
    if (!result) {
        std::fprintf(stderr, "bench_portrait: %s\n", result.error().logText().c_str());
        return 1;
    }
    std::printf("%s\n", result->dump(2).c_str());
    return 0;
}
