#include "core/weights/network_specs.h"
#include "core/weights/spec_builder.h"

namespace loquor::weights {

namespace {

void addMemoryBlocks(SpecBuilder& add, const std::string& side, std::int64_t first, std::int64_t width)
{
    for (std::int64_t i = first; i < first + 3; ++i) {
        const std::string name = side + std::to_string(i) + ".conv.";
        add.layer(name + '0', {width, 2 * width, 3, 3});
        add.layer(name + '2', {width, width, 3, 3});
        add.layer(name + '4', {width, width, 3, 3});
    }
}

void addGrowth(CheckpointSpec& spec, const TinyAutoencoderConfig& config, const std::string& name, std::int64_t width, std::int64_t frames)
{
    if (config.kind == Growth::Channels)
        spec.tensors.push_back({name + ".conv.weight", {width * frames, width, 1, 1}, Presence::Required, Rows::LastOfMore});
    else if (frames > 1)
        spec.tensors.push_back({name + ".conv3d.weight", {width, width, 3, 1, 1}, Presence::Required, Rows::Exact});
    else
        spec.tensors.push_back({name + ".proj.weight", {width, width, 1, 1}, Presence::Required, Rows::Exact});
}

} // namespace

CheckpointSpec tinyAutoencoderSpec(const TinyAutoencoderConfig& config)
{
    CheckpointSpec spec;
    spec.network = config.kind == Growth::Channels ? "the TAEHV autoencoder" : "the SwiftVR autoencoder (ReAE)";
    SpecBuilder add(spec);
    const std::int64_t width = config.encoderWidth;
    const std::int64_t colours = 3 * config.patch * config.patch;
    add.layer("encoder.0", {width, colours, 3, 3});
    for (std::size_t step = 0; step < 3; ++step) {
        const std::int64_t at = 2 + 5 * static_cast<std::int64_t>(step);
        add.tensor("encoder." + std::to_string(at) + ".conv.weight", {width, width * config.shrink[step], 1, 1});
        add.tensor("encoder." + std::to_string(at + 1) + ".weight", {width, width, 3, 3});
        addMemoryBlocks(add, "encoder.", at + 2, width);
    }
    add.layer("encoder.17", {config.latents, width, 3, 3});

    add.layer("decoder.1", {config.decoderWidths[0], config.latents, 3, 3});
    for (std::size_t step = 0; step < 3; ++step) {
        const std::int64_t at = 3 + 6 * static_cast<std::int64_t>(step);
        const std::int64_t in = config.decoderWidths[step];
        addMemoryBlocks(add, "decoder.", at, in);
        addGrowth(spec, config, "decoder." + std::to_string(at + 4), in, config.growth[step]);
        add.tensor("decoder." + std::to_string(at + 5) + ".weight", {config.decoderWidths[step + 1], in, 3, 3});
    }
    add.layer("decoder.22", {colours, config.decoderWidths[3], 3, 3});
    spec.spellings = {ownSpelling(config.kind == Growth::Channels ? "TAEHV" : "SwiftVR")};
    return spec;
}

} // namespace loquor::weights
