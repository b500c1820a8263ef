#include "core/evaluate/numeric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>

#include "core/base/check.h"

namespace loquor::evaluate {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Series finite(std::span<const double> x)
{
    Series out;
    std::copy_if(x.begin(), x.end(), std::back_inserter(out), [](double v) { return std::isfinite(v); });
    return out;
}

// Removes the least-squares line or the mean.
void detrendInPlace(Series& x, Detrend kind)
{
    if (kind == Detrend::None || x.empty())
        return;
    const double middle = mean(x);
    double k = 0;
    if (kind == Detrend::Line && x.size() > 1) {
        Series index(x.size());
        std::iota(index.begin(), index.end(), 0.0);
        k = slope(index, x);
    }
    const double centre = (static_cast<double>(x.size()) - 1) / 2;
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] -= middle + k * (static_cast<double>(i) - centre);
}

// Where the curve crosses `level` going away from the peak, interpolated.
double crossing(std::span<const double> x, std::size_t peak, double level, int direction, std::size_t limit)
{
    std::size_t i = peak;
    while (i != limit && level < x[i])
        i = direction < 0 ? i - 1 : i + 1;
    auto position = static_cast<double>(i);
    if (x[i] < level)
        position -= direction * (level - x[i]) / (x[direction < 0 ? i + 1 : i - 1] - x[i]);
    return position;
}

} // namespace

double mean(std::span<const double> x)
{
    return x.empty() ? kNan : std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double standardDeviation(std::span<const double> x)
{
    const double m = mean(x);
    double sum = 0;
    for (const double v : x)
        sum += (v - m) * (v - m);
    return x.empty() ? kNan : std::sqrt(sum / static_cast<double>(x.size()));
}

double percentile(Series x, double percent)
{
    if (x.empty())
        return kNan;
    const double position = percent / 100 * static_cast<double>(x.size() - 1);
    const auto low = static_cast<std::size_t>(position);
    std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(low), x.end());
    const double a = x[low];
    if (low + 1 >= x.size())
        return a;
    const double b = *std::min_element(x.begin() + static_cast<std::ptrdiff_t>(low) + 1, x.end());
    return a + (b - a) * (position - static_cast<double>(low));
}

double median(Series x)
{
    return percentile(std::move(x), 50);
}

double nanMedian(std::span<const double> x)
{
    return median(finite(x));
}

double robustSigma(std::span<const double> x)
{
    Series values = finite(x);
    const double middle = median(values);
    for (double& v : values)
        v = std::abs(v - middle);
    return 1.4826 * median(std::move(values));
}

double correlation(std::span<const double> a, std::span<const double> b)
{
    LOQUOR_CHECK(a.size() == b.size(), "correlation needs equal lengths");
    const double ma = mean(a);
    const double mb = mean(b);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
    }
    const double size = std::sqrt(aa) * std::sqrt(bb);
    return size > 0 ? ab / size : kNan;
}

double slope(std::span<const double> x, std::span<const double> y)
{
    LOQUOR_CHECK(x.size() == y.size(), "a line needs equal lengths");
    const double mx = mean(x);
    const double my = mean(y);
    double xy = 0, xx = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mx) * (y[i] - my);
        xx += (x[i] - mx) * (x[i] - mx);
    }
    return xx > 0 ? xy / xx : kNan;
}

Series select(std::span<const double> x, const Mask& mask)
{
    LOQUOR_CHECK(x.size() == mask.size(), "a mask needs the length of its series");
    Series out;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (mask[i])
            out.push_back(x[i]);
    return out;
}

Series difference(std::span<const double> x, int order)
{
    Series out(x.begin(), x.end());
    for (; order > 0 && !out.empty(); --order) {
        for (std::size_t i = 0; i + 1 < out.size(); ++i)
            out[i] = out[i + 1] - out[i];
        out.pop_back();
    }
    return out;
}

std::size_t count(const Mask& mask)
{
    return static_cast<std::size_t>(std::count(mask.begin(), mask.end(), true));
}

std::vector<std::pair<std::size_t, std::size_t>> runs(const Mask& mask)
{
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t i = 0; i < mask.size(); ++i) {
        if (!mask[i])
            continue;
        const std::size_t begin = i;
        while (i < mask.size() && mask[i])
            ++i;
        out.emplace_back(begin, i);
    }
    return out;
}

Mask widen(const Mask& mask, std::size_t width)
{
    Mask out(mask.size(), false);
    const std::size_t half = width / 2;
    for (std::size_t i = 0; i < mask.size(); ++i)
        if (mask[i])
            for (std::size_t k = i - std::min(i, half); k < std::min(mask.size(), i + half + 1); ++k)
                out[k] = true;
    return out;
}

