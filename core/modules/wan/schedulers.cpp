#include "core/modules/wan/schedulers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ATen/ATen.h>

#include "core/base/check.h"

namespace loquor::modules {

namespace {

constexpr double kTrainingSteps = 1000;

// Solves the small system by elimination with row exchange; the matrix is square and regular.
std::vector<double> solve(std::vector<std::vector<double>> rows, std::vector<double> right)
{
    const std::size_t n = right.size();
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t pivot = i;
        for (std::size_t r = i + 1; r < n; ++r)
            pivot = std::abs(rows[r][i]) > std::abs(rows[pivot][i]) ? r : pivot;
        std::swap(rows[i], rows[pivot]);
        std::swap(right[i], right[pivot]);
        for (std::size_t r = i + 1; r < n; ++r) {
            const double factor = rows[r][i] / rows[i][i];
            for (std::size_t c = i; c < n; ++c)
                rows[r][c] -= factor * rows[i][c];
            right[r] -= factor * right[i];
        }
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t c = i + 1; c < n; ++c)
            right[i] -= rows[i][c] * right[c];
        right[i] /= rows[i][i];
    }
    return right;
}

// Half of the logarithm of signal to noise; infinite for a clean state.
double lambda(double sigma)
{
    return std::log(1 - sigma) - std::log(sigma);
}

} // namespace

double shiftedSigma(double sigma, double shift)
{
    return shift * sigma / (1 + (shift - 1) * sigma);
}

std::vector<float> avatarTimesteps(const std::vector<double>& timesteps, double shift)
{
    std::vector<float> out;
    for (const double t : timesteps)
        out.push_back(static_cast<float>(shiftedSigma(t / kTrainingSteps, shift) * kTrainingSteps));
    out.push_back(0);
    return out;
}

FlowEuler::FlowEuler(std::int64_t steps, double shift)
{
    LOQUOR_CHECK(steps > 0, "a sampler without steps");
    // The smallest level is shifted twice, as there.
    const auto first = static_cast<double>(static_cast<float>(shiftedSigma(1, shift)));
    const auto last = static_cast<double>(static_cast<float>(shiftedSigma(1 / kTrainingSteps, shift)));
    for (std::int64_t i = 0; i < steps; ++i) {
        const double part = steps > 1 ? static_cast<double>(i) / static_cast<double>(steps - 1) : 0;
        m_sigmas.push_back(static_cast<float>(shiftedSigma(first + part * (last - first), shift)));
        m_timesteps.push_back(m_sigmas.back() * static_cast<float>(kTrainingSteps));
    }
    m_sigmas.push_back(0);
}

at::Tensor FlowEuler::step(std::int64_t index, const at::Tensor& velocity, const at::Tensor& x) const
{
    const auto i = static_cast<std::size_t>(index);
    LOQUOR_CHECK(index >= 0 && i + 1 < m_sigmas.size(), "a step that is not there");
    return x + velocity * (m_sigmas[i + 1] - m_sigmas[i]);
}

struct FlowUniPC::Impl
{
    int order = 2;
    std::vector<float> sigmas;
    std::vector<std::int64_t> timesteps;
    std::vector<at::Tensor> clean; // predictions, newest last, at most `order`
    at::Tensor last;               // state before the step before
    int lastOrder = 1;
    std::int64_t finished = 0;

