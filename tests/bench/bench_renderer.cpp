// Median milliseconds of the portrait renderer per frame, one thread by default:
//   bench_renderer [--model FILE] [--threads N] [--frames N]
// Without a model file (as serialize() writes) a synthetic portrait of 1280x720 is drawn. Prints JSON.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/portrait/renderer.h"
#include "tests/core/portrait/synthetic_portrait.h"

using namespace loquor;
using namespace loquor::portrait;

namespace {

// Syllables at 4 Hz; the head and the breath only when asked.
Motion talking(int frame, bool head)
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

double cpuMilliseconds() // of this thread: steady on a busy machine
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

struct Times
{
    std::vector<double> ms, cpu;
    double tiles = 0;
    static double median(std::vector<double> values)
    {
        std::sort(values.begin(), values.end());
        return values[values.size() / 2];
    }
};

void print(const char* name, const Times& times, bool last)
{
    std::printf("  \"%s\": {\"median_ms\": %.3f, \"median_cpu_ms\": %.3f, \"tiles\": %.2f}%s\n",
                name, Times::median(times.ms), Times::median(times.cpu), times.tiles, last ? "" : ",");
}

Times measure(const PortraitModelPtr& model, int threads, int frames, bool head, bool whole)
{
    Renderer renderer(model, threads);
    Image out;
    Times times;
    renderer.render(talking(0, head), out);
    for (int i = 1; i <= frames; ++i) {
        if (whole)
            renderer.setBackground({}); // forgets the picture: every tile is drawn
        const double before = cpuMilliseconds();
        renderer.render(talking(i, head), out);
        times.cpu.push_back(cpuMilliseconds() - before);
        times.ms.push_back(renderer.lastStats().milliseconds);
        times.tiles += double(renderer.lastStats().tilesDrawn) /
                       double(renderer.lastStats().tilesTotal) / frames;
    }
    return times;
}

PortraitModelPtr loadModel(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    auto model = deserialize(bytes);
    if (!model) {
        std::fprintf(stderr, "%s: not a portrait model\n", path.c_str());
        std::exit(1);
    }
    return std::move(model).value();
}

} // namespace

int main(int argc, char** argv)
{
    int threads = 1, frames = 250;
    std::string path;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i];
        if (option == "--model")
            path = argv[i + 1];
        else if (option == "--threads")
            threads = std::max(1, std::atoi(argv[i + 1]));
        else if (option == "--frames")
            frames = std::max(1, std::atoi(argv[i + 1]));
    }
    const PortraitModelPtr model =
        path.empty() ? makeSyntheticPortrait({.width = 1280, .height = 720}) : loadModel(path);
    std::printf("{\"width\": %d, \"height\": %d, \"triangles\": %zu, \"threads\": %d,\n",
                model->width, model->height, model->triangles.size() / 3, threads);
    print("still_head_talking", measure(model, threads, frames, false, false), false);
    print("moving_head", measure(model, threads, frames, true, false), false);
    print("whole_frame", measure(model, threads, frames, true, true), true);
    std::printf("}\n");
}
