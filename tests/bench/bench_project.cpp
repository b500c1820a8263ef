// bench_project: what projects cost, end to end, as JSON: rendering into the store, an edited word, exports,
// memory, and whether joins show. Everything is measured in one run.
#include "core/base/json.h"
#include "core/media/mp4_writer.h"
#include "core/media/video_reader.h"
#include "core/platform/paths.h"
#include "core/platform/signals.h"
#include "core/session/session.h"
#include "tests/bench/bench_options.h"
#include "tests/bench/job_runner.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
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
    double minutes = 2;
    int width = 1280, height = 720, edits = 5;
    std::string exports = "all"; // copy: without those that encode again; none
    fs::path photo, folder;
    std::string voice;
};

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double percentile(std::vector<double> values, double part)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, static_cast<std::size_t>(part * static_cast<double>(values.size())))];
}

// Sentences of usual length, no two of the first thousand the same, and late ones no longer than early ones:
// the longest clause decides how much memory a voice takes.
std::string sentence(int number)
{
    static const std::array kForms{"This is the story of a %s %s, and it has much to say.",
                                   "After it comes the %s %s, as you would all expect.",
                                   "We have now talked about a %s %s without a break.", "The %s %s is short.",
                                   "People like to hear about a %s %s, even when it is the one they were told of today."};
    static const std::array kHow{"small", "large", "green", "brown", "strange", "quick", "young", "old",
                                 "round", "bright", "cold", "warm", "kind", "loud", "soft", "plain"};
    static const std::array kWhat{"house", "train", "bird", "friend", "road", "bridge", "book", "field",
                                  "song", "clock", "dog", "tree", "boat", "street", "lamp", "king"};
    const auto i = static_cast<std::size_t>(number);
    char text[160];
    std::snprintf(text, sizeof text, kForms[i % 5], kHow[i * 7 % 16], kWhat[(i * 3 + i / 16) % 16]);
    return text;
}

project::Document makeProject(const Options& options, double seconds, std::uint64_t id)
{
    project::Document out;
    out.id = id;
    out.output.width = options.width;
    out.output.height = options.height;
    project::Scene& scene = out.scenes.front();
    scene.reference.file = options.photo;
    scene.speech.voice = options.voice;
    constexpr double kSecondsPerLine = 3.4; // about; the report says how long it really was
    const int lines = std::max(3, static_cast<int>(std::lround(seconds / kSecondsPerLine)));
    for (int i = 0; i < lines; ++i) {
        project::Line line;
        line.id = id * 100'000 + static_cast<std::uint64_t>(i) + 1;
        line.text = sentence(i + 1);
        scene.lines.push_back(std::move(line));
    }
    return out;
}

struct Outcome
{
    session::RenderReport report;
    double firstChunkSeconds = 0; // until the first chunk that was not there before lay in the store
    double seconds = 0;
    int chunksMade = 0, joinsMade = 0;
};

// Waits for the end of a job.
class Runner
{
public:
    explicit Runner(session::Session& session) : m_session(session), m_jobs(session) {}

    Result<Outcome> wait(session::CommandId job, Clock::time_point started)
    {
        Outcome out;
        LQ_TRY(out.report, m_jobs.wait(job, [&](const session::Event& event) {
            if (!event.chunk || event.chunk->cached)
                return;
            (event.chunk->kind == "N" ? out.chunksMade : out.joinsMade) += 1;
            if (out.firstChunkSeconds <= 0)
                out.firstChunkSeconds = secondsSince(started);
        }));
        out.seconds = secondsSince(started);
        return out;
    }
    Result<Outcome> render(const project::Document& document)
    {
        const auto started = Clock::now();
        session::ProjectRequest request;
        request.document = document;
        return wait(m_session.renderProject(std::move(request)), started);
    }
    Result<Outcome> exportVideo(session::ExportRequest request)
    {
        const auto started = Clock::now();
        return wait(m_session.exportProject(std::move(request)), started);
    }

private:
    session::Session& m_session;
    bench::JobRunner m_jobs;
};

Result<std::unique_ptr<session::Session>> openSession(const Options& options)
{
    session::SessionOptions out;
    out.preview = false;
    out.storeFolder = options.folder / "store";
    return session::createSession(out);
}

