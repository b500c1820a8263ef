// What a frame of the portrait renderer costs, by stage:
//   bench_renderer [PHOTO ...] [--speech FILE] [--size 1280x720] [--threads N] [--frames N]
// Each photo is made ready and talks with the motion that the solver makes of the speech: a timing
// file (timing.json), a sound file, or both (--speech twice). Without photos, a synthetic portrait; without
// speech, made-up syllables. Prints JSON; milliseconds are medians of the processor time of the drawing thread, which
// is steady on a busy machine. `conversion` is what the video writer adds: RGB to the encoder's planes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/trace.h"
#include "core/media/audio_reader.h"
#include "core/media/yuv.h"
#include "core/pipeline/stage.h"
#include "core/platform/paths.h"
#include "core/portrait/motion_solver.h"
#include "core/portrait/renderer.h"
#include "core/speech/timing_json.h"
#include "core/stages/reference_stage.h"
#include "tests/bench/bench_options.h"
#include "tests/core/portrait/synthetic_portrait.h"

using namespace loquor;
using namespace loquor::portrait;
using nlohmann::ordered_json;

namespace {

struct Options
{
    std::vector<std::string> photos, speech;
    int width = 1280, height = 720, threads = 1, frames = 250;
};

// Syllables at 4 Hz; the head, the eyes and the breath only when asked.
Motion madeUp(int frame, bool head)
{
    const float t = static_cast<float>(frame) / 25.f;
    auto wave = [&](float hertz, float phase) { return std::sin(6.2831853f * hertz * t + phase); };
    Motion m;
    m[Param::Jaw] = .3f + .3f * wave(4, 0);
    m[Param::Pucker] = std::max(0.f, .5f * wave(1.3f, 1));
    m.setPair(Param::StretchL, Param::StretchR, std::max(0.f, .4f * wave(1.7f, 2)));
    m[Param::Close] = wave(2.1f, 0) > .9f ? 1.f : 0.f;
    if (head) {
        m[Param::Yaw] = 3 * wave(.35f, 0);
        m[Param::Pitch] = 2 * wave(.5f, 1);
        m[Param::Roll] = 1.5f * wave(.3f, 2);
        m[Param::Breath] = wave(.26f, 0);
        m[Param::GazeX] = -.03f * m[Param::Yaw];
        m.setPair(Param::BlinkL, Param::BlinkR, frame % 75 < 6 ? .6f : 0.f);
        m.setPair(Param::BrowInL, Param::BrowInR, std::max(0.f, .3f * wave(.7f, 0)));
    }
    return m;
}

// The whole talking motion: lips, head, gaze, blinks, brows, breath.
Result<std::vector<Motion>> solved(const Options& options)
{
    SpeechWindow window;
    window.isLast = true;
    for (const std::string& file : options.speech) {
        if (std::filesystem::path(file).extension() != ".json") {
            LQ_TRY(window.audio, media::readAudio(file, {.sampleRate = 16000, .channels = 1}));
            continue;
        }
        LQ_TRY(const auto document, speech::readTimingFile(file));
        for (const speech::Phoneme& p : document.timing.phonemes)
            window.sounds.push_back({p.symbol, p.start, p.end, p.confidence, p.stressed});
    }
    MotionSolver solver(3, {25, 1}, {});
    return solver.solve(window, 0, options.frames);
}

std::vector<Motion> syllables(const Options& options, bool head)
{
    std::vector<Motion> out;
    for (int i = 0; i < options.frames; ++i)
        out.push_back(madeUp(i, head));
    return out;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}
double rounded(double value)
{
    return std::round(value * 1e3) / 1e3;
}

// What the video writer does with each finished frame.
double convert(const Image& rgb)
{
    static std::vector<std::uint8_t> planes;
    const auto size = static_cast<std::size_t>(rgb.width) * static_cast<std::size_t>(rgb.height);
    planes.resize(size * 3 / 2);
    const double before = threadCpuSeconds();
    media::rgbToYuv420(rgb.data.data(), static_cast<std::ptrdiff_t>(rgb.stride()), rgb.width, rgb.height,
                       {planes.data(), planes.data() + size, planes.data() + size * 5 / 4, rgb.width,
                        rgb.width / 2, rgb.width / 2});
    return 1e3 * (threadCpuSeconds() - before);
}

ordered_json measure(const PortraitModelPtr& model, const Options& options, const std::vector<Motion>& motion,
                     bool whole)
{
    static constexpr const char* kStages[] = {"geometry", "changes", "tiles", "copy", "eyes", "mouth", "smear", "conversion"};
    constexpr std::size_t kDrawn = static_cast<std::size_t>(RenderStage::Count);
    static_assert(std::size(kStages) == kDrawn + 1);
    Renderer renderer(model, options.threads);
    Image out;
    std::vector<std::vector<double>> stages(kDrawn + 1);
    std::vector<double> total;
    double tiles = 0;
    renderer.render({}, out); // whole: not what is measured
    const Motion* last = nullptr;
    for (const Motion& m : motion) {
        if (whole)
            renderer.setBackground({}); // forgets the picture: every tile is drawn
        const double before = threadCpuSeconds();
        if (last)
            renderer.render(m, *last, out);
        else
            renderer.render(m, out);
        last = &m;
        total.push_back(1e3 * (threadCpuSeconds() - before));
        const RenderStats& stats = renderer.lastStats();
        for (std::size_t k = 0; k < kDrawn; ++k)
            stages[k].push_back(stats.stageMilliseconds[k]);
        stages[kDrawn].push_back(convert(out));
        tiles += double(stats.tilesDrawn) / double(stats.tilesTotal) / double(motion.size());
    }
    ordered_json json;
    json["median_ms"] = rounded(median(total));
    std::nth_element(total.begin(), total.begin() + std::ptrdiff_t(total.size() * 19 / 20), total.end());
    json["p95_ms"] = rounded(total[total.size() * 19 / 20]);
    json["tiles"] = rounded(tiles);
    for (std::size_t k = 0; k <= kDrawn; ++k)
        json["stages_ms"][kStages[k]] = rounded(median(stages[k]));
    return json;
}

Result<ordered_json> measureAll(const PortraitModelPtr& model, const Options& options)
{
    ordered_json json;
    json["size"] = std::to_string(model->width) + "x" + std::to_string(model->height);
    json["eye_distance_px"] = rounded(double(model->u));
    json["triangles"] = model->triangles.size() / 3;
    if (!options.speech.empty()) {
        LQ_TRY(const auto motion, solved(options));
        json["talking"] = measure(model, options, motion, false);
        return json;
    }
    json["still_head"] = measure(model, options, syllables(options, false), false);
    json["moving_head"] = measure(model, options, syllables(options, true), false);
    json["every_tile"] = measure(model, options, syllables(options, true), true);
    return json;
}

Result<ordered_json> run(const Options& options)
{
    ordered_json json;
    json["threads"] = options.threads;
    json["frames"] = options.frames;
    if (options.photos.empty()) {
        const auto model = makeSyntheticPortrait({.width = options.width, .height = options.height});
        LQ_TRY(json["synthetic"], measureAll(model, options));
        return json;
    }
    const auto analysis =
        std::make_shared<stages::FaceAnalysis>(platform::dataFolder() / "models" / "portrait");
    stages::ReferenceStage stage(analysis, stages::ReferenceCache({}), "bench");
    for (const std::string& photo : options.photos) {
        stages::ReferenceRequest request{photo, {}};
        request.settings.width = options.width;
        request.settings.height = options.height;
        LQ_TRY(const auto reference, pipeline::runOnce(stage, request, CancelToken{}));
        const std::string name = std::filesystem::path(photo).filename().string();
        LQ_TRY(json["photos"][name], measureAll(reference.model, options));
    }
    return json;
}

std::optional<int> readOptions(int argc, char** argv, Options& out)
{
    CLI::App app("What the renderer of the portrait pack costs, by stage, as JSON", "bench_renderer");
    app.add_option("photos", out.photos, "Photos of people (none: a drawn one)")->check(CLI::ExistingFile);
    app.add_option("--speech", out.speech, "timing.json of what is said; may be repeated")->check(CLI::ExistingFile);
    app.add_option("--threads", out.threads, "Threads of the renderer")->check(CLI::Range(1, 1024));
    app.add_option("--frames", out.frames, "Frames to draw")->check(CLI::Range(1, 1'000'000));
    bench::addSize(app, out.width, out.height);
    return bench::parse(app, argc, argv);
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    if (const auto code = readOptions(argc, argv, options))
        return *code;
    const auto json = run(options);
    if (!json) {
        std::fprintf(stderr, "bench_renderer: %s\n", json.error().text().c_str());
        return 1;
    }
    std::printf("%s\n", json->dump(1).c_str());
    return 0;
}
