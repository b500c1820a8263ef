// Steps, flicker and drift of colour in face and background; cuts and jumps; frames that were dropped.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/evaluate/face_points.h"
#include "core/evaluate/measuring.h"

namespace loquor::evaluate {

namespace {

constexpr double kLightness = 100.0 / 255; // OpenCV's L to L*
constexpr auto kLightnessFloat = static_cast<float>(kLightness);

struct Signal
{
    std::string name; // bg, face
    Series times;
    std::vector<Point3> colour; // L*, a, b
};

struct RawSeam
{
    double time;
    std::string kind;
    double z, size;
};

// Pixels of the small pictures that show background: not the head and what is under it, nor the shoulders.
Mask backgroundMask(Measuring& m)
{
    const SmallPictures& small = m.clip.track.small;
    double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    const double k = static_cast<double>(small.width) / m.clip.track.width;
    for (const Landmarks& face : m.points)
        for (std::size_t p = 0; p < 468; ++p) {
            left = std::min(left, face[p][0] * k);
            right = std::max(right, face[p][0] * k);
            top = std::min(top, face[p][1] * k);
            bottom = std::max(bottom, face[p][1] * k);
        }
    const double width = right - left;
    const double height = bottom - top;
    Mask mask(static_cast<std::size_t>(small.width) * static_cast<std::size_t>(small.height), true);
    const auto remove = [&](double x0, double y0, double x1, double y1) {
        const auto limit = [](double v, int end) { return static_cast<int>(std::clamp(v, 0.0, static_cast<double>(end))); };
        for (int y = limit(y0, small.height); y < limit(y1, small.height); ++y)
            for (int x = limit(x0, small.width); x < limit(x1, small.width); ++x)
                mask[static_cast<std::size_t>(y) * static_cast<std::size_t>(small.width) + static_cast<std::size_t>(x)] = false;
    };
    remove(left - 0.40 * width, top - 0.45 * height, right + 0.40 * width, small.height);
    remove(left - 1.3 * width, bottom + 0.15 * height, right + 1.3 * width, small.height);
    if (mean(toSeries(mask)) < 0.03) {
        mask.assign(mask.size(), true);
        remove(left - 0.1 * width, top - 0.2 * height, right + 0.1 * width, bottom + 0.1 * height);
        m.out.face.weakBackground = true;
    }
    return mask;
}

// Background over time: only its steadiest 60 % counts, so that passers-by do not.
void measureBackground(Measuring& m, std::vector<Signal>& signals)
{
    const SmallPictures& small = m.clip.track.small;
    if (small.frames.empty())
        return;
    const Mask mask = backgroundMask(m);
    std::vector<std::size_t> pixels;
    for (std::size_t p = 0; p < mask.size(); ++p)
        if (mask[p])
            pixels.push_back(p);
    const double area = static_cast<double>(pixels.size()) / static_cast<double>(mask.size());
    if (area <= 0.01)
        return;
    // Single precision here as in the program the bands were measured with: many pixels change by the
    // same amount, and rounding alone decides which of them fall below the limit.
    const auto value = [&](std::size_t frame, std::size_t pixel, std::size_t channel) {
        return static_cast<float>(small.frames[frame][3 * pixel + channel]) * (channel == 0 ? kLightnessFloat : 1.0f);
    };
    const std::size_t n = small.frames.size();
    const std::size_t samples = std::min<std::size_t>(n, 80);
    std::vector<float> usual;
    Series change;
    for (const std::size_t p : pixels) {
        Series values;
        for (std::size_t i = 0; i < samples; ++i)
            values.push_back(value(samples > 1 ? i * (n - 1) / (samples - 1) : 0, p, 0));
        usual.push_back(static_cast<float>(median(std::move(values))));
        float sum = 0;
        for (std::size_t f = 0; f < n; ++f)
            sum += std::abs(value(f, p, 0) - usual.back());
        change.push_back(sum / static_cast<float>(n));
    }
    const double limit = percentile(change, 60);
    std::vector<std::size_t> calm;
    for (std::size_t i = 0; i < pixels.size(); ++i)
        if (change[i] <= limit)
            calm.push_back(i);

    Signal signal{"bg", {}, {}};
    Series noise, steps;
    const auto size = static_cast<double>(calm.size());
    for (std::size_t f = 0; f < n; ++f) {
        double squares = 0, step = 0;
        Point3 sum{};
        for (const std::size_t i : calm) {
            const float lightness = value(f, pixels[i], 0);
            squares += (lightness - usual[i]) * (lightness - usual[i]);
            step += f ? std::abs(lightness - value(f - 1, pixels[i], 0)) : 0;
            for (std::size_t c = 0; c < 3; ++c)
                sum[c] += value(f, pixels[i], c) / size;
        }
        noise.push_back(10 * std::log10(100.0 * 100.0 / (squares / size + 1e-4)));
        if (f)
            steps.push_back(step / size);
        signal.times.push_back(m.times[std::min(m.frames() - 1, f * small.step)]);
        signal.colour.push_back(sum);
    }
    m.set("bg_psnr_p50", median(noise));
    m.set("bg_psnr_p5", percentile(noise, 5));
    m.set("bg_area", area);
    m.set("bg_pixel_step", median(steps));
    signals.push_back(std::move(signal));
}

// Colour difference of the last tenth to the first.
double endDifference(const std::vector<Point3>& colour)
{
    const std::size_t k = std::max<std::size_t>(3, colour.size() / 10);
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        Series first, last;
        for (std::size_t i = 0; i < std::min(k, colour.size()); ++i) {
            first.push_back(colour[i][c]);
            last.push_back(colour[colour.size() - 1 - i][c]);
        }
        const double d = median(last) - median(first);
        sum += d * d;
    }
    return std::sqrt(sum);
}

Signal faceSignal(const Measuring& m)
{
    Signal signal{"face", {}, {}};
    for (std::size_t i = 0; i < m.frames(); ++i) {
        const Lab& lab = m.clip.track.frames[i].faceLab;
        if (!std::isfinite(lab[0]))
            continue;
        signal.times.push_back(m.times[i]);
        signal.colour.push_back({lab[0] * kLightness, lab[1], lab[2]});
    }
    return signal;
}

Point3 averageOf(const std::vector<Point3>& colour, std::size_t begin, std::size_t end)
{
    Point3 out{};
    for (std::size_t i = begin; i < end; ++i)
        for (std::size_t c = 0; c < 3; ++c)
            out[c] += colour[i][c] / static_cast<double>(end - begin);
    return out;
}

// A lasting step: three frames before against three after, far out of the clip's own habit.
void findColourSteps(Measuring& m, const Signal& signal, std::vector<RawSeam>& seams)
{
    const Series steps = stepSizes(signal.colour);
    m.set(signal.name + "_step_p50", median(steps));
    m.set(signal.name + "_step_p99", percentile(steps, 99));
    m.set(signal.name + "_step_max", *std::max_element(steps.begin(), steps.end()));
    Series lightness;
    for (const Point3& c : signal.colour)
        lightness.push_back(c[0]);
    const double pictureRate = m.fps / static_cast<double>(signal.name == "bg" ? m.clip.track.small.step : 1);
    const auto window = static_cast<std::size_t>(pictureRate / 3) | 1;
    const Series smoothed = smooth(lightness, std::max<std::size_t>(3, window));
    for (std::size_t i = 0; i < lightness.size(); ++i)
        lightness[i] -= smoothed[i];
    if (lightness.size() > 4)
        m.set(signal.name + "_flicker", standardDeviation(std::span(lightness).subspan(2, lightness.size() - 4)));
    constexpr std::size_t kHalf = 3;
    if (signal.colour.size() <= 4 * kHalf)
        return;
    const double usual = median(steps);
    const double deviation = robustSigma(steps) + 0.02;
    const double smallest = signal.name == "bg" ? 0.8 : 1.2;
    for (std::size_t i = kHalf; i + kHalf <= signal.colour.size(); ++i) {
        const double lasting = stepSizes({averageOf(signal.colour, i - kHalf, i), averageOf(signal.colour, i, i + kHalf)})[0];
        const double single = steps[i - 1];
        const double z = (single - usual) / deviation;
        if (z > 10 && single > smallest && lasting > 0.6 * single)
            seams.push_back({signal.times[i], signal.name, z, single});
    }
}

Series frameChanges(const Measuring& m)
{
    Series out;
    for (std::size_t i = 0; i < m.frames(); ++i)
        out.push_back(i == 0 || m.repeated[i] ? NAN : m.clip.track.frames[i].change);
    return out;
}

// Spikes of the frame difference: cuts and jumps.
void findJumps(const Measuring& m, std::vector<RawSeam>& seams)
{
    const Series change = frameChanges(m);
    Series logarithm, usual, excess;
    for (const double c : change)
        logarithm.push_back(std::log(c + 0.05));
    for (std::size_t i = 0; i < change.size(); ++i) {
        Series around;
        for (std::size_t k = i - std::min<std::size_t>(i, 12); k < std::min(change.size(), i + 13); ++k)
            if (k != i)
                around.push_back(logarithm[k]);
        usual.push_back(std::isfinite(logarithm[i]) ? nanMedian(around) : NAN);
        excess.push_back(logarithm[i] - usual[i]);
    }
    const double deviation = robustSigma(excess) + 0.05;
    for (std::size_t i = 0; i < change.size(); ++i)
        if (excess[i] / deviation > 6 && change[i] > 2.5 * std::exp(usual[i]) && change[i] > 1.2)
            seams.push_back({m.times[i], "jump", excess[i] / deviation, change[i]});
}

bool anyOf(const Mask& mask, std::size_t begin, std::size_t end)
{
    return std::any_of(mask.begin() + static_cast<std::ptrdiff_t>(begin), mask.begin() + static_cast<std::ptrdiff_t>(end),
                       [](bool v) { return v; });
}

bool allOf(const Mask& mask, std::size_t begin, std::size_t end)
{
    return std::all_of(mask.begin() + static_cast<std::ptrdiff_t>(begin), mask.begin() + static_cast<std::ptrdiff_t>(end),
                       [](bool v) { return v; });
}

// One interval moves the head far more than the intervals on both sides: a jump cut on a still background.
void findHeadJumps(const Measuring& m, std::vector<RawSeam>& seams)
{
    Series motion;
    for (std::size_t i = 0; i + 1 < m.frames(); ++i) {
        const auto step = [i](const Series& x) { return x[i + 1] - x[i]; };
        const auto& a = m.face.angles;
        motion.push_back(std::hypot(step(m.face.shift[0]), step(m.face.shift[1])) +
                         std::hypot(step(a[0]), step(a[1]), step(a[2])) / 60);
    }
    const double deviation = robustSigma(difference(motion));
    for (std::size_t i = 2; i + 2 < motion.size(); ++i) {
        const std::size_t end = std::min(m.frames(), i + 4);
        if (anyOf(m.repeated, i - 1, end) || !allOf(m.valid, i - 1, end))
            continue;
        const double near = std::max({motion[i - 2], motion[i - 1], motion[i + 1], motion[i + 2]});
        if (motion[i] > 0.07 && motion[i] > 4 * near && motion[i] - near > 12 * deviation)
            seams.push_back({m.times[i + 1], "head", motion[i] / (near + 0.005), motion[i]});
    }
}

double rounded(double v, double unit)
{
    return std::round(v / unit) * unit;
}

void reportSeams(Measuring& m, std::vector<RawSeam> seams)
{
    std::sort(seams.begin(), seams.end(), [](const RawSeam& a, const RawSeam& b) {
        return std::tie(a.time, a.kind) < std::tie(b.time, b.kind);
    });
    std::vector<Seam> merged;
    for (const RawSeam& s : seams) {
        if (!merged.empty() && s.time - merged.back().time < 0.12) {
            Seam& last = merged.back();
            last.kinds.push_back(s.kind);
            std::sort(last.kinds.begin(), last.kinds.end());
            last.kinds.erase(std::unique(last.kinds.begin(), last.kinds.end()), last.kinds.end());
            last.z = std::max(last.z, rounded(s.z, 0.1));
        } else {
            merged.push_back({rounded(s.time, 0.001), {s.kind}, rounded(s.z, 0.1), rounded(s.size, 0.01)});
        }
    }
    m.set("seams_per_min", 60 * static_cast<double>(merged.size()) / std::max(m.seconds, 1e-3));
    // Where the scenery itself moves, only jumps of the head are sure.
    const bool calm = m.get("bg_psnr_p50").value_or(0) > 32;
    for (std::size_t i = 0; i < std::min<std::size_t>(6, merged.size()); ++i) {
        const Seam& s = merged[i];
        std::string kinds;
        for (const std::string& kind : s.kinds)
            kinds += (kinds.empty() ? "" : "+") + kind;
        const bool faceOnly = s.kinds.size() == 1 && s.kinds[0] == "face";
        const bool head = std::find(s.kinds.begin(), s.kinds.end(), "head") != s.kinds.end();
        m.flag("SEAM", (!faceOnly || s.z > 20) && (calm || head),
               format("step at %.2f s in %s (z %.1f)", s.time, kinds.c_str(), s.z), s.time);
    }
    merged.resize(std::min<std::size_t>(merged.size(), 40));
    m.out.seams = std::move(merged);
}

} // namespace

