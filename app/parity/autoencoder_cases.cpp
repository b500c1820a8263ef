// TAEHV and the Wan VAE: whole, in pieces, and inside.
#include <ATen/ATen.h>

#include "app/parity/cases.h"
#include "core/modules/wan/tiny_autoencoder.h"
#include "core/modules/wan/wan_vae.h"
#include "core/weights/network_specs.h"

namespace loquor::parity {

namespace {

using modules::StreamMemory;
using modules::Tap;
using modules::TinyAutoencoder;
using modules::WanVae;

// Frame by frame, latent by latent, and in pieces of odd lengths.
void streamTinyAutoencoder(GoldenCase& golden, const TinyAutoencoder& network, const Tolerance& tolerance)
{
    const at::Tensor video = golden.io("video"), latent = golden.io("dec.latent");
    StreamMemory memory;
    std::vector<at::Tensor> made;
    for (std::int64_t i = 0; i < video.size(1); ++i) {
        const at::Tensor now = network.encodeNext(video.narrow(1, i, 1), memory);
        // The latent is there as soon as its last frame is.
        golden.compare("enc.stream, latents after frame " + std::to_string(i), at::tensor(now.size(1)),
                       at::tensor((i + 1) % network.framesPerLatent() == 0 ? 1 : 0), {});
        made.push_back(now);
    }
    if (video.size(1) % network.framesPerLatent() != 0)
        made.push_back(network.encodeRest(memory));
    golden.compare("enc.stream", at::cat(made, 1), tolerance);

    StreamMemory ones, pieces;
    std::vector<at::Tensor> frames, several;
    for (std::int64_t i = 0; i < latent.size(1); ++i)
        frames.push_back(network.decodeNext(latent.narrow(1, i, 1), ones));
    std::vector<std::int64_t> counts;
    for (const at::Tensor& piece : frames)
        counts.push_back(piece.size(1));
    golden.compare("dec.video, frames of each latent", at::tensor(counts),
                   at::tensor(golden.config().at("stream_decode_frames_per_latent").get<std::vector<std::int64_t>>()), {});
    golden.compare("dec.video", at::cat(frames, 1), tolerance, "dec.video, latent by latent");
    for (std::int64_t at = 0, length = 1; at < latent.size(1); at += length, ++length)
        several.push_back(network.decodeNext(latent.narrow(1, at, std::min(length, latent.size(1) - at)), pieces));
    golden.compare("dec.video", at::cat(several, 1), tolerance, "dec.video, in pieces");
}

// Names that the folder has for inner values, such as "dec3.decoder.5": of the first 3 latents.
Tap innerValues(GoldenCase& golden, const std::string& prefix, const Tolerance& tolerance)
{
    return [&golden, prefix, tolerance](const std::string& part, const at::Tensor& value) { golden.compareIfThere(prefix + part, value, tolerance); };
}

} // namespace

Result<void> runTinyAutoencoder(GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readTinyAutoencoderConfig(golden.configText(), golden.configFile()));
    LQ_TRY(const auto parameters, golden.load("weights.safetensors", weights::tinyAutoencoderSpec(config)));
    const TinyAutoencoder network(config, parameters);
    const Tolerance tolerance = golden.tolerance();
    const at::Tensor video = golden.io("video"), latent = golden.io("dec.latent");
    golden.compare("enc.latent", network.encode(video), tolerance);
    golden.compare("dec.video", network.decode(latent), tolerance);
    streamTinyAutoencoder(golden, network, tolerance);
    network.encode(video.narrow(1, 0, std::min<std::int64_t>(8, video.size(1))), innerValues(golden, "enc8.", tolerance));
    network.decode(latent.narrow(1, 0, std::min<std::int64_t>(3, latent.size(1))), innerValues(golden, "dec3.", tolerance));
    const std::string raw = "dec.raw_untrimmed_unclamped_first8";
    if (golden.has(raw)) {
        const std::int64_t frames = golden.io(raw).size(1);
        network.decode(latent, [&](const std::string& part, const at::Tensor& value) {
            if (part == "raw")
                golden.compare(raw, value.narrow(1, 0, frames), tolerance);
        });
    }
    return {};
}

