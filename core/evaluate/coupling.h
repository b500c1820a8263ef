// How well two signals follow each other, and with which delay.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/evaluate/numeric.h"

namespace loquor::evaluate {

struct LagOptions
{
    double maxSeconds = 0.5;
    double nullFrom = 0.8; // shifts from here on cannot be right: they show what chance gives
    double bandLow = 0.7, bandHigh = 7.0; // Hz
};

struct Lag
{
    double milliseconds = 0; // > 0: the second signal is late
    double r = 0, rAtZero = 0;
    double z = 0;       // against chance; NaN when the clip is too short to tell
    double margin = 0;  // to the best correlation elsewhere
    bool atEdge = false;
    Series curve;       // NaN where too little is left to compare
};

// Correlation of a(t) with b(t + lag) where the mask holds. Nothing when there is too little to compare.
std::optional<Lag> findLag(std::span<const double> a, std::span<const double> b, double rate, const Mask& mask,
                           const LagOptions& options = {});

struct OwnFit
{
    double r = 0, milliseconds = 0;
    std::optional<double> z;
};

// How well the columns, fitted to the signal itself (ridge, four folds), explain it. Rate 25 Hz.
std::optional<OwnFit> fitOwnCoupling(const std::vector<Series>& columns, std::span<const double> signal,
                                     const Mask& mask);

} // namespace loquor::evaluate
