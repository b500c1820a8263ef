// FlashTalk and FlashHead: a pass inside and out, whole chunks through sampler, decoder and colours, and what is
// done to pictures.
#include <ATen/ATen.h>

#include "app/parity/cases.h"
#include "app/parity/transformer_support.h"
#include "core/modules/wan/avatar_sampler.h"
#include "core/modules/wan/colour_match.h"
#include "core/modules/wan/fit_picture.h"
#include "core/modules/wan/schedulers.h"
#include "core/modules/wan/wan_transformer.h"
#include "core/modules/wan/wan_vae.h"
#include "core/weights/network_specs.h"

namespace loquor::parity {

namespace {

using modules::Sinusoid;
using modules::Tap;
using modules::WanTransformer;
using modules::WanVae;

// Everything a case runs with. Latents of the folder have no batch; `condition` stands after the noisy channels.
struct Avatar
{
    GoldenCase& golden;
    const WanTransformer& network;
    const WanVae& vae;
    at::Tensor condition; // [1, channels, frames, height, width]
    std::shared_ptr<const modules::WanContext> context;
    std::shared_ptr<const modules::WanGrid> grid;

    at::Tensor latents(const std::string& name) const { return golden.io(name).unsqueeze(0); }
    at::Tensor velocity(const at::Tensor& x, float timestep, const modules::WanAudio& audio, const Tap& tap = {}) const
    {
        const auto modulation = network.modulation(at::tensor({timestep}), Sinusoid::Double, tap);
        return network.velocity(at::cat({x, condition}, 1), *grid, *modulation, context.get(), &audio, tap);
    }
};

Tolerance forward(const GoldenCase& golden)
{
    return golden.tolerance("forward_abs", "forward_rel");
}
Tolerance trace(const GoldenCase& golden)
{
    return golden.tolerance("trace_latent_abs", "");
}

std::vector<float> timesteps(GoldenCase& golden, const std::string& name)
{
    const at::Tensor values = golden.io(name).contiguous();
    return {values.const_data_ptr<float>(), values.const_data_ptr<float>() + values.numel()};
}

// One chunk from recorded noise, compared step by step when the folder has the steps.
at::Tensor sample(const Avatar& avatar, const std::string& chunk, const std::vector<float>& times, const at::Tensor& motion, const modules::WanAudio& audio)
{
    GoldenCase& golden = avatar.golden;
    modules::AvatarSampling sampling;
    sampling.timesteps = times;
    sampling.noise = [&](std::int64_t step) { return avatar.latents(chunk + "step" + std::to_string(step) + ".noise"); };
    sampling.velocity = [&](std::int64_t step, const at::Tensor& x) {
        const std::string name = chunk + "step" + std::to_string(step);
        golden.compareIfThere(name + ".latent_in", x.squeeze(0), trace(golden));
        const at::Tensor v = avatar.velocity(x, times[static_cast<std::size_t>(step)], audio);
        golden.compareIfThere(name + ".v", v.squeeze(0), trace(golden));
        return v;
    };
    modules::HeldLatents held;
    for (std::int64_t i = 0; i < motion.size(2); ++i)
        held.places.push_back(i);
    const at::Tensor out = modules::sampleChunk(sampling, avatar.latents(chunk + "noise_init"), motion, held);
    golden.compare(chunk + "latent_out", out.squeeze(0), trace(golden));
    return out;
}

// Frames that the folder keeps: those of an index, or the last ones.
void compareFrames(GoldenCase& golden, const std::string& name, const std::string& index, const at::Tensor& video, const Tolerance& tolerance)
{
    if (!golden.has(name))
        return;
    const at::Tensor expected = golden.io(name);
    const bool indexed = golden.has(index) && golden.io(index).numel() == expected.size(2);
    golden.compare(name, indexed ? video.index_select(2, golden.io(index).to(at::kLong)) : video.narrow(2, video.size(2) - expected.size(2), expected.size(2)), tolerance);
}

// Both chunks: sampled, decoded, matched in colour; the last frames are the motion of the next.
void runChunks(const Avatar& avatar, const at::Tensor& firstMotion)
{
    GoldenCase& golden = avatar.golden;
    const Tolerance video = golden.tolerance("video_abs", "");
    const auto times = timesteps(golden, "timesteps");
    const auto kept = golden.config().at("motion_frames_num").get<std::int64_t>();
    at::Tensor motion = firstMotion;
    for (int i = 0; golden.has("chunk" + std::to_string(i) + ".audio"); ++i) {
        const std::string chunk = "chunk" + std::to_string(i) + '.';
        golden.compare(chunk + "motion_latent", motion.squeeze(0), trace(golden));
        const auto audio = avatar.network.audio(golden.io(chunk + "audio"));
        const at::Tensor out = sample(avatar, chunk, times, motion, *audio);
        const at::Tensor decoded = avatar.vae.decode(out);
        compareFrames(golden, chunk + "decoded", "decoded_frame_index", decoded, video);
        const at::Tensor corrected = modules::matchColours(decoded, golden.io("cond_image"), golden.config().at("sampler").at("color_correction_strength").get<double>());
        compareFrames(golden, chunk + "corrected", "corrected_frame_index", corrected, video);
        motion = avatar.vae.encode(corrected.narrow(2, corrected.size(2) - kept, kept));
        golden.compare(chunk + "next_motion_latent", motion.squeeze(0), trace(golden));
    }
}

// fwd.*: inside of the second step of the first chunk.
void comparePass(const Avatar& avatar)
{
    GoldenCase& golden = avatar.golden;
    const Tap tap = compareParts(golden, "fwd.", forward(golden));
    const auto audio = avatar.network.audio(golden.io("chunk0.audio"), tap);
    const at::Tensor v = avatar.velocity(avatar.latents("chunk0.step1.latent_in"), timesteps(golden, "timesteps").at(1), *audio, tap);
    golden.compare("chunk0.step1.v", v.squeeze(0), forward(golden), "chunk0.step1.v, one pass");
}

void compareProbe(const Avatar& avatar, const weights::WanDitConfig& config, modules::Parameters parameters, const at::Tensor& text, const at::Tensor& image)
{
    GoldenCase& golden = avatar.golden;
    if (!golden.config().contains("eps_probe"))
        return;
    applyProbe(golden, parameters);
    const WanTransformer probed(config, parameters);
    const Avatar other{golden, probed, avatar.vae, avatar.condition, text.defined() ? probed.context(text, image * probeFactor(golden, "clip")) : nullptr, avatar.grid};
    const auto audio = probed.audio(golden.io("chunk0.audio"));
    const at::Tensor v = other.velocity(other.latents("chunk0.step1.latent_in"), timesteps(golden, "timesteps").at(1), *audio);
    golden.compare("eps_probe.v", v.squeeze(0), kProbeTolerance);
}

Result<std::unique_ptr<WanVae>> loadVae(const GoldenCase& golden)
{
    const nlohmann::json& about = golden.config().at("vae");
    weights::WanVaeConfig config;
    config.base = about.at("base_dim").get<std::int64_t>();
    LQ_TRY(const auto parameters, golden.load(about.at("file").get<std::string>(), weights::wanVaeSpec(config)));
    return std::make_unique<WanVae>(config, parameters);
}

// The reference picture as the network gets it: bytes may differ by one level.
void compareReference(GoldenCase& golden)
{
    const at::Tensor expected = golden.io("cond_image");
    const at::Tensor bytes = modules::fitPicture(golden.io("image_u8_hwc"), expected.size(3), expected.size(4));
    golden.compare("cond_image", (bytes.to(at::kFloat) / 255 - 0.5).mul_(2).unsqueeze(2), {2.0 / 255 + 1e-6, 0});
}

} // namespace

Result<void> runFlashTalk(GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readWanDitConfig(golden.config().at("dit").dump(), golden.configFile(), weights::AudioPath::Extra));
    LQ_TRY(auto parameters, golden.load("weights.safetensors", weights::wanDitSpec(config)));
    LQ_TRY(const auto vae, loadVae(golden));
    const WanTransformer network(config, parameters);
    compareReference(golden);
    const at::Tensor image = golden.io("cond_image");
    const auto frames = golden.config().at("frame_num").get<std::int64_t>();
    // Condition: a mask, then the picture and nothing after it.
    const at::Tensor still = vae->encode(at::constant_pad_nd(image, {0, 0, 0, 0, 0, frames - 1}));
    at::Tensor mask = at::zeros({1, config.audio.framesPerLatent, still.size(2), still.size(3), still.size(4)});
    mask.select(2, 0).fill_(1);
    const at::Tensor condition = at::cat({mask, still}, 1);
    golden.compare("y", condition, trace(golden));
    const at::Tensor text = golden.io("text").unsqueeze(0), clip = golden.io("clip");
    const Tap tap = compareParts(golden, "fwd.", forward(golden));
    const Avatar avatar{golden, network, *vae, golden.io("y"), network.context(text, clip, tap), network.grid(still.size(2), still.size(3), still.size(4))};
    comparePass(avatar);
    const at::Tensor motion = vae->encode(image);
    golden.compare("motion0", motion.squeeze(0), trace(golden));
    golden.compare("timesteps", at::tensor(modules::avatarTimesteps({1000, 750, 500, 250}, 5)), {1e-3, 0});
    runChunks(avatar, motion);
    if (golden.has("two_step.noise_init")) {
        golden.compare("two_step.timesteps", at::tensor(modules::avatarTimesteps({1000, 500}, 5)), {1e-3, 0});
        // From the first motion, to the sound of the second chunk.
        sample(avatar, "two_step.", timesteps(golden, "two_step.timesteps"), avatar.latents("motion0"), *network.audio(golden.io("chunk1.audio")));
    }
    compareProbe(avatar, config, parameters, text, clip);
    return {};
}

