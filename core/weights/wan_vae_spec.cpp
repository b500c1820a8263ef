#include <string>

#include "core/weights/network_specs.h"
#include "core/weights/spec_builder.h"

namespace loquor::weights {

namespace {

void addResidual(SpecBuilder& add, const std::string& name, std::int64_t in, std::int64_t out)
{
    add.tensor(name + ".residual.0.gamma", {in, 1, 1, 1});
    add.layer(name + ".residual.2", {out, in, 3, 3, 3});
    add.tensor(name + ".residual.3.gamma", {out, 1, 1, 1});
    add.layer(name + ".residual.6", {out, out, 3, 3, 3});
    if (in != out)
        add.layer(name + ".shortcut", {out, in, 1, 1, 1});
}

void addMiddle(SpecBuilder& add, const std::string& name, std::int64_t width)
{
    addResidual(add, name + ".0", width, width);
    add.tensor(name + ".1.norm.gamma", {width, 1, 1});
    add.layer(name + ".1.to_qkv", {3 * width, width, 1, 1});
    add.layer(name + ".1.proj", {width, width, 1, 1});
    addResidual(add, name + ".2", width, width);
}

void addEncoder(SpecBuilder& add, const WanVaeConfig& config)
{
    std::int64_t width = config.base * config.multipliers.front();
    add.layer("encoder.conv1", {config.base, 3, 3, 3, 3});
    std::int64_t in = config.base, index = 0;
    const auto next = [&index] { return "encoder.downsamples." + std::to_string(index++); };
    for (std::size_t stage = 0; stage < config.multipliers.size(); ++stage) {
        width = config.base * config.multipliers[stage];
        for (std::int64_t i = 0; i < config.blocks; ++i, in = width)
            addResidual(add, next(), in, width);
        if (stage + 1 == config.multipliers.size())
            break;
        const std::string name = next();
        add.layer(name + ".resample.1", {width, width, 3, 3});
        if (config.temporal[stage])
            add.layer(name + ".time_conv", {width, width, 3, 1, 1});
    }
    addMiddle(add, "encoder.middle", width);
    add.tensor("encoder.head.0.gamma", {width, 1, 1, 1});
    add.layer("encoder.head.2", {2 * config.latents, width, 3, 3, 3});
}

void addDecoder(SpecBuilder& add, const WanVaeConfig& config)
{
    std::int64_t width = config.base * config.multipliers.back();
    add.layer("decoder.conv1", {width, config.latents, 3, 3, 3});
    addMiddle(add, "decoder.middle", width);
    std::int64_t in = width, index = 0;
    const auto next = [&index] { return "decoder.upsamples." + std::to_string(index++); };
    for (std::size_t stage = config.multipliers.size(); stage-- > 0;) {
        width = config.base * config.multipliers[stage];
        for (std::int64_t i = 0; i <= config.blocks; ++i, in = width)
            addResidual(add, next(), in, width);
        if (stage == 0)
            break;
        const std::string name = next();
        add.layer(name + ".resample.1", {width / 2, width, 3, 3});
        if (config.temporal[stage - 1])
            add.layer(name + ".time_conv", {2 * width, width, 3, 1, 1});
        in = width / 2;
    }
    add.tensor("decoder.head.0.gamma", {width, 1, 1, 1});
    add.layer("decoder.head.2", {3, width, 3, 3, 3});
}

// "decoder.upsamples.5.x": one row of numbers there, stages of blocks and an upsampler in diffusers.
std::string stagedName(const std::string& name, const WanVaeConfig& config)
{
    const std::string start = "decoder.upsamples.";
    if (!name.starts_with(start))
        return name;
    const std::size_t dot = name.find('.', start.size());
    const std::int64_t index = std::stoll(name.substr(start.size(), dot - start.size()));
    const std::int64_t perStage = config.blocks + 2;
    const std::int64_t stage = index / perStage, inside = index % perStage;
    const std::string part = inside <= config.blocks ? "resnets." + std::to_string(inside) : "upsamplers.0";
    return "decoder.up_blocks." + std::to_string(stage) + '.' + part + name.substr(dot);
}

FileTensor diffusersName(const TensorSpec& tensor, const WanVaeConfig& config)
{
    static const Renaming kPlaces = {{"encoder.conv1", "encoder.conv_in"},
                                     {"decoder.conv1", "decoder.conv_in"},
                                     {"conv1", "quant_conv"},
                                     {"conv2", "post_quant_conv"},
                                     {"head.0", "norm_out"},
                                     {"head.2", "conv_out"},
                                     {"downsamples", "down_blocks"},
                                     {"middle.0", "mid_block.resnets.0"},
                                     {"middle.1", "mid_block.attentions.0"},
                                     {"middle.2", "mid_block.resnets.1"}};
    static const Renaming kParts = {{"residual.0", "norm1"}, {"residual.2", "conv1"}, {"residual.3", "norm2"}, {"residual.6", "conv2"}, {"shortcut", "conv_shortcut"}};
    const std::string place = renamed(stagedName(tensor.name, config), kPlaces);
    return {renamed(place, kParts), tensor.shape};
}

} // namespace

CheckpointSpec wanVaeSpec(const WanVaeConfig& config)
{
    CheckpointSpec spec;
    spec.network = "the Wan 2.1 VAE";
    SpecBuilder add(spec);
    addEncoder(add, config);
    add.layer("conv1", {2 * config.latents, 2 * config.latents, 1, 1, 1});
    add.layer("conv2", {config.latents, config.latents, 1, 1, 1});
    addDecoder(add, config);
    spec.spellings = {ownSpelling("the original Wan code"), {"diffusers", [config](const TensorSpec& t) { return std::vector<FileTensor>{diffusersName(t, config)}; }}};
    spec.prefixes = {"first_stage_model.", "vae.", "model."};
    return spec;
}

} // namespace loquor::weights
