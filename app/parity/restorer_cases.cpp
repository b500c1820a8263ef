// SwiftVR from frames to frames, in chunks of a fixed length and call by call; loudness.
#include <ATen/ATen.h>

#include "app/parity/cases.h"
#include "core/modules/wan/prompt_text.h"
#include "core/modules/wan/speech_loudness.h"
#include "core/modules/wan/swift_vr.h"
#include "core/modules/wan/tiny_autoencoder.h"
#include "core/weights/network_specs.h"

namespace loquor::parity {

namespace {

using modules::SwiftVr;
using modules::SwiftVrStream;

Tolerance latentTolerance(const GoldenCase& golden)
{
    return golden.tolerance("latent_abs", "rel");
}
Tolerance pictureTolerance(const GoldenCase& golden)
{
    return golden.tolerance("rgb_abs", "rel");
}

// The folder keeps some frames of a chunk, and mean and deviation of all.
void compareFrames(GoldenCase& golden, const std::string& chunk, const nlohmann::json& about, const at::Tensor& video)
{
    const auto kept = about.at("rgb_frames_kept").get<std::vector<std::int64_t>>();
    golden.compare(chunk + "rgb, frames", at::tensor(video.size(1)), at::tensor(about.at("frames_out").get<std::int64_t>()), {});
    golden.compare(chunk + "rgb", video.index_select(1, at::tensor(kept)), pictureTolerance(golden));
    const at::Tensor flat = video.squeeze(0).flatten(1);
    const std::int64_t values[] = {1};
    golden.compare(chunk + "rgb_mean_std", at::stack({flat.mean(values), flat.std(at::IntArrayRef(values), true, false)}, 1), pictureTolerance(golden));
}

// Values of each chunk, as they are made.
struct Watcher
{
    GoldenCase& golden;
    std::string beginning; // "fixed.chunk"
    const nlohmann::json& about;
    std::size_t made = 0;