// The steps from picture to picture: mean luma, mean colour, and how much changes.
struct Steps
{
    std::vector<double> luma, colour, change; // [k]: from frame k to k + 1
    std::int64_t same = 0;                    // frames equal to the one before
};

struct Means
{
    double luma = 0, red = 0, blue = 0;
};

Means meansOf(const Image& image)
{
    Means out;
    for (std::size_t i = 0; i + 2 < image.data.size(); i += 3) {
        const double r = image.data[i], g = image.data[i + 1], b = image.data[i + 2];
        out.luma += .2126 * r + .7152 * g + .0722 * b;
        out.red += r - g;
        out.blue += b - g;
    }
    const double count = static_cast<double>(image.data.size()) / 3;
    return {out.luma / count, out.red / count, out.blue / count};
}

double changeBetween(const Image& a, const Image& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.data.size(); i += 7) // every channel in turn
        sum += std::abs(static_cast<int>(a.data[i]) - static_cast<int>(b.data[i]));
    return sum * 7 / static_cast<double>(a.data.size());
}

Result<Steps> measureSteps(const fs::path& video)
{
    LQ_TRY(media::VideoReader reader, media::VideoReader::open(video));
    Steps out;
    std::optional<Image> before;
    Means last;
    for (;;) {
        LQ_TRY(std::optional<media::TimedFrame> frame, reader.next());
        if (!frame)
            return out;
        const Means now = meansOf(frame->image);
        if (before) {
            out.luma.push_back(std::abs(now.luma - last.luma));
            out.colour.push_back(std::hypot(now.red - last.red, now.blue - last.blue));
            out.change.push_back(changeBetween(*before, frame->image));
            out.same += out.change.back() == 0 ? 1 : 0;
        }
        last = now;
        before = std::move(frame->image);
    }
}

// Steps at joins (into and out of each) against those everywhere else.
ordered_json seamsOf(const Steps& steps, const std::vector<FrameIndex>& joins, int joinFrames)
{
    const auto split = [&](const std::vector<double>& all) -> ordered_json {
        std::vector<double> at, inside;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto frame = static_cast<FrameIndex>(i) + 1;
            const bool seam = std::any_of(joins.begin(), joins.end(), [&](FrameIndex join) {
                return frame == join || frame == join + joinFrames;
            });
            (seam ? at : inside).push_back(all[i]);
        }
        return {{"median_at_joins", percentile(at, .5)},
                {"p95_inside", percentile(inside, .95)},
                {"p95_at_joins", percentile(at, .95)}};
    };
    return {{"joins", joins.size()},
            {"luma", split(steps.luma)},
            {"colour", split(steps.colour)},
            {"change", split(steps.change)},
            {"repeated_frames", steps.same}};
}

std::vector<FrameIndex> joinPlaces(const session::RenderReport& exported)
{
    std::vector<FrameIndex> out;
    FrameIndex at = 0;
    for (const session::ChunkReport& chunk : exported.chunks) {
        if (chunk.kind == "I")
            out.push_back(at); // in front of the line whose first frames it replaces
        else
            at += chunk.frames;
    }
    return out;
}

Result<std::vector<Image>> picturesOf(const fs::path& video)
{
    LQ_TRY(media::VideoReader reader, media::VideoReader::open(video));
    std::vector<Image> out;
    for (;;) {
        LQ_TRY(std::optional<media::TimedFrame> frame, reader.next());
        if (!frame)
            return out;
        out.push_back(std::move(frame->image));
    }
}

// Seconds that x264 needs for pictures that lie in memory, with nothing else going on.
Result<double> encodeAlone(const std::vector<Image>& pictures, const Options& options, int quality)
{
    media::Mp4Options encoding;
    encoding.width = pictures.front().width;
    encoding.height = pictures.front().height;
    encoding.quality = quality;
    const auto start = Clock::now();
    LQ_TRY(media::Mp4Writer writer, media::Mp4Writer::create(options.folder / "alone.mp4", encoding,
                                                             platform::IfExists::Replace));
    for (const Image& picture : pictures)
        LQ_CHECKED(writer.addFrame(picture));
    LQ_TRY(const media::Mp4Summary summary, writer.finish());
    return secondsSince(start) - summary.conversionCpuSeconds; // RGB to YUV is not x264
}

