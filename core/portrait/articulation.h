// The mouth at any time from sounds with times: coarticulation by dominance functions, and gestures
// (closure, tuck, press) that are reached whatever the neighbours want. Stateless: a value depends on
// the sounds within kArticulationReach of the time asked for, and on nothing else.
#pragma once

#include <vector>

#include "core/portrait/motion_solver.h"
#include "core/portrait/viseme.h"

namespace loquor::portrait {

inline constexpr double kPausePress = .30;        // lips that rest lie on each other with a little pressure
inline constexpr double kArticulationReach = .42; // seconds; less than kLookAheadSeconds

// A mouth shape on the scale of `Param`, before amplitude.
struct MouthShape
{
    float jaw = 0, pucker = 0, funnel = 0, stretch = 0, upperRaise = 0, lowerDepress = 0;
    float tongueHeight = 0, tongueTip = 0;
    float close = 0, press = 0, tuck = 0;
};

class Articulation
{
public:
    // `sounds` may be unsorted, overlapping, empty or hold nonsense times: they are sorted, an overlap
    // belongs to the earlier sound, gaps are silence. `frameSeconds` makes plateaus long enough for one
    // frame to fall inside. Between runs of sounds nothing is assumed (see coverage).
    Articulation(const std::vector<Sound>& sounds, double frameSeconds);

    MouthShape at(double time) const;
    // 1 where sounds (silences included) are given, falling to 0 from .1 to .3 s away from them: there
    // the ear decides.
    float coverage(double time) const;
    // Sounds (silences included) are given at `time` or within .08 s of it.
    bool knows(double time) const;
    // The mouth is meant to make sound at `time` (pauses of less than .12 s do not count as such).
    bool isSpeech(double time) const;
    // Loudness a listener would expect without hearing: 0 in silence, 1 in a stressed vowel.
    float expectedEnergy(double time) const;
    // A stressed vowel starts in (from, to].
    bool stressStarts(double from, double to) const;

private:
    double distanceToGiven(double time, double reach) const;
    struct Segment
    {
        Viseme viseme;
        double start = 0, end = 0;
        bool stressed = false;
        bool given = true; // false: a gap that was filled with silence
    };
    // Segments that reach into [from, to], as a range of indices.
    std::pair<std::size_t, std::size_t> range(double from, double to) const;
    void addSilence(double start, double end, bool given);
    void blend(double time, MouthShape& shape) const;
    void addGestures(double time, MouthShape& shape) const;

    std::vector<Segment> m_segments; // contiguous, in order; merged silences
    double m_frameSeconds;
};

} // namespace loquor::portrait