Result<void> runFlashHead(GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readWanDitConfig(golden.config().at("dit").dump(), golden.configFile(), weights::AudioPath::InsteadOfText));
    LQ_TRY(auto parameters, golden.load("weights.safetensors", weights::wanDitSpec(config)));
    LQ_TRY(const auto vae, loadVae(golden));
    const WanTransformer network(config, parameters);
    compareReference(golden);
    // Condition: the picture all the time.
    const at::Tensor image = golden.io("cond_image");
    const at::Tensor still = vae->encode(image.expand({-1, -1, golden.config().at("frame_num").get<std::int64_t>(), -1, -1}));
    golden.compare("ref_latent", still.squeeze(0), trace(golden));
    const Avatar avatar{golden, network, *vae, golden.io("ref_latent").unsqueeze(0), nullptr, network.grid(still.size(2), still.size(3), still.size(4))};
    comparePass(avatar);
    golden.compare("timesteps", at::tensor(modules::avatarTimesteps({1000, 750, 500, 250}, 5)), {1e-3, 0});
    runChunks(avatar, still.narrow(2, 0, 1));
    compareProbe(avatar, config, parameters, {}, {});
    return {};
}

Result<void> runColour(GoldenCase& golden)
{
    const Tolerance lab = golden.tolerance("lab_abs", ""), out = golden.tolerance("out_abs", "");
    const at::Tensor source = golden.io("source"), reference = golden.io("reference");
    const auto pictures = [](const at::Tensor& x) { return (x.permute({0, 2, 3, 4, 1}) + 1) / 2; };
    const at::Tensor made = modules::labFromRgb(pictures(source));
    golden.compare("source_lab", made, lab);
    golden.compare("source_mean", made.mean({2, 3}), lab);
    golden.compare("source_std", made.std({2, 3}, 0), lab);
    const at::Tensor still = modules::labFromRgb(pictures(reference));
    golden.compare("ref_mean", still.mean({2, 3}), lab);
    golden.compare("ref_std", still.std({2, 3}, 0), lab);
    golden.compare("roundtrip", modules::rgbFromLab(made), out);
    // The deviation of a flat frame is rounding noise, and so is what it is multiplied with.
    const at::Tensor lively = golden.io("source_std").amax({0, 2}).gt(1e-2).nonzero().flatten();
    const at::Tensor full = modules::matchColours(source, reference, 1);
    for (const std::string& name : golden.names("out.strength")) {
        const double strength = std::stod(name.substr(std::string("out.strength").size()));
        const at::Tensor matched = modules::matchColours(source, reference, strength);
        golden.compare(name, matched.index_select(2, lively), golden.io(name).index_select(2, lively), out);
    }
    const at::Tensor bytes = ((full + 1) / 2 * 255).squeeze(0).permute({1, 2, 3, 0});
    golden.compare("rgb8", bytes.index_select(0, lively), golden.io("rgb8").index_select(0, lively), {out.absolute * 255, 0});
    const double levels = golden.config().at("tolerance").at("prep_u8_levels").get<double>();
    for (const nlohmann::json& prep : golden.config().at("preps")) {
        const std::string name = "prep" + std::to_string(prep.at("index").get<int>());
        const auto from = prep.at("src_hw").get<std::vector<std::int64_t>>(), to = prep.at("target_hw").get<std::vector<std::int64_t>>();
        const auto size = modules::coveringSize(from.at(0), from.at(1), to.at(0), to.at(1));
        golden.compare(name + ".resized", at::tensor({size[0], size[1]}), at::tensor(prep.at("resized_hw").get<std::vector<std::int64_t>>()), {});
        golden.compare(name + ".out_u8", modules::fitPicture(golden.io(name + ".image_u8_hwc"), to[0], to[1]), {levels, 0});
    }
    return {};
}

} // namespace loquor::parity