    std::string chunk() const { return beginning + std::to_string(made) + '.'; }
    void operator()(const std::string& part, const at::Tensor& value)
    {
        if (part == "preprocessed") {
            if (golden.has(chunk() + "preprocessed_first2"))
                golden.compare(chunk() + "preprocessed_first2", value.narrow(1, 0, 2), pictureTolerance(golden));
        } else if (part == "rgb") {
            compareFrames(golden, chunk(), about.at(made), value);
            ++made;
        } else {
            golden.compare(chunk() + part, value, latentTolerance(golden));
        }
    }
};

// All frames in pieces of uneven lengths: they wait for their chunk.
void runFixed(GoldenCase& golden, const std::shared_ptr<const SwiftVr>& network, const at::Tensor& frames, std::int64_t height, std::int64_t width)
{
    Watcher watcher{golden, "fixed.chunk", golden.config().at("fixed_chunks")};
    SwiftVrStream stream(network, height, width, {golden.config().at("clip_len").get<std::int64_t>(), 0},
                         [&watcher](const std::string& part, const at::Tensor& value) { watcher(part, value); });
    std::int64_t out = 0;
    for (std::int64_t at = 0, length = 1; at < frames.size(1); at += length, length = length % 11 + 3)
        out += stream.push(frames.narrow(1, at, std::min(length, frames.size(1) - at))).size(1);
    out += stream.finish().size(1);
    golden.compare("fixed, chunks", at::tensor(static_cast<std::int64_t>(watcher.made)), at::tensor(static_cast<std::int64_t>(watcher.about.size())), {});
    golden.compare("fixed, frames", at::tensor(out), at::tensor(frames.size(1)), {});
}

void runOnline(GoldenCase& golden, const std::shared_ptr<const SwiftVr>& network, const at::Tensor& frames, std::int64_t height, std::int64_t width)
{
    Watcher watcher{golden, "online.call", golden.config().at("online_calls")};
    SwiftVrStream stream(network, height, width, {0, golden.config().at("online_overlap").get<std::int64_t>()},
                         [&watcher](const std::string& part, const at::Tensor& value) { watcher(part, value); });
    std::int64_t at = 0;
    for (const nlohmann::json& call : watcher.about) {
        const auto count = call.at("frames_in").get<std::int64_t>();
        if (call.at("kind") == "flush")
            stream.finish();
        else
            stream.push(frames.narrow(1, at, count));
        at += count;
    }
    golden.compare("online, calls", at::tensor(static_cast<std::int64_t>(watcher.made)), at::tensor(static_cast<std::int64_t>(watcher.about.size())), {});
}

// Of the decoder alone: the first two latents of the first frames, before the limits.
void compareDecoder(GoldenCase& golden, const modules::TinyAutoencoder& network, const at::Tensor& prepared)
{
    const std::string name = "reae.dec_raw_frames_0_3_7";
    if (!golden.has(name))
        return;
    network.decode(network.encode(prepared).narrow(1, 0, 2), [&](const std::string& part, const at::Tensor& value) {
        if (part == "raw")
            golden.compare(name, value.index_select(1, at::tensor({0, 3, 7})), latentTolerance(golden));
    });
}

} // namespace

Result<void> runSwiftVr(GoldenCase& golden)
{
    const nlohmann::json& config = golden.config();
    SwiftVr::Networks networks;
    LQ_TRY(networks.restorer, weights::readWanDitConfig(config.at("dit").dump(), golden.configFile()));
    LQ_TRY(networks.autoencoder, weights::readTinyAutoencoderConfig(config.at("reae").dump(), golden.configFile(), weights::reaeConfig()));
    LQ_TRY(const auto restorer, golden.load(config.at("dit").at("file").get<std::string>(), weights::wanDitSpec(networks.restorer)));
    LQ_TRY(const auto autoencoder, golden.load(config.at("reae").at("file").get<std::string>(), weights::tinyAutoencoderSpec(networks.autoencoder)));
    const auto window = config.at("dit").at("window_hw").get<std::vector<std::int64_t>>();
    const auto network = std::make_shared<const SwiftVr>(networks, restorer, autoencoder, golden.io("prompt_emb"),
                                                         modules::AttentionWindow{window.at(0), window.at(1)});
    const at::Tensor frames = golden.io("frames_u8").permute({0, 3, 1, 2}).unsqueeze(0);
    const auto size = config.at("out_hw").get<std::vector<std::int64_t>>();
    runFixed(golden, network, frames, size.at(0), size.at(1));
    runOnline(golden, network, frames, size.at(0), size.at(1));
    const std::int64_t first = std::min(frames.size(1), config.at("clip_len").get<std::int64_t>() + 4);
    compareDecoder(golden, modules::TinyAutoencoder(networks.autoencoder, autoencoder), SwiftVr::enlarge(frames.narrow(1, 0, first), size.at(0), size.at(1)));
    return {};
}

Result<void> runLoudness(GoldenCase& golden)
{
    const double rate = golden.config().at("sample_rate").get<double>(), target = golden.config().at("target_lufs").get<double>();
    const auto compareFilter = [&](const std::string& name, const modules::SpeechFilter& filter) {
        golden.compare(name + ".b", at::tensor({filter.b[0], filter.b[1], filter.b[2]}), {1e-9, 0});
        golden.compare(name + ".a", at::tensor({filter.a[0], filter.a[1], filter.a[2]}), {1e-9, 0});
    };
    compareFilter("high_shelf", modules::highShelf(rate));
    compareFilter("high_pass", modules::highPass(rate));
    for (const nlohmann::json& about : golden.config().at("cases")) {
        const std::string name = "case" + std::to_string(about.at("case").get<int>());
        const at::Tensor in = golden.io(name + ".in").contiguous();
        std::vector<float> samples(in.const_data_ptr<float>(), in.const_data_ptr<float>() + in.numel());
        const double lufs = modules::speechLoudness(samples, rate);
        if (about.at("lufs_is_minus_inf").get<bool>())
            golden.compare(name + ".lufs, silent", at::tensor(std::isinf(lufs) && lufs < 0 ? 1 : 0), at::tensor(1), {});
        else
            golden.compare(name + ".lufs", at::tensor(lufs, at::kDouble), at::tensor(about.at("lufs").get<double>(), at::kDouble), golden.tolerance("lufs_abs", ""));
        modules::toLoudness(samples, rate, target);
        // Relative to each sample; the last bits of a float besides.
        golden.compare(name + ".out", at::tensor(at::ArrayRef<float>(samples)), {1e-9, golden.tolerance("out_rel", "").absolute});
    }
    return {};
}

// Texts and what cleaning makes of them: as bytes, compared exactly.
Result<void> runPrompts(GoldenCase& golden)
{
    const auto bytes = [](const std::string& text) { return at::tensor(std::vector<std::int64_t>(text.begin(), text.end())); };
    int number = 0;
    for (const nlohmann::json& about : golden.config().at("prompts")) {
        const std::string made = modules::cleanPrompt(about.at("text").get<std::string>());
        golden.compare("prompt " + std::to_string(number++) + ": " + made, bytes(made), bytes(about.at("clean").get<std::string>()), {});
    }
    return {};
}

} // namespace loquor::parity
