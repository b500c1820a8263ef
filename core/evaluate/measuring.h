// What the measures share while one clip is measured. Internal to core/evaluate.
#pragma once

#include <optional>
#include <string>

#include "core/evaluate/alignment.h"
#include "core/evaluate/evaluation.h"
#include "core/evaluate/speech_signal.h"

namespace loquor::evaluate {

inline constexpr double kMotionRate = 25; // Hz: clips of all frame rates are compared at this rate

struct Measuring
{
    Measuring(const Clip& measured, Evaluation& result) : clip(measured), out(result) {}

    const Clip& clip;
    Evaluation& out;

    // Filled by measureContainer.
    Series times; // of the analysed frames
    double fps = 0;
    Mask repeated;

    // Filled by prepareFace.
    Mask found, valid;           // valid: found, or lost for at most three frames
    std::vector<Landmarks> points; // pixels, gaps filled
    Alignment face;
    Series opening, mouthWidth, jaw;     // per frame, eye distances
    Series knotTimes;                    // distinct time stamps
    std::vector<std::size_t> knots;      // and their frames
    Series motionTimes, fineTimes;       // 25 Hz and 100 Hz
    Mask motionValid, fineValid;
    std::optional<SpeechSignal> speech;
    Mask motionSpeech, fineSpeech;
    double seconds = 0, speechSeconds = 0;
    std::array<Series, 3> motionAngles; // 25 Hz, degrees
    Series headSpeed;                   // 25 Hz, degrees per second
    Series eyeOpening;                  // per frame, 1 = as open as usual

    std::size_t frames() const { return times.size(); }
    void set(const std::string& name, Value value);      // NaN becomes "not measurable"
    std::optional<double> get(const std::string& name) const { return out.metric(name); }
    void flag(std::string code, bool hard, std::string message, std::optional<double> time = std::nullopt);
    Series toMotionRate(const Series& perFrame) const;   // with a low pass when the video is faster
    Series toFineRate(const Series& perFrame) const;     // splines
    // 0/1 per speech frame -> yes where it holds at these times.
    Mask speechAt(const Series& at) const;
};

// printf-style text for messages.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);
// The distances of consecutive vectors.
Series stepSizes(const std::vector<Point3>& values);

void measureContainer(Measuring& m);
bool prepareFace(Measuring& m); // false: no face, nothing more to measure
void measureLips(Measuring& m);
void measureSync(Measuring& m);
void measureTiming(Measuring& m);
void measureEyes(Measuring& m);
void measureBrows(Measuring& m);
void measureHead(Measuring& m);
void measureIdentity(Measuring& m);
void measureTexture(Measuring& m);
void measureColour(Measuring& m);
void measureDrops(Measuring& m);

} // namespace loquor::evaluate
