#include "core/evaluate/coupling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace loquor::evaluate {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Correlation of a with b shifted by `shift` samples, inside the mask of both.
double shiftedCorrelation(const Series& a, const Series& b, const Mask& mask, std::ptrdiff_t shift, double minimum,
                          bool circular)
{
    const auto n = static_cast<std::ptrdiff_t>(a.size());
    Series u, v;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        std::ptrdiff_t k = i + shift;
        if (circular)
            k = (k % n + n) % n;
        if (k < 0 || k >= n || !mask[static_cast<std::size_t>(i)] || !mask[static_cast<std::size_t>(k)])
            continue;
        u.push_back(a[static_cast<std::size_t>(i)]);
        v.push_back(b[static_cast<std::size_t>(k)]);
    }
    if (static_cast<double>(u.size()) < minimum || standardDeviation(u) < 1e-9 || standardDeviation(v) < 1e-9)
        return kNan;
    return correlation(u, v);
}

std::size_t bestOf(const Series& curve)
{
    std::size_t best = curve.size();
    for (std::size_t i = 0; i < curve.size(); ++i)
        if (std::isfinite(curve[i]) && (best == curve.size() || curve[i] > curve[best]))
            best = i;
    return best;
}

Series finiteOf(Series values)
{
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    return values;
}

// Normal equations of a least-squares fit: X'X (upper triangle, row-major) and X'y.
struct Normal
{
    explicit Normal(std::size_t columns) : size(columns), matrix(columns * columns, 0.0), right(columns, 0.0) {}

    void add(std::span<const double> row, double y, double weight)
    {
        for (std::size_t i = 0; i < size; ++i) {
            const double v = weight * row[i];
            for (std::size_t k = i; k < size; ++k)
                matrix[i * size + k] += v * row[k];
            right[i] += v * y;
        }
    }

    // Solves (X'X + ridge) w = X'y by Cholesky; the matrix is positive definite since ridge > 0.
    Series solve(double ridge)
    {
        for (std::size_t i = 0; i < size; ++i) {
            double* row = &matrix[i * size];
            row[i] += ridge;
            const double pivot = std::sqrt(row[i]);
            for (std::size_t k = i; k < size; ++k)
                row[k] /= pivot;
            right[i] /= pivot;
            for (std::size_t j = i + 1; j < size; ++j) {
                for (std::size_t k = j; k < size; ++k)
                    matrix[j * size + k] -= row[j] * row[k];
                right[j] -= row[j] * right[i];
            }
        }
        for (std::size_t i = size; i-- > 0;) {
            for (std::size_t k = i + 1; k < size; ++k)
                right[i] -= matrix[i * size + k] * right[k];
            right[i] /= matrix[i * size + i];
        }
        return right;
    }

    std::size_t size;
    Series matrix, right;
};

// Ridge regression in four folds with the columns rolled by `shift` samples against the signal.
class FoldedRidge
{
public:
    FoldedRidge(const std::vector<Series>& columns, std::span<const double> signal, const Mask& mask)
        : m_rows(static_cast<std::ptrdiff_t>(signal.size())), m_width(columns.size()), m_mask(mask),
          m_signal(bandPass(signal, kRate, 0.7, 7.0)), m_values(signal.size() * columns.size())
    {
        for (std::size_t c = 0; c < m_width; ++c) {
            const Series band = bandPass(columns[c], kRate, 0.7, 7.0);
            for (std::size_t r = 0; r < band.size(); ++r)
                m_values[r * m_width + c] = band[r];
        }
    }

    static constexpr double kRate = 25;

    double fit(std::ptrdiff_t shift) const
    {
        Normal all(m_width);
        const std::size_t total = addRows(all, shift, 0, m_rows, 1);
        Series predicted, actual;
        for (std::ptrdiff_t fold = 0; fold < kFolds; ++fold) {
            const std::ptrdiff_t begin = m_rows * fold / kFolds;
            const std::ptrdiff_t end = m_rows * (fold + 1) / kFolds;
            Normal training = all; // without the fold and six rows around it
            const std::size_t left = total - addRows(training, shift, begin - 6, end + 6, -1);
            if (static_cast<double>(left) < 2 * kRate)
                continue;
            const Series weights = training.solve(kRidge);
            for (std::ptrdiff_t r = begin; r < end; ++r)
                if (m_mask[static_cast<std::size_t>(r)]) {
                    const auto values = row(r, shift);
                    predicted.push_back(std::inner_product(values.begin(), values.end(), weights.begin(), 0.0));
                    actual.push_back(m_signal[static_cast<std::size_t>(r)]);
                }
        }
        return static_cast<double>(predicted.size()) > kRate ? correlation(predicted, actual) : kNan;
    }

private:
    static constexpr std::ptrdiff_t kFolds = 4;
    static constexpr double kRidge = 20;