Series smooth(std::span<const double> x, std::size_t n)
{
    if (n <= 1 || x.size() < 3)
        return {x.begin(), x.end()};
    Series window(n);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        window[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(n + 1));
        total += window[i];
    }
    const auto last = static_cast<std::ptrdiff_t>(x.size()) - 1;
    Series out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const auto at = static_cast<std::ptrdiff_t>(i + k) - static_cast<std::ptrdiff_t>(n / 2);
            sum += window[n - 1 - k] * x[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at, 0, last))];
        }
        out[i] = sum / total;
    }
    return out;
}

Series gradient(std::span<const double> x, double step)
{
    Series out(x.size(), 0.0);
    const std::size_t n = x.size();
    if (n < 2)
        return out;
    out[0] = (x[1] - x[0]) / step;
    out[n - 1] = (x[n - 1] - x[n - 2]) / step;
    for (std::size_t i = 1; i + 1 < n; ++i)
        out[i] = (x[i + 1] - x[i - 1]) / (2 * step);
    return out;
}

Series smoothParabola5(std::span<const double> x)
{
    Series out(x.begin(), x.end());
    const std::size_t n = x.size();
    if (n < 5)
        return out;
    for (std::size_t i = 2; i + 2 < n; ++i)
        out[i] = (-3 * x[i - 2] + 12 * x[i - 1] + 17 * x[i] + 12 * x[i + 1] - 3 * x[i + 2]) / 35;
    // The ends take the parabola of the outermost five values.
    const auto end = [&](const auto& value) {
        return std::pair((31 * value(0) + 9 * value(1) - 3 * value(2) - 5 * value(3) + 3 * value(4)) / 35,
                         (9 * value(0) + 13 * value(1) + 12 * value(2) + 6 * value(3) - 5 * value(4)) / 35);
    };
    std::tie(out[0], out[1]) = end([&](std::size_t i) { return x[i]; });
    std::tie(out[n - 1], out[n - 2]) = end([&](std::size_t i) { return x[n - 1 - i]; });
    return out;
}

Series interpolate(std::span<const double> at, std::span<const double> x, std::span<const double> y)
{
    LOQUOR_CHECK(!x.empty() && x.size() == y.size(), "interpolation needs points");
    Series out;
    out.reserve(at.size());
    for (const double t : at) {
        const auto upper = std::upper_bound(x.begin(), x.end(), t);
        const auto i = static_cast<std::size_t>(upper - x.begin());
        if (i == 0)
            out.push_back(y.front());
        else if (i == x.size())
            out.push_back(y.back());
        else
            out.push_back(y[i - 1] + (y[i] - y[i - 1]) * (t - x[i - 1]) / (x[i] - x[i - 1]));
    }
    return out;
}

Series interpolate(std::span<const double> at, std::span<const double> x, std::span<const double> y,
                   double outside)
{
    Series out = interpolate(at, x, y);
    for (std::size_t i = 0; i < at.size(); ++i)
        if (at[i] < x.front() || at[i] > x.back())
            out[i] = outside;
    return out;
}

Series toSeries(const Mask& mask)
{
    return {mask.begin(), mask.end()};
}

Series spline(std::span<const double> at, std::span<const double> x, std::span<const double> y)
{
    const std::size_t n = x.size();
    LOQUOR_CHECK(n >= 4 && y.size() == n, "a spline needs four points");
    Series h(n - 1), d(n - 1); // steps and slopes of the chords
    for (std::size_t i = 0; i + 1 < n; ++i) {
        h[i] = x[i + 1] - x[i];
        d[i] = (y[i + 1] - y[i]) / h[i];
    }
    // Tridiagonal system for the slopes at the points.
    Series lower(n, 0.0), diagonal(n), upper(n, 0.0), s(n);
    const double first = x[2] - x[0];
    diagonal[0] = h[1];
    upper[0] = first;
    s[0] = ((h[0] + 2 * first) * h[1] * d[0] + h[0] * h[0] * d[1]) / first;
    for (std::size_t i = 1; i + 1 < n; ++i) {
        lower[i] = h[i];
        diagonal[i] = 2 * (h[i - 1] + h[i]);
        upper[i] = h[i - 1];
        s[i] = 3 * (h[i] * d[i - 1] + h[i - 1] * d[i]);
    }
    const double last = x[n - 1] - x[n - 3];
    lower[n - 1] = last;
    diagonal[n - 1] = h[n - 3];
    s[n - 1] = (h[n - 2] * h[n - 2] * d[n - 3] + (2 * last + h[n - 2]) * h[n - 3] * d[n - 2]) / last;
    for (std::size_t i = 1; i < n; ++i) {
        const double factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        s[i] -= factor * s[i - 1];
    }
    s[n - 1] /= diagonal[n - 1];
    for (std::size_t i = n - 1; i-- > 0;)
        s[i] = (s[i] - upper[i] * s[i + 1]) / diagonal[i];

    Series out;
    out.reserve(at.size());
    for (const double t : at) {
        const auto found = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), t) - x.begin());
        const std::size_t i = std::clamp<std::size_t>(found, 1, n - 1) - 1;
        const double u = t - x[i];
        const double c = (3 * d[i] - 2 * s[i] - s[i + 1]) / h[i];
        const double b = (s[i] + s[i + 1] - 2 * d[i]) / (h[i] * h[i]);
        out.push_back(y[i] + u * (s[i] + u * (c + u * b)));
    }
    return out;
}

