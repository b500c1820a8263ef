// The Wan transformers: one pass, inside and out, and with variances near the epsilons.
#include <ATen/ATen.h>

#include "app/parity/cases.h"
#include "app/parity/transformer_support.h"
#include "core/modules/wan/wan_prepared.h"
#include "core/weights/network_specs.h"

namespace loquor::parity {

namespace {

using modules::Sinusoid;
using modules::Tap;
using modules::WanTransformer;

// One pass of a Wan transformer that does not hear.
at::Tensor pass(GoldenCase& golden, const WanTransformer& network, Sinusoid sinusoid, double imageFactor, const Tap& tap)
{
    const at::Tensor x = golden.io("x");
    const at::Tensor image = golden.has("image_tokens") ? golden.io("image_tokens") * imageFactor : at::Tensor();
    const auto grid = network.grid(x.size(2), x.size(3), x.size(4));
    const auto modulation = network.modulation(golden.io("timestep"), sinusoid, tap);
    const auto context = network.context(golden.io("text"), image, tap);
    return network.velocity(x, *grid, *modulation, context.get(), nullptr, tap);
}

} // namespace

at::Tensor shapedLike(const at::Tensor& value, const at::Tensor& expected)
{
    at::Tensor out = value;
    if (out.dim() == expected.dim() + 1 && out.size(1) == 1)
        out = out.squeeze(1); // of one timestep
    else if (out.dim() == expected.dim() + 1 && out.size(0) == 1)
        out = out.squeeze(0);
    if (out.dim() == 3 && expected.dim() == 3 && expected.size(1) == 2 && out.size(1) > 2)
        return at::stack({out.select(1, 0), out.select(1, out.size(1) - 1)}, 1); // first and last token
    if (out.dim() == expected.dim() && out.dim() >= 2 && out.size(-2) > expected.size(-2))
        out = out.narrow(-2, 0, expected.size(-2)); // the first rows
    return out;
}

Tap compareParts(GoldenCase& golden, const std::string& prefix, const Tolerance& tolerance)
{
    return [&golden, prefix, tolerance](const std::string& part, const at::Tensor& value) {
        if (golden.has(prefix + part))
            golden.compare(prefix + part, shapedLike(value, golden.io(prefix + part)), tolerance);
    };
}

int applyProbe(const GoldenCase& golden, modules::Parameters& parameters)
{
    int scaled = 0;
    for (const nlohmann::json& rule : golden.config().at("eps_probe").at("weights"))
        scaled += parameters.scale(rule.at("name_regex").get<std::string>(), rule.at("multiply").get<double>());
    return scaled;
}

double probeFactor(const GoldenCase& golden, const std::string& input)
{
    return golden.config().at("eps_probe").at("inputs").value(input, 1.0);
}

Result<void> runWanDit(GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readWanDitConfig(golden.configText(), golden.configFile()));
    const auto spec = weights::wanDitSpec(config);
    LQ_TRY(auto parameters, golden.load("weights.safetensors", spec));
    const WanTransformer network(config, parameters);
    const Tolerance tolerance = golden.tolerance();
    const at::Tensor x = golden.io("x");
    const auto grid = network.grid(x.size(2), x.size(3), x.size(4));
    golden.compareIfThere("rope_cos", grid->cosine, tolerance);
    golden.compareIfThere("rope_sin", grid->sine, tolerance);
    if (golden.has("out")) // in live comparisons the library has only its own sinusoid
        golden.compare("out", pass(golden, network, Sinusoid::Double, 1, compareParts(golden, "", tolerance)), tolerance);
    golden.compare("out_diffusers_f32_sinusoid", pass(golden, network, Sinusoid::Single, 1, {}), tolerance);
    if (golden.config().contains("eps_probe")) {
        applyProbe(golden, parameters);
        const WanTransformer probed(config, parameters);
        golden.compare("eps_probe.out", pass(golden, probed, Sinusoid::Double, probeFactor(golden, "image_tokens"), {}), kProbeTolerance);
    }
    return {};
}

Result<void> runFlashHeadLite(GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readWanDitConfig(golden.configText(), golden.configFile(), weights::AudioPath::InsteadOfText));
    LQ_TRY(const auto parameters, golden.load("weights.safetensors", weights::wanDitSpec(config)));
    const WanTransformer network(config, parameters);
    const Tolerance tolerance = golden.tolerance();
    const Tap tap = compareParts(golden, "fwd.", tolerance);
    const at::Tensor x = at::cat({golden.io("x"), golden.io("y")}, 1);
    const auto grid = network.grid(x.size(2), x.size(3), x.size(4));
    const auto modulation = network.modulation(golden.io("timestep"), Sinusoid::Double, tap);
    const auto audio = network.audio(golden.io("audio"), tap);
    golden.compare("fwd.out", network.velocity(x, *grid, *modulation, nullptr, audio.get(), tap), tolerance);
    return {};
}

Result<void> runSwiftVrDit(GoldenCase& golden)
{
    LQ_TRY(auto config, weights::readWanDitConfig(golden.configText(), golden.configFile()));
    config.textLength = 0; // the prompt as it is
    LQ_TRY(const auto parameters, golden.load("weights.safetensors", weights::wanDitSpec(config)));
    const WanTransformer network(config, parameters);
    const Tolerance tolerance = golden.tolerance();
    const auto window = golden.config().at("window_hw").get<std::vector<std::int64_t>>();
    const at::Tensor latents = golden.io("z_lq");
    const auto grid = network.grid(latents.size(2), latents.size(3), latents.size(4), modules::AttentionWindow{window.at(0), window.at(1)});
    for (const bool odd : {false, true}) {
        const std::string name = odd ? "window.odd." : "window.even.";
        golden.compare(name + "h_starts", at::tensor(modules::windowStarts(grid->rows, window[0], odd)), {});
        golden.compare(name + "w_starts", at::tensor(modules::windowStarts(grid->columns, window[1], odd)), {});
        golden.compare(name + "gather", grid->plans[odd ? 1 : 0].gather, {});
        golden.compare(name + "owner", grid->plans[odd ? 1 : 0].owner, {});
    }
    const Tap parts = compareParts(golden, "", tolerance);
    const Tap tap = [&](const std::string& part, const at::Tensor& value) {
        parts(part == "time_e" ? "temb" : part == "time_e0_flat" ? "e0_flat"
                                                                 : part,
              value);
    };
    const double timestep = golden.config().at("timestep").get<double>();
    const auto modulation = network.modulation(at::full({latents.size(0)}, timestep, at::kDouble), Sinusoid::Double, tap);
    const auto context = network.context(golden.io("prompt_emb").unsqueeze(0), {}, tap);
    golden.compare("v", network.velocity(latents, *grid, *modulation, context.get(), nullptr, tap), tolerance);
    return {};
}

} // namespace loquor::parity
