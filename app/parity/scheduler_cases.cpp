// Samplers on the toy model of the references: v = tanh(a x) + b t / 1000 cos(x).
#include <ATen/ATen.h>

#include "app/parity/cases.h"
#include "core/modules/wan/schedulers.h"

namespace loquor::parity {

namespace {

at::Tensor toyVelocity(GoldenCase& golden, const at::Tensor& x, double timestep)
{
    return (golden.io("a") * x).tanh() + golden.io("b") * (timestep / 1000) * x.cos();
}

at::Tensor numbers(const std::vector<float>& values)
{
    return at::tensor(at::ArrayRef<float>(values));
}

template<class Sampler>
void runSampler(GoldenCase& golden, const std::string& name, Sampler& sampler)
{
    const auto& timesteps = sampler.timesteps();
    std::vector<float> times(timesteps.begin(), timesteps.end());
    golden.compare(name + ".sigmas", numbers(sampler.sigmas()), golden.tolerance("sigma_abs", ""));
    golden.compare(name + ".timesteps", numbers(times), golden.tolerance("timestep_abs", ""));
    at::Tensor x = golden.io("x0");
    for (std::size_t i = 0; i < times.size(); ++i) {
        x = sampler.step(static_cast<std::int64_t>(i), toyVelocity(golden, x, static_cast<double>(times[i])), x);
        golden.compareIfThere(name + ".x_after" + std::to_string(i), x, golden.tolerance("x_abs", ""));
    }
}

} // namespace

Result<void> runSchedulers(GoldenCase& golden)
{
    for (const nlohmann::json& run : golden.config().at("runs")) {
        const auto name = run.at("name").get<std::string>();
        const auto steps = run.at("steps").get<std::int64_t>();
        const double shift = run.at("shift").get<double>();
        if (run.at("kind") == "euler") {
            modules::FlowEuler sampler(steps, shift);
            runSampler(golden, name, sampler);
        } else if (run.at("kind") == "unipc") {
            modules::FlowUniPC sampler(steps, shift, run.value("solver_order", 2));
            runSampler(golden, name, sampler);
            sampler.restart(); // and again from the beginning
            runSampler(golden, name, sampler);
        } else {
            return fail(ErrorCode::Unsupported, golden.configFile() + ": the sampler " + run.at("kind").dump() + " is not known.");
        }
    }
    for (const std::string& name : golden.names("avatar4.shift")) {
        const double shift = std::stod(name.substr(std::string("avatar4.shift").size()));
        golden.compare(name, numbers(modules::avatarTimesteps({1000, 750, 500, 250}, shift)), golden.tolerance("timestep_abs", ""));
    }
    return {};
}

} // namespace loquor::parity
