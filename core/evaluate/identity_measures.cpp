// The same person, as sharp at the end as at the start?
#include <algorithm>
#include <cmath>

#include "core/evaluate/measuring.h"

namespace loquor::evaluate {

namespace {

using Embedding = std::array<double, 128>;

double distanceOf(const Embedding& a, const Embedding& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

Embedding widened(const std::array<float, 128>& e)
{
    Embedding out{};
    std::copy(e.begin(), e.end(), out.begin());
    return out;
}

Embedding meanOf(std::span<const Embedding> embeddings)
{
    Embedding out{};
    for (const Embedding& e : embeddings)
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] += e[i] / static_cast<double>(embeddings.size());
    return out;
}

// Against the first second of the clip.
void measureDrift(Measuring& m, const std::vector<Embedding>& all, const Series& times)
{
    const auto early = static_cast<std::size_t>(
        std::count_if(times.begin(), times.end(), [&](double t) { return t - times.front() <= 1.0; }));
    const Embedding first = meanOf(std::span(all).first(early));
    Series late, lateTimes;
    for (std::size_t i = early; i < all.size(); ++i) {
        late.push_back(distanceOf(all[i], first));
        lateTimes.push_back(times[i]);
    }
    if (late.size() < 2)
        return;
    m.set("id_drift_p50", median(late));
    m.set("id_drift_p95", percentile(late, 95));
    const std::size_t k = std::max<std::size_t>(2, all.size() / 5);
    m.set("id_end_vs_start", distanceOf(meanOf(std::span(all).last(k)), meanOf(std::span(all).first(k))));
    if (m.seconds >= 6)
        m.set("id_slope_per_min", 60 * slope(lateTimes, late));
    double largest = 0;
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
        largest = std::max(largest, distanceOf(all[i + 1], all[i]));
    m.set("id_step_max", largest);
    const double drift = percentile(late, 95);
    if (drift > 0.60)
        m.flag("IDENTITY", false, format("face embedding drifts to %.2f from the first second", drift));
}

void compareEmbeddings(Measuring& m, const std::vector<Embedding>& all, const Series& times)
{
    Series distances;
    for (const Embedding& e : all)
        distances.push_back(distanceOf(e, widened(m.clip.reference->embedding)));
    m.set("id_ref_p50", median(distances));
    m.set("id_ref_p95", percentile(distances, 95));
    if (m.seconds >= 6)
        m.set("id_ref_slope_per_min", 60 * slope(times, distances));
    if (median(distances) > 0.6)
        m.flag("IDENTITY_REF", true, format("not the reference person (distance %.2f)", median(distances)));
    m.out.curves.identityTimes = times;
    m.out.curves.identityDistance = distances;
}

Series sharpnessOf(const Measuring& m)
{
    Series out;
    for (const FrameTrack& f : m.clip.track.frames)
        out.push_back(f.sharpness);
    return out;
}

void compareReference(Measuring& m, const std::vector<Embedding>& all, const Series& times)
{
    if (!m.clip.reference->found) {
        m.flag("REF", false, "no face found in the reference image");
        return;
    }
    if (m.clip.reference->hasEmbedding && all.size() >= 3)
        compareEmbeddings(m, all, times);
    m.set("sharp_vs_ref", nanMedian(sharpnessOf(m)) / (m.clip.reference->sharpness + 1e-9));
    Point3 sum{};
    double number = 0;
    for (const FrameTrack& f : m.clip.track.frames)
        if (std::isfinite(f.faceLab[0])) {
            for (std::size_t k = 0; k < 3; ++k)
                sum[k] += f.faceLab[k];
            number += 1;
        }
    const Lab& reference = m.clip.reference->lab;
    m.set("face_dE_ref", std::hypot((sum[0] / number - reference[0]) * 100 / 255, sum[1] / number - reference[1],
                                    sum[2] / number - reference[2]));
}

} // namespace

void measureIdentity(Measuring& m)
{
    std::vector<Embedding> all;
    Series times;
    for (const IdentitySample& sample : m.clip.track.identities) {
        all.push_back(widened(sample.embedding));
        times.push_back(m.times[sample.frame]);
    }
    if (all.size() >= 3)
        measureDrift(m, all, times);
    if (m.clip.reference)
        compareReference(m, all, times);
}

void measureTexture(Measuring& m)
{
    const Series sharpness = sharpnessOf(m);
    m.set("face_sharp", nanMedian(sharpness));
    const auto early = static_cast<std::size_t>(std::count_if(
        m.times.begin(), m.times.end(), [&](double t) { return t - m.times.front() <= 1.0; }));
    const double first = nanMedian(std::span(sharpness).first(early));
    if (m.seconds > 4) {
        const double ratio = nanMedian(std::span(sharpness).last(m.frames() / 5)) / (first + 1e-9);
        m.set("sharp_end_ratio", ratio);
    }
    if (m.seconds >= 8) {
        Series x, y;
        const double usual = nanMedian(sharpness) + 1e-9;
        for (std::size_t i = 0; i < m.frames(); ++i)
            if (std::isfinite(sharpness[i])) {
                x.push_back(m.times[i]);
                y.push_back(sharpness[i] / usual);
            }
        m.set("sharp_slope_per_min", 60 * slope(x, y));
    }
    const Series speed = interpolate(m.times, m.motionTimes, m.headSpeed);
    Series boil, still;
    for (std::size_t i = 0; i < m.frames(); ++i) {
        const double b = m.clip.track.frames[i].boil;
        if (m.repeated[i] || !std::isfinite(b))
            continue;
        boil.push_back(b);
        if (speed[i] < 4)
            still.push_back(b);
    }
    m.set("face_boil", median(boil));
    m.set("face_boil_still", still.size() > 10 ? Value(median(still)) : Value());
}

} // namespace loquor::evaluate
