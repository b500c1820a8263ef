#include "tests/core/evaluate/synthetic_clip.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>
#include <string>

#include "core/evaluate/speech_signal.h"

namespace loquor::test {

using namespace evaluate;

namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

// Numbers in [0, 1) that do not depend on the standard library.
class Dice
{
public:
    explicit Dice(std::uint64_t seed) : m_engine(seed) {}
    double operator()(double low = 0, double high = 1)
    {
        return low + (high - low) * static_cast<double>(m_engine() >> 11) / 9007199254740992.0;
    }

private:
    std::mt19937_64 m_engine;
};

// Slow motion whose power falls with frequency.
Series wander(std::size_t n, double amplitude, Dice& dice)
{
    Series out(n, 0.0);
    for (int k = 0; k < 24; ++k) {
        const double hz = 0.15 * std::pow(1.17, k);
        const double size = amplitude * std::pow(0.15 / hz, 1.2);
        const double phase = dice(0, kTwoPi);
        for (std::size_t i = 0; i < n; ++i)
            out[i] += size * std::sin(kTwoPi * hz * static_cast<double>(i) / 25 + phase);
    }
    return out;
}

// The face of tests/data/modules/astronaut_mesh.txt, 100 pixels between the outer corners of the eyes.
Landmarks neutralFace()
{
    Landmarks face{};
    std::ifstream data(std::string(LOQUOR_TEST_DATA) + "/modules/astronaut_mesh.txt");
    std::size_t i = 0;
    for (std::string line; std::getline(data, line) && i < kLandmarks;) {
        if (line.starts_with("#"))
            continue;
        std::istringstream(line) >> face[i][0] >> face[i][1] >> face[i][2];
        ++i;
    }
    const double eyes = std::hypot(face[263][0] - face[33][0], face[263][1] - face[33][1]);
    Point3 centre = face[6];
    for (Point3& p : face)
        for (std::size_t k = 0; k < 3; ++k)
            p[k] = (p[k] - centre[k]) * 100 / eyes;
    return face;
}

struct Pose
{
    double yaw, pitch, roll, x, y; // degrees, pixels
};

void turn(Landmarks& face, const Pose& pose)
{
    const auto rotate = [](double& a, double& b, double degrees) {
        const double c = std::cos(degrees * std::numbers::pi / 180), s = std::sin(degrees * std::numbers::pi / 180);
        const double u = c * a - s * b;
        b = s * a + c * b;
        a = u;
    };
    for (Point3& p : face) {
        rotate(p[0], p[2], pose.yaw);
        rotate(p[1], p[2], pose.pitch);
        rotate(p[0], p[1], pose.roll);
        p[0] += pose.x + 320;
        p[1] += pose.y + 240;
    }
}

// opening in eye distances; lids 1 = open, 0 = closed; gaze in pixels
Landmarks expression(const Landmarks& neutral, double opening, double lids, double gaze, double brow)
{
    Landmarks face = neutral;
    for (const auto& [upper, lower] : {std::pair(13, 14), {82, 87}, {312, 317}}) {
        const auto u = static_cast<std::size_t>(upper), l = static_cast<std::size_t>(lower);
        face[l] = {face[u][0], face[u][1] + 100 * opening, face[u][2]};
    }
    face[152][1] += 55 * opening;
    face[61][0] += 60 * opening;
    face[291][0] -= 60 * opening;
    for (const auto& [upper, lower] : {std::pair(160, 144), {158, 153}, {385, 380}, {387, 373}}) {
        const auto u = static_cast<std::size_t>(upper), l = static_cast<std::size_t>(lower);
        for (std::size_t k = 0; k < 3; ++k)
            face[u][k] = face[l][k] + lids * (face[u][k] - face[l][k]);
    }
    for (std::size_t p = 468; p < kLandmarks; ++p)
        face[p][0] += gaze;
    for (const int p : {105, 66, 107, 70, 63, 334, 296, 336, 300, 293})
        face[static_cast<std::size_t>(p)][1] -= brow;
    return face;
}

// 1 with dips of 0.2 s.
Series blinks(std::size_t n)
{
    Series out(n, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
        const double t = std::fmod(static_cast<double>(i) / 25 + 0.5, 3.1) - 1.55;
        out[i] = 1 - 0.9 * std::exp(-t * t / (2 * 0.06 * 0.06));
    }
    return out;
}

Series openings(const std::vector<float>& sound, const Series& times)
{
    const auto speech = analyseSpeech(sound, 0);
    const Series wanted = bandPass(expectedOpening(*speech, times), 25, 0.7, 7);
    const double size = standardDeviation(wanted);
    const Series speaking = smooth(interpolate(times, speech->times, toSeries(speech->speech)), 5);
    Series out;
    for (std::size_t i = 0; i < times.size(); ++i)
        out.push_back(std::max(0.003, 0.065 + 0.055 * wanted[i] / size) * speaking[i] + 0.004 * (1 - speaking[i]));
    return out;
}

void addPictures(Clip& clip, Dice& dice)
{
    SmallPictures& small = clip.track.small;
    small.width = 64;
    small.height = 48;
    Series lightness = wander(clip.track.frames.size(), 0.12, dice);
    for (std::size_t i = 0; i < clip.track.frames.size(); ++i) {
        FrameTrack& f = clip.track.frames[i];
        f.change = i == 0 ? NAN : dice(0.8, 1.2);
        f.faceChange = i == 0 ? NAN : dice(1.6, 2.4);
        f.faceLab = {150 + lightness[i], 140 + dice(-0.1, 0.1), 145 + dice(-0.1, 0.1)};
        f.sharpness = dice(0.33, 0.37);
        f.boil = i < 2 ? NAN : dice(0.04, 0.05);
        f.detail = dice(4.8, 5.2);
        std::vector<std::uint8_t> picture;
        for (int y = 0; y < small.height; ++y)
            for (int x = 0; x < small.width; ++x) {
                picture.push_back(static_cast<std::uint8_t>(80 + x + y + (dice() < 0.02 ? 1 : 0)));
                picture.push_back(135);
                picture.push_back(125);
            }
        small.frames.push_back(std::move(picture));
    }
    std::array<float, 128> person{};
    for (float& v : person)
        v = static_cast<float>(dice(-0.15, 0.15));
    for (std::size_t i = 0; i < clip.track.frames.size(); i += 25) {
        IdentitySample sample{i, person};
        for (float& v : sample.embedding)
            v += static_cast<float>(dice(-0.02, 0.02));
        clip.track.identities.push_back(sample);
    }
    ReferenceFace reference;
    reference.found = reference.hasEmbedding = true;
    reference.sharpness = 0.35;
    reference.lab = {150, 140, 145};
    reference.embedding = person;
    clip.reference = reference;
}

} // namespace

