// The encoders of text, image and sound, from files of both public spellings.
#include <ATen/ATen.h>

#include "app/parity/cases.h"
#include "app/parity/transformer_support.h"
#include "core/modules/wan/encoders.h"
#include "core/weights/network_specs.h"

namespace loquor::parity {

namespace {

using modules::ClipVisionEncoder;
using modules::Tap;
using modules::Umt5Encoder;
using modules::Wav2Vec2Encoder;

// Rows of one video or text: "block0.out.batch0".
Tap compareFirst(GoldenCase& golden, const Tolerance& tolerance)
{
    return [&golden, tolerance](const std::string& part, const at::Tensor& value) {
        golden.compareIfThere(part + ".batch0", value.select(0, 0), tolerance);
        if (golden.has(part))
            golden.compare(part, value.narrow(0, 0, golden.io(part).size(0)), tolerance);
    };
}

} // namespace

Result<void> runUmt5(GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readUmt5Config(golden.configText(), golden.configFile()));
    const auto spec = weights::umt5Spec(config);
    LQ_TRY(auto parameters, golden.load("weights.safetensors", spec));
    const Umt5Encoder encoder(config, parameters);
    const Tolerance tolerance = golden.tolerance();
    const at::Tensor ids = golden.io("ids"), mask = golden.io("mask");
    const auto lengths = golden.config().at("lengths").get<std::vector<std::int64_t>>();
    if (golden.has("bias0"))
        golden.compare("bias0", encoder.positionBias(0, golden.io("bias0").size(1)), tolerance);
    std::vector<std::int64_t> buckets;
    const std::int64_t reach = golden.has("bucket_row") ? golden.io("bucket_row").numel() / 2 : 0;
    for (std::int64_t d = -reach; d <= reach; ++d)
        buckets.push_back(Umt5Encoder::bucket(d, config.buckets, config.maxDistance));
    golden.compareIfThere("bucket_row", at::tensor(buckets), {});
    const auto compareRows = [&](const at::Tensor& out, const std::string& label) {
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            const auto row = static_cast<std::int64_t>(i);
            if (golden.has("out." + std::to_string(i)))
                golden.compare("out." + std::to_string(i), out[row].narrow(0, 0, lengths[i]), tolerance, "out." + std::to_string(i) + label);
            golden.compare("out_all, text " + std::to_string(i) + label, out[row].narrow(0, 0, lengths[i]), golden.io("out_all")[row].narrow(0, 0, lengths[i]), tolerance);
        }
    };
    compareRows(encoder.encode(ids, mask, compareFirst(golden, tolerance)), "");
    if (golden.hasFile("weights_hf.safetensors")) {
        LQ_TRY(const auto other, golden.load("weights_hf.safetensors", spec));
        compareRows(Umt5Encoder(config, other).encode(ids, mask), ", names of transformers");
    }
    if (!golden.config().contains("eps_probe"))
        return {};
    applyProbe(golden, parameters);
    golden.compare("eps_probe.out.0", Umt5Encoder(config, parameters).encode(ids, mask)[0].narrow(0, 0, lengths.at(0)), kProbeTolerance);
    return {};
}

Result<void> runClipVision(GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readClipVisionConfig(golden.configText(), golden.configFile()));
    const auto spec = weights::clipVisionSpec(config);
    LQ_TRY(auto parameters, golden.load("weights.safetensors", spec));
    const ClipVisionEncoder encoder(config, parameters);
    const Tolerance tolerance = golden.tolerance(), pixels = golden.tolerance("pixel_abs", "");
    const at::Tensor picture = golden.io("image_pm1");
    golden.compare("image_pm1", golden.io("image_u8").to(at::kFloat) / 255 * 2 - 1, pixels);
    golden.compare("pixel_values", encoder.prepare(picture), pixels);
    golden.compare("out", encoder.encode(encoder.prepare(picture), compareParts(golden, "", tolerance)), tolerance);
    if (golden.has("hidden_last_no_post_norm"))
        golden.io("hidden_last_no_post_norm"); // of the block that is not run
    if (golden.hasFile("weights_hf.safetensors")) {
        LQ_TRY(const auto other, golden.load("weights_hf.safetensors", spec));
        golden.compare("out", ClipVisionEncoder(config, other).encode(golden.io("pixel_values")), tolerance, "out, names of transformers");
    }
    if (!golden.config().contains("eps_probe"))
        return {};
    applyProbe(golden, parameters);
    golden.compare("eps_probe.out", ClipVisionEncoder(config, parameters).encode(golden.io("pixel_values")), {1e-4, 0});
    return {};
}

Result<void> runWav2Vec2(GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readWav2Vec2Config(golden.configText(), golden.configFile()));
    const auto spec = weights::wav2vec2Spec(config);
    LQ_TRY(const auto parameters, golden.load("weights.safetensors", spec));
    const Wav2Vec2Encoder encoder(config, parameters);
    const Tolerance tolerance = golden.tolerance();
    const auto frames = golden.config().at("seq_len").get<std::int64_t>();
    const at::Tensor sound = Wav2Vec2Encoder::normalise(golden.io("wav"));
    golden.compare("input_values", sound, tolerance);
    const at::Tensor stack = encoder.encode(sound, frames, [&](const std::string& part, const at::Tensor& value) {
        if (golden.has(part)) // the first frames of the first convolutions
            golden.compare(part, value.narrow(-1, 0, std::min(value.size(-1), golden.io(part).size(-1))), tolerance);
    });
    golden.compare("stack", stack, tolerance);
    if (golden.has("nointerp.last"))
        golden.compare("nointerp.last", encoder.encode(sound, 0).select(1, config.layers - 1).unsqueeze(0), tolerance);
    if (golden.has("window_index"))
        golden.compare("window_index", modules::windowPlaces(frames, golden.io("window_index").size(0), golden.io("window_index").size(1)), {});
    if (golden.hasFile("weights_parametrized.safetensors")) {
        LQ_TRY(const auto other, golden.load("weights_parametrized.safetensors", spec));
        golden.compare("stack", Wav2Vec2Encoder(config, other).encode(sound, frames), tolerance, "stack, other names of the weight norm");
    }
    return {};
}

} // namespace loquor::parity