void measureColour(Measuring& m)
{
    std::vector<Signal> signals;
    measureBackground(m, signals);
    Signal face = faceSignal(m);
    if (face.times.size() > 10)
        signals.push_back(std::move(face));
    std::vector<RawSeam> seams;
    for (const Signal& signal : signals) {
        if (m.seconds > 5)
            m.set(signal.name + "_dE_end", endDifference(signal.colour));
        if (signal.colour.size() > 1)
            findColourSteps(m, signal, seams);
        Curves& curves = m.out.curves;
        Series& lightness = signal.name == "bg" ? curves.backgroundL : curves.faceL;
        for (const Point3& c : signal.colour)
            lightness.push_back(c[0]);
        if (signal.name == "bg")
            curves.backgroundTimes = signal.times;
    }
    findJumps(m, seams);
    findHeadJumps(m, seams);
    reportSeams(m, std::move(seams));
    const double faceEnd = m.get("face_dE_end").value_or(0);
    const double backgroundEnd = m.get("bg_dE_end").value_or(0);
    if (faceEnd > 3.0 || backgroundEnd > 1.5)
        m.flag("COLOUR_DRIFT", false, format("last tenth differs from the first: face dE %.1f, background dE %.1f", faceEnd, backgroundEnd));
    const auto sharp = m.get("sharp_end_ratio");
    if (sharp && !(*sharp > 0.6 && *sharp < 1.6))
        m.flag("SHARPNESS_DRIFT", false, format("face texture at the end is %.2f of the start", *sharp));
}

