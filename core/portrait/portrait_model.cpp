#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

std::vector<float> catmullRomWeights(int knots, int subSteps)
{
    const int rows = (knots - 1) * subSteps + 1;
    std::vector<float> weights(static_cast<std::size_t>(rows * knots), 0.f);
    for (int row = 0; row < rows; ++row) {
        float* out = weights.data() + static_cast<std::size_t>(row * knots);
        if (row == rows - 1) {
            out[knots - 1] = 1;
            break;
        }
        const int knot = row / subSteps;
        const double t = static_cast<double>(row % subSteps) / subSteps;
        const double w[4] = {-.5 * t + t * t - .5 * t * t * t, 1 - 2.5 * t * t + 1.5 * t * t * t,
                             .5 * t + 2 * t * t - 1.5 * t * t * t, -.5 * t * t + .5 * t * t * t};
        // Knots beyond the ends are extrapolated: P[-1] = 2 P[0] - P[1].
        std::vector<double> sum(static_cast<std::size_t>(knots), 0.0);
        for (int i = 0; i < 4; ++i) {
            const int k = knot - 1 + i;
            if (k < 0) {
                sum[0] += 2 * w[i];
                sum[1] -= w[i];
            } else if (k >= knots) {
                sum[static_cast<std::size_t>(knots - 1)] += 2 * w[i];
                sum[static_cast<std::size_t>(knots - 2)] -= w[i];
            } else {
                sum[static_cast<std::size_t>(k)] += w[i];
            }
        }
        for (int k = 0; k < knots; ++k)
            out[k] = static_cast<float>(sum[static_cast<std::size_t>(k)]);
    }
    return weights;
}

} // namespace loquor::portrait