std::vector<float> makeSpeech(double seconds, std::uint64_t seed)
{
    Dice dice(seed * 7919 + 13);
    const auto total = static_cast<std::size_t>(seconds * kSpeechRate);
    std::vector<float> out(total);
    for (float& v : out)
        v = static_cast<float>(dice(-2e-4, 2e-4));
    double time = 0.3, untilPause = 2.2;
    while (time < seconds - 0.3) {
        const double length = dice(0.09, 0.20), pitch = dice(100, 130);
        const double f1 = dice(280, 850), f2 = dice(900, 2300), hiss = dice() < 0.4 ? dice(0.02, 0.08) : 0.0;
        const auto begin = static_cast<std::size_t>(time * kSpeechRate);
        const auto samples = static_cast<std::size_t>(length * kSpeechRate);
        for (std::size_t i = 0; i < samples && begin + i < total; ++i) {
            const double t = static_cast<double>(i) / kSpeechRate;
            const double envelope = std::sin(std::numbers::pi * static_cast<double>(i) / static_cast<double>(samples));
            double v = hiss * dice(-1, 1) * (1 - envelope);
            for (int h = 1; h <= 24; ++h) {
                const double hz = pitch * h;
                const double gain = std::exp(-std::pow((hz - f1) / 160, 2)) + 0.5 * std::exp(-std::pow((hz - f2) / 220, 2));
                v += 0.12 * gain * envelope * std::sin(kTwoPi * hz * t);
            }
            out[begin + i] += static_cast<float>(v);
        }
        time += length * dice(0.9, 1.15);
        untilPause -= length;
        if (untilPause < 0) {
            time += 0.7;
            untilPause = 2.2;
        }
    }
    return out;
}

