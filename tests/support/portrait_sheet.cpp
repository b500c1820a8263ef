// Developer's eye: builds a portrait model from a fixture and writes what is in it, and poses drawn
// with it, as pictures.
//   portrait_sheet NAME WIDTH HEIGHT OUT_PREFIX
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "core/media/image_writer.h"
#include "core/portrait/portrait_builder.h"
#include "core/portrait/renderer.h"
#include "tests/support/portrait_fixture.h"

using namespace loquor;

namespace {

void write(const std::string& path, const Image& image)
{
    if (const auto done = media::writePng(path + ".png", image); !done)
        std::fprintf(stderr, "%s\n", done.error().text().c_str());
}

Image colorOf(const Image& rgba)
{
    Image out(rgba.width, rgba.height, 3);
    for (std::size_t i = 0; 3 * i < out.data.size(); ++i)
        for (std::size_t c = 0; c < 3; ++c)
            out.data[3 * i + c] = rgba.data[4 * i + c];
    return out;
}

Image alphaOf(const Image& rgba)
{
    Image out(rgba.width, rgba.height, 1);
    for (std::size_t i = 0; i < out.data.size(); ++i)
        out.data[i] = rgba.data[4 * i + 3];
    return out;
}

// A texture over mid grey.
Image flatten(const portrait::Texture& t)
{
    Image out(t.width, t.height, t.channels == 1 ? 1 : 3);
    const auto n = static_cast<std::size_t>(t.width) * static_cast<std::size_t>(t.height);
    const auto c = static_cast<std::size_t>(t.channels);
    for (std::size_t i = 0; i < n; ++i) {
        const float a = c == 4 ? t.data[i * c + 3] / 255.f : 1.f;
        for (std::size_t k = 0; k < (c == 1 ? 1u : 3u); ++k)
            out.data[i * static_cast<std::size_t>(out.channels) + k] =
                static_cast<std::uint8_t>(t.data[i * c + k] * a + 90 * (1 - a) + .5f);
    }
    return out;
}

struct Pose
{
    const char* name;
    std::vector<std::pair<portrait::Param, float>> values;
};

const std::vector<Pose>& poses()
{
    using P = portrait::Param;
    static const std::vector<Pose> list{
        {"rest", {}},
        {"jaw.2", {{P::Jaw, .2f}}},
        {"jaw.5", {{P::Jaw, .5f}}},
        {"jaw.8", {{P::Jaw, .8f}}},
        {"i",
         {{P::Jaw, .2f},
          {P::StretchL, 1},
          {P::StretchR, 1},
          {P::UpperRaise, .3f},
          {P::LowerDepress, .4f}}},
        {"u", {{P::Jaw, .35f}, {P::Pucker, 1}, {P::Funnel, .3f}}},
        {"o", {{P::Jaw, .7f}, {P::Pucker, .4f}, {P::Funnel, 1}}},
        {"m", {{P::Jaw, .2f}, {P::Close, 1}, {P::Press, 1}}},
        {"f", {{P::Jaw, .25f}, {P::Tuck, 1}}},
        {"l", {{P::Jaw, .35f}, {P::TongueHeight, .7f}, {P::TongueTip, 1}}},
        {"smile", {{P::SmileL, 1}, {P::SmileR, 1}}},
        {"blink.5", {{P::BlinkL, .5f}, {P::BlinkR, .5f}}},
        {"blink", {{P::BlinkL, 1}, {P::BlinkR, 1}}},
        {"gazeX", {{P::GazeX, 1}}},
        {"gazeY", {{P::GazeY, -1}}},
        {"brow", {{P::BrowInL, 1}, {P::BrowInR, 1}, {P::BrowOutL, 1}, {P::BrowOutR, 1}}},
        {"yaw6", {{P::Yaw, 6}}},
        {"yaw-6", {{P::Yaw, -6}}},
        {"pitch6", {{P::Pitch, 6}}},
        {"pitch-6", {{P::Pitch, -6}}},
        {"roll6", {{P::Roll, 6}}},
        {"roll-6", {{P::Roll, -6}}},
    };
    return list;
}

void drawPoses(const portrait::PortraitModelPtr& model, const std::string& prefix)
{
    portrait::Renderer renderer(model, 1);
    for (const Pose& pose : poses()) {
        portrait::Motion motion;
        for (const auto& [param, value] : pose.values)
            motion[param] = value;
        Image frame;
        renderer.render(motion, frame);
        write(prefix + "pose_" + pose.name, frame);
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 5) {
        std::fprintf(stderr, "portrait_sheet NAME WIDTH HEIGHT OUT_PREFIX\n");
        return 2;
    }
    const std::string prefix = argv[4];
    const auto fixture = test::loadPortraitFixture(argv[1]);
    using Clock = std::chrono::steady_clock;
    const auto t0 = Clock::now();
    const std::clock_t cut0 = std::clock();
    const auto face = test::observe(fixture, std::atoi(argv[2]), std::atoi(argv[3]));
    const auto t1 = Clock::now();
    const std::clock_t cpu0 = std::clock();
    const double cutCpu = 1000.0 * static_cast<double>(cpu0 - cut0) / CLOCKS_PER_SEC;
    const auto built = portrait::buildPortrait(face, {});
    const double cpu = 1000.0 * static_cast<double>(std::clock() - cpu0) / CLOCKS_PER_SEC;
    const auto t2 = Clock::now();
    const auto ms = [](auto d) { return std::chrono::duration<double, std::milli>(d).count(); };
    if (!built) {
        std::fprintf(stderr, "%s\n", built.error().text().c_str());
        return 1;
    }
    const portrait::PortraitModel& m = **built;
    std::printf("box %.1f %.1f\n", static_cast<double>(m.M0[0]), static_cast<double>(m.M0[1]));
    std::printf("%s: cut %.0f ms (cpu %.0f), build %.0f ms (cpu %.0f), %zu vertices, %zu "
                "triangles, u %.1f, scale %.2f, open %d, teeth %d, "
                "light %.2f %.2f %.2f\n",
                argv[1], ms(t1 - t0), cutCpu, ms(t2 - t1), cpu, m.restXY.size() / 2,
                m.triangles.size() / 3, static_cast<double>(m.u), m.photoScale, m.openMouth,
                m.photoTeeth, static_cast<double>(m.light[0]), static_cast<double>(m.light[1]),
                static_cast<double>(m.light[2]));
    for (const auto& note : m.notes)
        std::printf("  note: %s\n", note.c_str());
    write(prefix + "canvas", m.canvas);
    write(prefix + "layer", colorOf(m.layer));
    write(prefix + "alpha", alphaOf(m.layer));
    write(prefix + "plate", m.plate);
    write(prefix + "matte", m.matte);
    write(prefix + "lid", m.lid);
    write(prefix + "lidband", m.lidBand);
    write(prefix + "detail", m.detail);
    write(prefix + "teeth_up", flatten(m.upperTeeth));
    write(prefix + "teeth_lo", flatten(m.lowerTeeth));
    write(prefix + "tongue", flatten(m.tongue));
    write(prefix + "gloss_up", flatten(m.upperGloss));
    write(prefix + "gloss_tg", flatten(m.tongueGloss));
    for (int e = 0; e < 2; ++e) {
        const auto& eye = m.eyes[static_cast<std::size_t>(e)];
        write(prefix + "eye" + std::to_string(e) + "_photo", flatten(eye.photo));
        write(prefix + "eye" + std::to_string(e) + "_sclera", flatten(eye.sclera));
        write(prefix + "eye" + std::to_string(e) + "_iris", flatten(eye.iris));
    }
    drawPoses(*built, prefix);
    return 0;
}