namespace {

// encN.*: the first N frames, call by call.
void encodePart(GoldenCase& golden, const WanVae& vae, const std::string& prefix, std::int64_t count, const Tolerance& tolerance)
{
    const at::Tensor video = golden.io("video").narrow(2, 0, count);
    StreamMemory memory;
    std::vector<at::Tensor> latents, moments;
    int call = 0;
    const Tap tap = [&](const std::string& part, const at::Tensor& value) {
        golden.compareIfThere(prefix + part + ".call" + std::to_string(call), value, tolerance);
        if (part == "moments")
            moments.push_back(value);
    };
    for (std::int64_t at = 0; at == 0 || at + 4 <= count; at += at == 0 ? 1 : 4, ++call)
        latents.push_back(vae.encodeNext(video.narrow(2, at, at == 0 ? 1 : 4), memory, tap));
    golden.compare(prefix + "latent", at::cat(latents, 2), tolerance);
    const auto halves = at::cat(moments, 1 + 1).chunk(2, 1);
    golden.compare(prefix + "mu_raw", halves[0], tolerance);
    golden.compare(prefix + "logvar", halves[1], tolerance);
    golden.compare(prefix + "latent", vae.encode(video), tolerance, prefix + "latent, whole");
}

// Latents from `begin` to `end` call by call; the frames before they are limited.
at::Tensor decodeRaw(GoldenCase& golden, const WanVae& vae, const std::string& prefix, std::int64_t begin, std::int64_t end, const Tolerance& tolerance)
{
    const at::Tensor latent = golden.io("dec.latent");
    StreamMemory memory;
    std::vector<at::Tensor> raw;
    for (std::int64_t i = begin; i < end; ++i) {
        vae.decodeNext(latent.narrow(2, i, 1), memory, [&](const std::string& part, const at::Tensor& value) {
            if (part == "raw")
                raw.push_back(value);
            else if (!prefix.empty())
                golden.compareIfThere(prefix + part + ".call" + std::to_string(i - begin), value, tolerance);
        });
    }
    return at::cat(raw, 2);
}

void decodeAll(GoldenCase& golden, const WanVae& vae, const Tolerance& tolerance)
{
    const std::int64_t count = golden.io("dec.latent").size(2);
    const at::Tensor expected = golden.io("dec.raw");
    const at::Tensor raw = decodeRaw(golden, vae, "dec3.", 0, count, tolerance);
    std::int64_t at = 0;
    for (const std::int64_t frames : golden.config().at("stream_frames").get<std::vector<std::int64_t>>()) {
        golden.compare("dec.raw, frames from " + std::to_string(at), raw.narrow(2, at, std::min(frames, raw.size(2) - at)), expected.narrow(2, at, frames), tolerance);
        at += frames;
    }
    golden.compare("dec.raw", raw, tolerance);
    golden.compare("dec.raw, limited", vae.decode(golden.io("dec.latent")), expected.clamp(-1, 1), tolerance);
    // A stream can be cleared between latents: the next is a first one again.
    const std::int64_t tail = golden.io("dec.cleared_tail").size(2);
    golden.compare("dec.cleared_tail", decodeRaw(golden, vae, {}, count - (tail + 3) / 4, count, tolerance), tolerance);
    for (const std::string& name : golden.names("dec.raw_first")) {
        const std::int64_t latents = std::stoll(name.substr(std::string("dec.raw_first").size()));
        golden.compare(name, decodeRaw(golden, vae, {}, 0, latents, tolerance), tolerance);
    }
}

} // namespace

Result<void> runWanVae(GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readWanVaeConfig(golden.configText(), golden.configFile()));
    LQ_TRY(const auto parameters, golden.load("weights.safetensors", weights::wanVaeSpec(config)));
    const WanVae vae(config, parameters);
    const Tolerance tolerance = golden.tolerance();
    for (const std::string& name : golden.names("enc")) {
        const std::string suffix = ".latent";
        if (!name.ends_with(suffix))
            continue;
        const std::string prefix = name.substr(0, name.size() - suffix.size() + 1);
        encodePart(golden, vae, prefix, std::stoll(prefix.substr(3)), tolerance);
    }
    decodeAll(golden, vae, tolerance);
    return {};
}

} // namespace loquor::parity
