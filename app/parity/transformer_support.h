// What the cases of transformers share.
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "app/parity/golden_case.h"
#include "core/modules/wan/parameters.h"
#include "core/modules/wan/tap.h"

namespace loquor::parity {

// Near the epsilons rounding is amplified; a wrong epsilon moves the result by 0.03 or more.
inline constexpr Tolerance kProbeTolerance{1e-3, 0};

// The references keep some values in part: without the dimension of a batch or timestep, the first rows only, or
// the first and the last token.
at::Tensor shapedLike(const at::Tensor& value, const at::Tensor& expected);

// Compares every inner value that the folder has under prefix + part.
modules::Tap compareParts(GoldenCase& golden, const std::string& prefix, const Tolerance& tolerance);

// Multiplies weights as "eps_probe" of the config says; gives how many. The factor it has for an input, or 1.
int applyProbe(const GoldenCase& golden, modules::Parameters& parameters);
double probeFactor(const GoldenCase& golden, const std::string& input);

} // namespace loquor::parity