// Exports that must encode again beside x264 alone on the same pictures, by turns; medians of five.
Result<ordered_json> measureEncoding(Runner& runner, const project::Document& document, const Options& options,
                                     int width, int height)
{
    constexpr int kQuality = 20;
    const fs::path encoded = options.folder / "encoded.mp4";
    session::ExportRequest request;
    request.document = document;
    request.output = encoded;
    request.overwrite = true;
    request.quality = kQuality;
    request.width = width;
    request.height = height;
    std::vector<double> again, alone;
    std::vector<Image> pictures;
    for (int i = 0; i < 5; ++i) {
        LQ_TRY(const Outcome outcome, runner.exportVideo(request));
        again.push_back(outcome.seconds);
        if (pictures.empty()) {
            LQ_TRY(pictures, picturesOf(encoded));
        }
        LQ_TRY(const double seconds, encodeAlone(pictures, options, kQuality));
        alone.push_back(seconds);
    }
    return ordered_json{{"size", std::to_string(width) + "x" + std::to_string(height)},
                        {"frames", pictures.size()},
                        {"encode_s", percentile(again, .5)},
                        {"x264_alone_s", percentile(alone, .5)},
                        {"encode_by_x264", percentile(again, .5) / percentile(alone, .5)}};
}

// Words changed one after the other, in lines spread over the project.
Result<ordered_json> measureEdits(Runner& runner, project::Document& document, const Options& options)
{
    std::vector<double> first, whole, ratio;
    int chunks = 0, joins = 0, expected = 0;
    auto& lines = document.scenes.front().lines;
    for (int i = 0; i < options.edits; ++i) {
        const std::size_t place = 1 + static_cast<std::size_t>(i) * (lines.size() - 2) /
                                          static_cast<std::size_t>(std::max(1, options.edits));
        lines[place].text = "This changed sentence is number " + std::to_string(i + 1) + " of its kind.";
        LQ_TRY(const Outcome outcome, runner.render(document));
        double seconds = 0;
        for (const session::ChunkReport& chunk : outcome.report.chunks) {
            if (chunk.kind != "N" || chunk.line != static_cast<int>(place) + 1)
                continue;
            ++expected;
            seconds += secondsOf(chunk.frames, outcome.report.fps);
        }
        first.push_back(outcome.report.firstFrameSeconds);
        whole.push_back(outcome.seconds);
        ratio.push_back(outcome.seconds / seconds);
        chunks += outcome.chunksMade;
        joins += outcome.joinsMade;
    }
    return ordered_json{{"edits", options.edits},
                        {"chunks_made", chunks},
                        {"chunks_of_these_lines", expected},
                        {"joins_made", joins},
                        {"first_frame_s", percentile(first, .5)},
                        {"all_s", percentile(whole, .5)},
                        {"all_by_line_duration", percentile(ratio, .5)}};
}

// A line of three clauses of three seconds each, changed again and again: the first picture must not wait for all
// of it to be said.
Result<ordered_json> measureLongEdits(Runner& runner, project::Document& document, const Options& options)
{
    std::vector<double> first, whole;
    double seconds = 0;
    project::Line& line = document.scenes.front().lines[1];
    for (int i = 0; i < options.edits; ++i) {
        line.text = "This is the long sentence that we change for the " + std::to_string(i + 1) +
                    "th time, and it goes on with a second part that is just as long as it, before it comes to an "
                    "end with a third one that nobody had expected.";
        LQ_TRY(const Outcome outcome, runner.render(document));
        first.push_back(outcome.report.firstFrameSeconds);
        whole.push_back(outcome.seconds);
        seconds = 0;
        for (const session::ChunkReport& chunk : outcome.report.chunks)
            seconds += chunk.kind == "N" && chunk.line == 2 ? secondsOf(chunk.frames, outcome.report.fps) : 0;
    }
    return ordered_json{{"line_s", seconds}, {"first_frame_s", percentile(first, .5)}, {"all_s", percentile(whole, .5)}};
}