// One interval with twice the motion of both neighbours, in the same direction.
void measureDrops(Measuring& m)
{
    std::array<Series, 2> motion; // mean motion of the rigid points, pixels per frame
    for (std::size_t i = 0; i + 1 < m.frames(); ++i)
        for (std::size_t k = 0; k < 2; ++k) {
            double sum = 0;
            for (const int p : kRigidPoints)
                sum += m.points[i + 1][static_cast<std::size_t>(p)][k] - m.points[i][static_cast<std::size_t>(p)][k];
            motion[k].push_back(sum / static_cast<double>(kRigidPoints.size()));
        }
    Series bends = difference(motion[0], 2);
    const Series other = difference(motion[1], 2);
    bends.insert(bends.end(), other.begin(), other.end());
    const double usual = robustSigma(bends) + 0.05;
    const Series change = frameChanges(m);
    const std::size_t n = motion[0].size();
    for (std::size_t i = 3; i + 3 < n; ++i) {
        if (!allOf(m.valid, i - 3, i + 4) || anyOf(m.repeated, i - 2, i + 4))
            continue;
        std::array<double, 2> near{}, excess{};
        double spread = 0;
        for (std::size_t k = 0; k < 2; ++k) {
            const Series around = {motion[k][i - 2], motion[k][i - 1], motion[k][i + 1], motion[k][i + 2]};
            near[k] = mean(around);
            excess[k] = motion[k][i] - near[k];
            spread += std::pow(standardDeviation(around), 2);
        }
        const double size = std::hypot(near[0], near[1]);
        const double along = (excess[0] * near[0] + excess[1] * near[1]) / (size + 1e-9);
        const double z = along / (std::sqrt(spread) + usual);
        Series beside;
        for (const double c : {change[i], change[i + 2]})
            if (std::isfinite(c))
                beside.push_back(c);
        const double ratio = change[i + 1] / (mean(beside) + 1e-6);
        if (size > 0.8 && along / size > 0.6 && along / size < 1.7 && z > 2.5 && ratio > 1.35)
            m.out.dropSuspects.push_back({m.times[i + 1], z, ratio});
    }
    auto& drops = m.out.dropSuspects;
    m.set("drop_suspects_per_min", 60 * static_cast<double>(drops.size()) / std::max(m.seconds, 1e-3));
    if (!drops.empty()) {
        std::string at;
        for (std::size_t i = 0; i < std::min<std::size_t>(5, drops.size()); ++i)
            at += format(i ? ", %.2f" : "%.2f", drops[i].time);
        m.flag("DROP_SUSPECT", false, "possible dropped frame at " + at + " s");
    }
    drops.resize(std::min<std::size_t>(drops.size(), 20));
}

} // namespace loquor::evaluate