    std::span<const double> row(std::ptrdiff_t r, std::ptrdiff_t shift) const
    {
        const std::ptrdiff_t from = ((r - shift) % m_rows + m_rows) % m_rows;
        return std::span(m_values).subspan(static_cast<std::size_t>(from) * m_width, m_width);
    }

    // Adds the rows of the mask in [begin, end); gives their number.
    std::size_t addRows(Normal& normal, std::ptrdiff_t shift, std::ptrdiff_t begin, std::ptrdiff_t end, double weight) const
    {
        std::size_t added = 0;
        for (std::ptrdiff_t r = std::max<std::ptrdiff_t>(0, begin); r < std::min(m_rows, end); ++r)
            if (m_mask[static_cast<std::size_t>(r)]) {
                normal.add(row(r, shift), m_signal[static_cast<std::size_t>(r)], weight);
                ++added;
            }
        return added;
    }

    std::ptrdiff_t m_rows;
    std::size_t m_width;
    Mask m_mask;
    Series m_signal;
    Series m_values; // row by row
};

} // namespace

std::optional<Lag> findLag(std::span<const double> first, std::span<const double> second, double rate,
                           const Mask& mask, const LagOptions& options)
{
    const Series a = bandPass(first, rate, options.bandLow, options.bandHigh);
    const Series b = bandPass(second, rate, options.bandLow, options.bandHigh);
    const auto reach = static_cast<std::ptrdiff_t>(options.maxSeconds * rate);
    const double minimum = 0.6 * rate;
    Lag out;
    for (std::ptrdiff_t k = -reach; k <= reach; ++k)
        out.curve.push_back(shiftedCorrelation(a, b, mask, k, minimum, false));
    const std::size_t best = bestOf(out.curve);
    if (best == out.curve.size())
        return std::nullopt;

    Series chance;
    const auto n = static_cast<std::ptrdiff_t>(a.size());
    const auto away = static_cast<std::ptrdiff_t>(options.nullFrom * rate);
    for (std::ptrdiff_t k = away; k < n - away; k += std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(0.07 * rate)))
        chance.push_back(shiftedCorrelation(a, b, mask, -k, minimum, true));
    chance = finiteOf(std::move(chance));

    double lag = static_cast<double>(best) - static_cast<double>(reach);
    if (best > 0 && best + 1 < out.curve.size()) { // the top of a parabola through three values
        const double y0 = out.curve[best - 1], y1 = out.curve[best], y2 = out.curve[best + 1];
        const double bend = y0 - 2 * y1 + y2;
        if (std::isfinite(bend) && std::abs(bend) > 1e-12)
            lag += 0.5 * (y0 - y2) / bend;
    }
    out.milliseconds = 1000 * lag / rate;
    out.r = out.curve[best];
    out.rAtZero = out.curve[out.curve.size() / 2];
    out.z = chance.size() >= 8 ? (out.r - mean(chance)) / (standardDeviation(chance) + 1e-9) : kNan;
    double elsewhere = kNan;
    for (std::size_t i = 0; i < out.curve.size(); ++i) {
        const double distance = std::abs(static_cast<double>(i) - static_cast<double>(best));
        if (distance > 0.15 * rate && std::isfinite(out.curve[i]) && !(out.curve[i] <= elsewhere))
            elsewhere = out.curve[i];
    }
    out.margin = out.r - elsewhere;
    out.atEdge = best < 3 || best + 4 > out.curve.size();
    return out;
}

std::optional<OwnFit> fitOwnCoupling(const std::vector<Series>& columns, std::span<const double> signal,
                                     const Mask& mask)
{
    const auto n = static_cast<std::ptrdiff_t>(signal.size());
    if (static_cast<double>(count(mask)) < 4 * FoldedRidge::kRate)
        return std::nullopt;
    const FoldedRidge ridge(columns, signal, mask);
    Series curve;
    for (std::ptrdiff_t shift = -8; shift <= 8; ++shift)
        curve.push_back(ridge.fit(shift));
    const std::size_t best = bestOf(curve);
    if (best == curve.size())
        return std::nullopt;
    Series chance;
    for (std::ptrdiff_t shift = 30; shift < n - 30; shift += std::max<std::ptrdiff_t>(3, (n - 60) / 24))
        chance.push_back(ridge.fit(shift));
    chance = finiteOf(std::move(chance));
    OwnFit out;
    out.r = curve[best];
    out.milliseconds = 1000 * (static_cast<double>(best) - 8) / FoldedRidge::kRate;
    if (chance.size() >= 6)
        out.z = (out.r - mean(chance)) / (standardDeviation(chance) + 0.05);
    return out;
}

} // namespace loquor::evaluate