Series grid(double begin, double end, double step)
{
    Series out;
    const auto n = static_cast<std::size_t>(std::max(0.0, std::ceil((end - begin) / step)));
    for (std::size_t i = 0; i < n; ++i)
        out.push_back(begin + static_cast<double>(i) * step);
    return out;
}

Spectrum welch(std::span<const double> x, double rate, std::size_t length, std::size_t size, Detrend detrend)
{
    LOQUOR_CHECK(length >= 2 && length <= x.size() && size >= length, "a spectrum needs a window inside its signal");
    Series window(length);
    double energy = 0;
    for (std::size_t i = 0; i < length; ++i) {
        window[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length));
        energy += window[i] * window[i];
    }
    const std::size_t bins = size / 2 + 1;
    Spectrum out{Series(bins), Series(bins, 0.0)};
    std::size_t segments = 0;
    for (std::size_t begin = 0; begin + length <= x.size(); begin += length - length / 2, ++segments) {
        Series part(x.begin() + static_cast<std::ptrdiff_t>(begin), x.begin() + static_cast<std::ptrdiff_t>(begin + length));
        detrendInPlace(part, detrend);
        for (std::size_t i = 0; i < length; ++i)
            part[i] *= window[i];
        for (std::size_t k = 0; k < bins; ++k) {
            double re = 0, im = 0;
            for (std::size_t i = 0; i < length; ++i) {
                const double angle = 2 * std::numbers::pi * static_cast<double>(k * i % size) / static_cast<double>(size);
                re += part[i] * std::cos(angle);
                im -= part[i] * std::sin(angle);
            }
            const bool single = k == 0 || (size % 2 == 0 && k == bins - 1);
            out.power[k] += (re * re + im * im) * (single ? 1 : 2) / (rate * energy);
        }
    }
    for (std::size_t k = 0; k < bins; ++k) {
        out.frequency[k] = static_cast<double>(k) * rate / static_cast<double>(size);
        out.power[k] /= static_cast<double>(segments);
    }
    return out;
}

std::vector<Peak> findPeaks(std::span<const double> x, const PeakLimits& limits)
{
    std::vector<Peak> out;
    for (std::size_t i = 1; i + 1 < x.size(); ++i) {
        if (!(x[i - 1] < x[i]))
            continue;
        std::size_t ahead = i + 1;
        while (ahead + 1 < x.size() && x[ahead] == x[i])
            ++ahead;
        if (!(x[ahead] < x[i]))
            continue;
        Peak peak;
        peak.index = (i + ahead - 1) / 2; // the middle of a plateau
        peak.height = x[peak.index];
        i = ahead - 1;
        if (peak.height < limits.minHeight)
            continue;
        // Bases: the lowest points before the curve rises above the peak on either side.
        std::size_t left = peak.index, right = peak.index;
        double lowLeft = peak.height, lowRight = peak.height;
        for (std::size_t k = peak.index + 1; k > 0 && x[k - 1] <= peak.height; --k)
            if (x[k - 1] < lowLeft) {
                lowLeft = x[k - 1];
                left = k - 1;
            }
        for (std::size_t k = peak.index; k < x.size() && x[k] <= peak.height; ++k)
            if (x[k] < lowRight) {
                lowRight = x[k];
                right = k;
            }
        peak.prominence = peak.height - std::max(lowLeft, lowRight);
        const double level = peak.height - peak.prominence / 2;
        peak.width = crossing(x, peak.index, level, 1, right) - crossing(x, peak.index, level, -1, left);
        if (peak.prominence >= limits.minProminence && peak.width >= limits.minWidth && peak.width <= limits.maxWidth)
            out.push_back(peak);
    }
    return out;
}

} // namespace loquor::evaluate