Result<ordered_json> measureExports(Runner& runner, const project::Document& document, const Options& options)
{
    session::ExportRequest copy;
    copy.document = document;
    copy.output = options.folder / "copied.mp4";
    copy.overwrite = true;
    std::vector<double> copies;
    Outcome last;
    for (int i = 0; i < 5; ++i) {
        LQ_TRY(last, runner.exportVideo(copy));
        copies.push_back(last.seconds);
    }
    ordered_json out{{"seconds_of_video", last.report.durationSeconds}, {"copy_s", percentile(copies, .5)}};
    // Encoding and looking at frames take long: the first lines will do.
    auto& lines = copy.document.scenes.front().lines;
    constexpr std::size_t kLinesLookedAt = 24, kLinesEncoded = 3;
    lines.resize(std::min(kLinesLookedAt, lines.size()));
    LQ_TRY(last, runner.exportVideo(copy));
    LQ_TRY(const Steps steps, measureSteps(copy.output));
    constexpr int kJoinFrames = 6;
    out["missing_frames"] = last.report.frames - static_cast<std::int64_t>(steps.luma.size()) - 1;
    out["seams"] = seamsOf(steps, joinPlaces(last.report), kJoinFrames);
    if (options.exports == "copy")
        return out;
    lines.resize(std::min(kLinesEncoded, lines.size()));
    for (const auto& [above, below] : {std::pair{1, 1}, {3, 2}, {1, 2}}) {
        LQ_TRY(ordered_json encoding, measureEncoding(runner, copy.document, options, options.width * above / below,
                                                      options.height * above / below));
        out["encode_again"].push_back(std::move(encoding));
    }
    return out;
}

Result<ordered_json> measure(const Options& options)
{
    ordered_json out;
    // One program makes them all, as users do.
    LQ_TRY(const auto session, openSession(options));
    Runner runner(*session);
    LQ_TRY(const Outcome cold, runner.render(makeProject(options, 20, 1)));
    LQ_TRY(const Outcome warm, runner.render(makeProject(options, 20, 2)));
    out["short"] = {{"seconds_of_video", warm.report.durationSeconds},
                    {"peak_rss_mb", std::max(cold.report.peakRssMb, warm.report.peakRssMb)},
                    {"first_frame_cold_s", cold.report.firstFrameSeconds},
                    {"first_frame_warm_s", warm.report.firstFrameSeconds}};
    project::Document document = makeProject(options, options.minutes * 60, 3);
    LQ_TRY(const Outcome whole, runner.render(document));
    out["long"] = {{"seconds_of_video", whole.report.durationSeconds},
                   {"seconds", whole.seconds},
                   {"realtime_factor", whole.report.realtimeFactor},
                   {"chunks", whole.chunksMade},
                   {"joins", whole.joinsMade},
                   {"peak_rss_mb", whole.report.peakRssMb},
                   {"rss_by_short", whole.report.peakRssMb / out["short"]["peak_rss_mb"].get<double>()}};
    LQ_TRY(const Outcome nothing, runner.render(document));
    out["nothing_to_do_s"] = nothing.seconds;
    LQ_TRY(out["edit"], measureEdits(runner, document, options));
    LQ_TRY(out["edit_of_three_clauses"], measureLongEdits(runner, document, options));
    if (options.exports != "none") {
        LQ_TRY(out["export"], measureExports(runner, document, options));
    }
    return out;
}

// What the command line says, or the exit code of a bench that must not run.
std::optional<int> readOptions(int argc, char** argv, Options& out)
{
    out.photo = platform::dataFolder() / "media" / "test" / "astronaut.png";
    CLI::App app("What projects cost, end to end, as JSON", "bench_project");
    app.add_option("--minutes", out.minutes, "Length of the project, about")->check(CLI::Range(.1, 600.0));
    app.add_option("--photo", out.photo, "Photo of the person")->check(CLI::ExistingFile);
    app.add_option("--voice", out.voice, "Voice id");
    app.add_option("--edits", out.edits, "Words changed one after the other")->check(CLI::Range(1, 1000));
    app.add_option("--exports", out.exports, "What of exports: none, copy or all")
        ->check(CLI::IsMember({"none", "copy", "all"}));
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
    options.folder = fs::temp_directory_path() / ("loquor-bench-project-" + std::to_string(Clock::now().time_since_epoch().count()));
    fs::create_directories(options.folder);
    const auto result = measure(options);
    std::error_code ignored;
    fs::remove_all(options.folder, ignored);
    if (!result) {
        std::fprintf(stderr, "bench_project: %s\n", result.error().text().c_str());
        return 1;
    }
    std::printf("%s\n", result->dump(2).c_str());
    return 0;
}