    // What both halves share: weights of the differences between clean predictions.
    struct Weights
    {
        double noise = 0, signal = 0, step = 0; // sigma_t / sigma_s, 1 - sigma_t, e^-h - 1
        std::vector<double> ratios;             // of the older predictions, then 1
        std::vector<double> right;
    };
    Weights weights(std::size_t from, std::size_t to, int usedOrder) const
    {
        Weights w;
        const double sigmaTo = static_cast<double>(sigmas[to]), sigmaFrom = static_cast<double>(sigmas[from]);
        const double h = lambda(sigmaTo) - lambda(sigmaFrom);
        w.noise = sigmaTo / sigmaFrom;
        w.signal = 1 - sigmaTo;
        w.step = std::expm1(-h);
        for (int i = 1; i < usedOrder; ++i)
            w.ratios.push_back((lambda(static_cast<double>(sigmas[from - static_cast<std::size_t>(i)])) - lambda(sigmaFrom)) / h);
        w.ratios.push_back(1);
        double phi = w.step / -h - 1, factorial = 1;
        for (int i = 1; i <= usedOrder; ++i) {
            w.right.push_back(phi * factorial / w.step);
            factorial *= i + 1;
            phi = phi / -h - 1 / factorial;
        }
        return w;
    }
    static std::vector<double> coefficients(const Weights& w, std::size_t count)
    {
        std::vector<std::vector<double>> rows(count, std::vector<double>(count));
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t c = 0; c < count; ++c)
                rows[r][c] = std::pow(w.ratios[c], static_cast<double>(r));
        return solve(rows, {w.right.begin(), w.right.begin() + static_cast<std::ptrdiff_t>(count)});
    }
    // Differences of the older predictions to the newest, each over its ratio.
    at::Tensor difference(const Weights& w, std::size_t index) const
    {
        return (clean[clean.size() - 2 - index] - clean.back()) / w.ratios[index];
    }

    at::Tensor predict(std::size_t index, int usedOrder, const at::Tensor& x) const
    {
        const Weights w = weights(index, index + 1, usedOrder);
        at::Tensor out = x * w.noise - clean.back() * (w.signal * w.step);
        const auto count = static_cast<std::size_t>(usedOrder - 1);
        const std::vector<double> rho = usedOrder == 2 ? std::vector<double>{0.5} : coefficients(w, count);
        for (std::size_t i = 0; i < count; ++i)
            out -= difference(w, i) * (w.signal * w.step * rho[i]);
        return out;
    }
    at::Tensor correct(std::size_t index, const at::Tensor& now) const
    {
        const Weights w = weights(index - 1, index, lastOrder);
        at::Tensor out = last * w.noise - clean.back() * (w.signal * w.step);
        const std::vector<double> rho = lastOrder == 1 ? std::vector<double>{0.5} : coefficients(w, static_cast<std::size_t>(lastOrder));
        for (std::size_t i = 0; i + 1 < rho.size(); ++i)
            out -= difference(w, i) * (w.signal * w.step * rho[i]);
        return out - (now - clean.back()) * (w.signal * w.step * rho.back());
    }
};

FlowUniPC::FlowUniPC(std::int64_t steps, double shift, int order) : m(std::make_unique<Impl>())
{
    LOQUOR_CHECK(steps > 0 && order >= 1 && order <= 3, "a sampler without steps, or of an order it does not have");
    m->order = order;
    for (std::int64_t i = 0; i < steps; ++i) {
        const double sigma = 1 + static_cast<double>(i) / static_cast<double>(steps) * (1 / kTrainingSteps - 1);
        double shifted = shiftedSigma(sigma, shift);
        if (i == 0)
            shifted -= 1e-6; // of pure noise the logarithm would be infinite
        m->sigmas.push_back(static_cast<float>(shifted));
        m->timesteps.push_back(static_cast<std::int64_t>(shifted * kTrainingSteps));
    }
    m->sigmas.push_back(0);
}
FlowUniPC::~FlowUniPC() = default;

const std::vector<float>& FlowUniPC::sigmas() const
{
    return m->sigmas;
}
const std::vector<std::int64_t>& FlowUniPC::timesteps() const
{
    return m->timesteps;
}

at::Tensor FlowUniPC::step(std::int64_t index, const at::Tensor& velocity, const at::Tensor& x)
{
    const auto steps = static_cast<std::int64_t>(m->timesteps.size());
    LOQUOR_CHECK(index == m->finished && index < steps, "a step out of order");
    const auto i = static_cast<std::size_t>(index);
    const at::Tensor now = x - velocity * m->sigmas[i];
    const at::Tensor corrected = index > 0 ? m->correct(i, now) : x;
    m->clean.push_back(now);
    if (m->clean.size() > static_cast<std::size_t>(m->order))
        m->clean.erase(m->clean.begin());
    // Lower at the beginning, where predictions are few, and at the end.
    m->lastOrder = static_cast<int>(std::min<std::int64_t>({m->order, steps - index, index + 1}));
    m->last = corrected;
    ++m->finished;
    return m->predict(i, m->lastOrder, corrected);
}

void FlowUniPC::restart()
{
    m->clean.clear();
    m->last = at::Tensor();
    m->finished = 0;
}

} // namespace loquor::modules
