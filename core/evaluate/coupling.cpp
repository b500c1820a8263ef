#include "core/evaluate/coupling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <opencv2/core.hpp>

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

// Ridge regression in four folds with the columns rolled by `shift` samples against the signal.
class FoldedRidge
{
public:
    FoldedRidge(const std::vector<Series>& columns, std::span<const double> signal, const Mask& mask)
        : m_rows(static_cast<int>(signal.size())), m_mask(mask), m_signal(bandPass(signal, kRate, 0.7, 7.0)),
          m_columns(m_rows, static_cast<int>(columns.size()))
    {
        for (int c = 0; c < m_columns.cols; ++c) {
            const Series band = bandPass(columns[static_cast<std::size_t>(c)], kRate, 0.7, 7.0);
            for (int r = 0; r < m_rows; ++r)
                m_columns(r, c) = band[static_cast<std::size_t>(r)];
        }
    }

    static constexpr double kRate = 25;

    double fit(int shift) const
    {
        Series predicted, actual;
        for (int fold = 0; fold < kFolds; ++fold) {
            const int begin = m_rows * fold / kFolds;
            const int end = m_rows * (fold + 1) / kFolds;
            const cv::Mat_<double> weights = train(shift, begin - 6, end + 6);
            if (weights.empty())
                continue;
            for (int r = begin; r < end; ++r)
                if (m_mask[static_cast<std::size_t>(r)]) {
                    predicted.push_back(m_columns.row(source(r, shift)).dot(weights.t()));
                    actual.push_back(m_signal[static_cast<std::size_t>(r)]);
                }
        }
        return static_cast<double>(predicted.size()) > kRate ? correlation(predicted, actual) : kNan;
    }

private:
    static constexpr int kFolds = 4;
    static constexpr double kRidge = 20;

    int source(int row, int shift) const { return ((row - shift) % m_rows + m_rows) % m_rows; }

    // Without the rows [begin, end).
    cv::Mat_<double> train(int shift, int begin, int end) const
    {
        std::vector<int> rows;
        for (int r = 0; r < m_rows; ++r)
            if (m_mask[static_cast<std::size_t>(r)] && (r < begin || r >= end))
                rows.push_back(r);
        if (static_cast<double>(rows.size()) < 2 * kRate)
            return {};
        cv::Mat_<double> x(static_cast<int>(rows.size()), m_columns.cols), y(x.rows, 1);
        for (int i = 0; i < x.rows; ++i) {
            m_columns.row(source(rows[static_cast<std::size_t>(i)], shift)).copyTo(x.row(i));
            y(i, 0) = m_signal[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
        }
        cv::Mat_<double> normal, weights;
        cv::mulTransposed(x, normal, true);
        normal += kRidge * cv::Mat_<double>::eye(m_columns.cols, m_columns.cols);
        cv::solve(normal, x.t() * y, weights, cv::DECOMP_CHOLESKY);
        return weights;
    }

    int m_rows;
    Mask m_mask;
    Series m_signal;
    cv::Mat_<double> m_columns;
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
    const auto n = static_cast<int>(signal.size());
    if (static_cast<double>(count(mask)) < 4 * FoldedRidge::kRate)
        return std::nullopt;
    const FoldedRidge ridge(columns, signal, mask);
    Series curve;
    for (int shift = -8; shift <= 8; ++shift)
        curve.push_back(ridge.fit(shift));
    const std::size_t best = bestOf(curve);
    if (best == curve.size())
        return std::nullopt;
    Series chance;
    for (int shift = 30; shift < n - 30; shift += std::max(3, (n - 60) / 24))
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