Clip makeClip(double seconds, std::uint64_t seed)
{
    Dice dice(seed);
    Clip clip;
    clip.name = "synthetic.mp4";
    clip.facts.width = 640;
    clip.facts.height = 480;
    clip.facts.videoCodec = "h264";
    clip.facts.pixelFormat = "yuv420p";
    clip.facts.audioCodec = "aac";
    clip.facts.hasAudio = true;
    clip.facts.sampleRate = 48000;
    clip.facts.channels = 1;
    clip.facts.averageRate = "25/1";
    clip.facts.fps = 25;
    const auto frames = static_cast<std::size_t>(seconds * 25);
    for (std::size_t i = 0; i < frames; ++i)
        clip.facts.times.push_back(static_cast<double>(i) / 25);
    clip.mono16k = makeSpeech(seconds, seed);
    clip.track.width = 640;
    clip.track.height = 480;
    clip.track.frames.resize(frames);
    const Landmarks neutral = neutralFace();
    const Series opening = openings(clip.mono16k, clip.facts.times);
    const Series lids = blinks(frames);
    const Series gaze = wander(frames, 0.5, dice), brow = wander(frames, 0.8, dice);
    const Series yaw = wander(frames, 2, dice), pitch = wander(frames, 1.6, dice), roll = wander(frames, 1.6, dice);
    const Series x = wander(frames, 4, dice), y = wander(frames, 3, dice);
    for (std::size_t i = 0; i < frames; ++i) {
        Landmarks face = expression(neutral, opening[i], lids[i], gaze[i], brow[i]);
        turn(face, {yaw[i], pitch[i], roll[i], x[i], y[i]});
        clip.track.frames[i].landmarks = face;
        clip.track.frames[i].found = true;
    }
    addPictures(clip, dice);
    return clip;
}

void advanceSound(Clip& clip, double milliseconds)
{
    const auto shift = static_cast<std::ptrdiff_t>(std::lround(milliseconds * kSpeechRate / 1000));
    std::vector<float> moved(clip.mono16k.size());
    for (std::size_t i = 0; i < moved.size(); ++i) {
        const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(i) + shift;
        const bool inside = from >= 0 && from < static_cast<std::ptrdiff_t>(moved.size());
        moved[i] = inside ? clip.mono16k[static_cast<std::size_t>(from)] : 1e-4f * static_cast<float>(static_cast<int>(i % 3) - 1);
    }
    clip.mono16k = std::move(moved);
}

speech::Timing makeTiming(const Clip& clip)
{
    speech::Timing timing;
    timing.durationSeconds = static_cast<double>(clip.facts.times.size()) / 25;
    const auto gapOf = [&](std::size_t i) {
        const Landmarks& face = clip.track.frames[i].landmarks;
        return std::hypot(face[13][0] - face[14][0], face[13][1] - face[14][1]) / 100;
    };
    for (std::size_t i = 0; i < clip.facts.times.size(); ++i) {
        const std::string symbol = gapOf(i) < 0.012 ? "m" : gapOf(i) > 0.09 ? "ɑ"
                                                                            : "ɪ";
        if (!timing.phonemes.empty() && timing.phonemes.back().symbol == symbol)
            timing.phonemes.back().end += 0.04;
        else
            timing.phonemes.push_back({symbol, static_cast<double>(i) / 25, static_cast<double>(i + 1) / 25, 1, false});
    }
    return timing;
}

} // namespace loquor::test
