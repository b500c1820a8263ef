// What is measured and what comes out. Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/evaluate/numeric.h"
#include "core/evaluate/track.h"
#include "core/speech/timing.h"

namespace loquor::evaluate {

// What the file says about itself.
struct ContainerFacts
{
    int width = 0, height = 0; // as displayed
    std::string videoCodec, pixelFormat, audioCodec;
    bool hasAudio = false;
    int sampleRate = 0, channels = 0;
    std::string averageRate, realRate; // "25/1"
    double fps = 0;                    // from them, > 0
    std::optional<std::int64_t> headerFrames;
    double audioStart = 0; // seconds
    Series times;          // time stamps of all frames, seconds
};

// The lip opening the renderer wanted, in its own unit, evenly spaced from time 0.
struct WantedGap
{
    double rate = 0; // values per second
    Series values;
};

// A video reduced to arrays.
struct Clip
{
    std::string name;
    ContainerFacts facts;
    Track track; // may hold fewer frames than facts.times when the analysis was cut short
    std::vector<float> mono16k;
    std::optional<speech::Timing> timing;
    std::optional<WantedGap> wantedGap;
    std::optional<ReferenceFace> reference;
};

// Hard flags are faults; the others are notes.
struct Flag
{
    std::string code; // stable: "AV_LENGTH", "SEAM" ...
    bool hard = false;
    std::string message;
    std::optional<double> time;
};

// std::monostate: not measurable here.
using Value = std::variant<std::monostate, double, std::int64_t, std::string>;

struct Seam
{
    double time = 0;
    std::vector<std::string> kinds; // bg, face, head, jump
    double z = 0, size = 0;
};

struct DropSuspect
{
    double time = 0, z = 0, ratio = 0;
};

struct Blink
{
    double time = 0, seconds = 0, depth = 0; // depth: eye opening left, 0 = closed
};

struct ContainerMeasures
{
    double fps = 0; // of the time stamps when the header is wrong
    std::size_t frames = 0, framesAnalysed = 0;
    double videoSeconds = 0, audioSeconds = 0;
    std::optional<double> startDifferenceMs, endDifferenceMs, framesMinusAudio;
    bool variableRate = false;
    double longestStepMs = 0;
    double repeatedFraction = 0;
    std::size_t isolatedRepeats = 0;
    std::optional<int> repeatPeriod;
    Series repeatTimes;
    double longestFreeze = 0; // seconds
    std::vector<std::pair<double, double>> freezes;
    std::size_t blackFrames = 0, noisyFrames = 0;
};

struct FaceMeasures
{
    double foundFraction = 0;
    Box region; // of all frames together, pixels of the analysed frames
    double longestLoss = 0; // seconds
    bool measured = false;  // the rest is valid
    double eyeDistance = 0; // pixels of the video
    std::array<double, 3> meanPose{};
    double residual = 0;
    bool weakBackground = false; // hardly any background: what is there was used
};

struct ScoreRow
{
    std::string metric, group;
    std::optional<double> value, low, high;
    std::string verdict; // in, low, high, n/a
};

struct Scorecard
{
    std::vector<ScoreRow> rows;
    std::size_t inside = 0, total = 0, hardFlags = 0;
    std::vector<std::pair<std::string, std::pair<std::size_t, std::size_t>>> groups; // inside, total
    std::string verdict; // FAIL, STRONG, PASS, WEAK, n/a
};

// Curves for the plots; empty when not measurable.
struct Curves
{
    Series times, opening, expected, jaw, eyes, gaze, yaw, pitch, roll;
    Series audioTimes, loudness;
    Mask speech;              // per frame
    Series identityTimes, identityDistance;
    Series faceL, backgroundL, backgroundTimes;
};

struct Evaluation
{
    std::string name;
    ContainerFacts facts;
    ContainerMeasures container;
    FaceMeasures face;
    std::vector<std::pair<std::string, Value>> metrics; // in the order they were measured
    std::vector<Flag> flags;
    std::vector<Seam> seams;
    std::vector<DropSuspect> dropSuspects;
    std::vector<Blink> blinks;
    std::vector<std::optional<double>> lagCurve; // -500..500 ms in steps of 20
    Scorecard scorecard;
    Curves curves;

    // The number of that name; nothing when it is missing or not measurable.
    std::optional<double> metric(const std::string& metricName) const;
    bool hasFlag(const std::string& code) const;
    std::size_t hardFlags() const;
};

} // namespace loquor::evaluate
