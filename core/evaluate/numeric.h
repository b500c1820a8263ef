// Signal arithmetic of the measures. Pure functions; the definitions are those of NumPy and SciPy
// (named where they are not obvious), so that published numbers can be compared.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace loquor::evaluate {

using Series = std::vector<double>;
using Mask = std::vector<bool>;

double mean(std::span<const double> x);
double standardDeviation(std::span<const double> x); // population
double percentile(Series x, double percent);         // linear interpolation; NaN when empty
double median(Series x);
double nanMedian(std::span<const double> x); // of the finite values; NaN when there are none
double robustSigma(std::span<const double> x); // 1.4826 times the median absolute deviation, finite values
double correlation(std::span<const double> a, std::span<const double> b); // NaN when one is constant
// Slope of the least-squares line.
double slope(std::span<const double> x, std::span<const double> y);

Series select(std::span<const double> x, const Mask& mask);
Series difference(std::span<const double> x, int order = 1);
std::size_t count(const Mask& mask);
// Runs of true: [begin, end).
std::vector<std::pair<std::size_t, std::size_t>> runs(const Mask& mask);
// True where any of the `width` (odd) values around is.
Mask widen(const Mask& mask, std::size_t width);

// Convolution with a normalised Hann window of n values (ends repeated).
Series smooth(std::span<const double> x, std::size_t n);
// Central differences over `step` (numpy.gradient).
Series gradient(std::span<const double> x, double step);
// Savitzky-Golay filter over five values with parabolas.
Series smoothParabola5(std::span<const double> x);
// Linear interpolation; outside the ends the end values (or `outside`, both ends).
Series interpolate(std::span<const double> at, std::span<const double> x, std::span<const double> y);
Series interpolate(std::span<const double> at, std::span<const double> x, std::span<const double> y,
                   double outside);
Series toSeries(const Mask& mask); // 0 and 1
// Cubic spline with not-a-knot ends through >= 4 strictly increasing x.
Series spline(std::span<const double> at, std::span<const double> x, std::span<const double> y);
// begin, begin + step, ... < end
Series grid(double begin, double end, double step);

// Zero-phase Butterworth filters (scipy sosfiltfilt): band of order 2, low pass of order 4.
Series bandPass(std::span<const double> x, double rate, double low, double high);
Series lowPass(std::span<const double> x, double rate, double cut);

enum class Detrend {
    None = 0,
    Mean,
    Line,
};
struct Spectrum
{
    Series frequency, power; // one-sided density
};
// Welch's estimate: Hann windows of `length` overlapping by half, zero-padded to `size`.
Spectrum welch(std::span<const double> x, double rate, std::size_t length, std::size_t size, Detrend detrend);

struct Peak
{
    std::size_t index = 0;
    double height = 0, prominence = 0;
    double width = 0; // at half prominence, in samples
};
struct PeakLimits
{
    double minHeight = 0, minProminence = 0, minWidth = 0, maxWidth = 0;
};
// Local maxima within the limits (scipy find_peaks).
std::vector<Peak> findPeaks(std::span<const double> x, const PeakLimits& limits);

} // namespace loquor::evaluate
