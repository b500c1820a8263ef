#include "core/modules/wan/wan_vae.h"

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <ATen/ATen.h>

#include "core/base/check.h"
#include "core/modules/wan/stream_slots.h"

namespace loquor::modules {

namespace {

using Slots = StreamMemory::Slots;

constexpr std::array<float, 16> kMean{-0.7571f, -0.7089f, -0.9113f, 0.1075f, -0.1745f, 0.9653f, -0.1517f, 1.5508f,
                                      0.4134f, -0.0715f, 0.5517f, -0.3632f, -0.1922f, -0.9497f, 0.2503f, -0.2921f};
constexpr std::array<float, 16> kDeviation{2.8184f, 1.4541f, 2.3275f, 2.6558f, 1.2196f, 1.7708f, 2.6052f, 2.0743f,
                                           3.2687f, 2.1526f, 2.8652f, 1.5579f, 1.6382f, 1.1253f, 2.8251f, 1.916f};

struct Convolution
{
    at::Tensor weight, bias;
};

Convolution convolution(const Parameters& p, const std::string& name)
{
    return {p[name + ".weight"], p[name + ".bias"]};
}

// Over space and time. In time it sees the two frames before, zeros at the beginning of a stream; the last two stay
// in the memory.
at::Tensor causal(const Convolution& c, const at::Tensor& x, Slots& slots)
{
    at::Tensor& kept = slots.take();
    if (!kept.defined())
        kept = at::zeros_like(x.narrow(2, 0, 1)).expand({-1, -1, 2, -1, -1});
    const at::Tensor seen = at::cat({kept, x}, 2);
    kept = seen.narrow(2, seen.size(2) - 2, 2).clone();
    const std::int64_t side = c.weight.size(3) / 2;
    return at::conv3d(seen, c.weight, c.bias, {1, 1, 1}, {0, side, side});
}

at::Tensor pointwise(const Convolution& c, const at::Tensor& x)
{
    return at::conv3d(x, c.weight, c.bias);
}

// L2-normalised over the channels, times sqrt(channels), times gamma.
at::Tensor normalised(const at::Tensor& x, const at::Tensor& gamma)
{
    const at::Tensor length = at::linalg_vector_norm(x, 2, {1}, true).clamp_min_(1e-12);
    return (x / length).mul_(gamma * std::sqrt(static_cast<double>(x.size(1))));
}

// Each frame as a picture of its own, and back.
at::Tensor pictures(const at::Tensor& x)
{
    return x.transpose(1, 2).flatten(0, 1);
}
at::Tensor frames(const at::Tensor& x, std::int64_t batch)
{
    return x.view({batch, x.size(0) / batch, x.size(1), x.size(2), x.size(3)}).transpose(1, 2);
}

struct Residual
{
    at::Tensor firstGamma, secondGamma;
    Convolution first, second;
    std::optional<Convolution> shortcut;

    Residual(const Parameters& p, const std::string& name)
        : firstGamma(p[name + ".residual.0.gamma"]), secondGamma(p[name + ".residual.3.gamma"]),
          first(convolution(p, name + ".residual.2")), second(convolution(p, name + ".residual.6"))
    {
        if (p.contains(name + ".shortcut.weight"))
            shortcut = convolution(p, name + ".shortcut");
    }
    at::Tensor operator()(const at::Tensor& in, Slots& slots) const
    {
        at::Tensor x = normalised(in, firstGamma);
        x = causal(first, at::silu_(x), slots);
        x = normalised(x, secondGamma);
        x = causal(second, at::silu_(x), slots);
        return x.add_(shortcut ? pointwise(*shortcut, in) : in);
    }
};

// Within a frame, one head.
struct Attention
{
    at::Tensor gamma;
    Convolution qkv, proj;

    Attention(const Parameters& p, const std::string& name)
        : gamma(p[name + ".norm.gamma"]), qkv(convolution(p, name + ".to_qkv")), proj(convolution(p, name + ".proj"))
    {
    }
    at::Tensor operator()(const at::Tensor& in) const
    {
        const at::Tensor x = pictures(in);
        const at::Tensor all = at::conv2d(normalised(x, gamma), qkv.weight, qkv.bias).flatten(2).transpose(1, 2).unsqueeze(1).contiguous();
        const auto parts = all.chunk(3, -1);
        const at::Tensor mixed = at::scaled_dot_product_attention(parts[0], parts[1], parts[2]).squeeze(1).transpose(1, 2).reshape(x.sizes());
        return frames(at::conv2d(mixed, proj.weight, proj.bias), in.size(0)).add(in);
    }
};

struct Downsample
{
    Convolution space;
    std::optional<Convolution> time;

    Downsample(const Parameters& p, const std::string& name) : space(convolution(p, name + ".resample.1"))
    {
        if (p.contains(name + ".time_conv.weight"))
            time = convolution(p, name + ".time_conv");
    }
    at::Tensor operator()(const at::Tensor& in, Slots& slots) const
    {
        const at::Tensor padded = at::constant_pad_nd(pictures(in), {0, 1, 0, 1});
        at::Tensor x = frames(at::conv2d(padded, space.weight, space.bias, {2, 2}), in.size(0));
        if (!time)
            return x;
        at::Tensor& kept = slots.take(); // the last frame; the first call passes through
        const at::Tensor seen = kept.defined() ? at::cat({kept, x}, 2) : at::Tensor();
        kept = x.narrow(2, x.size(2) - 1, 1).clone();
        return seen.defined() ? at::conv3d(seen, time->weight, time->bias, {2, 1, 1}) : x;
    }
};

struct Upsample
{
    Convolution space;
    std::optional<Convolution> time;

    Upsample(const Parameters& p, const std::string& name) : space(convolution(p, name + ".resample.1"))
    {
        if (p.contains(name + ".time_conv.weight"))
            time = convolution(p, name + ".time_conv");
    }
    at::Tensor operator()(const at::Tensor& in, Slots& slots) const
    {
        at::Tensor x = in;
        if (time && slots.calls > 0) { // the first latent stays one frame, and the second does not see it
            x = causal(*time, x, slots).unflatten(1, {2, x.size(1)}); // earlier frames, later frames
            x = at::stack({x.select(1, 0), x.select(1, 1)}, 3).flatten(2, 3);
        } else if (time) {
            slots.take();
        }
        const at::Tensor big = at::upsample_nearest2d(pictures(x), std::array<std::int64_t, 2>{2 * x.size(3), 2 * x.size(4)});
        return frames(at::conv2d(big, space.weight, space.bias, {1, 1}, {1, 1}), x.size(0));
    }
};

struct Part
{
    std::string name; // for taps: "downsamples.3"
    std::variant<Residual, Attention, Downsample, Upsample> work;

    at::Tensor operator()(const at::Tensor& x, Slots& slots) const
    {
        if (const auto* attention = std::get_if<Attention>(&work))
            return (*attention)(x);
        if (const auto* residual = std::get_if<Residual>(&work))
            return (*residual)(x, slots);
        if (const auto* down = std::get_if<Downsample>(&work))
            return (*down)(x, slots);
        return std::get<Upsample>(work)(x, slots);
    }
};

// The encoder or the decoder: a convolution, parts in a row, a convolution.
struct Side
{
    Convolution in, out;
    at::Tensor outGamma;
    std::vector<Part> parts;

    void load(const Parameters& p, const std::string& side)
    {
        in = convolution(p, side + ".conv1");
        outGamma = p[side + ".head.0.gamma"];
        out = convolution(p, side + ".head.2");
        const bool encoder = side == "encoder";
        if (!encoder)
            addMiddle(p, side);
        const std::string row = encoder ? "downsamples." : "upsamples.";
        for (int i = 0;; ++i) {
            const std::string name = row + std::to_string(i);
            const std::string full = std::string(side).append(1, '.').append(name);
            if (p.contains(full + ".residual.2.weight"))
                parts.push_back({name, Residual(p, full)});
            else if (p.contains(full + ".resample.1.weight") && encoder)
                parts.push_back({name, Downsample(p, full)});
            else if (p.contains(full + ".resample.1.weight"))
                parts.push_back({name, Upsample(p, full)});
            else
                break;
        }
        if (encoder)
            addMiddle(p, side);
    }
    void addMiddle(const Parameters& p, const std::string& side)
    {
        parts.push_back({"middle.0", Residual(p, side + ".middle.0")});
        parts.push_back({"middle.1", Attention(p, side + ".middle.1")});
        parts.push_back({"middle.2", Residual(p, side + ".middle.2")});
    }
    at::Tensor operator()(const at::Tensor& input, StreamMemory& memory, const Tap& tap) const
    {
        Slots& slots = memory.slots();
        slots.begin();
        at::Tensor x = causal(in, input, slots);
        if (tap)
            tap("conv1", x);
        for (const Part& part : parts) {
            x = part(x, slots);
            if (tap)
                tap(part.name, x);
        }
        x = normalised(x, outGamma);
        x = causal(out, at::silu_(x), slots);
        slots.end();
        return x;
    }
};

} // namespace

struct WanVae::Impl
{
    weights::WanVaeConfig config;
    Side encoder, decoder;
    Convolution quantize, unquantize;
    at::Tensor mean, deviation; // [1, 16, 1, 1, 1]

    Impl(const weights::WanVaeConfig& c, const Parameters& p)
        : config(c), quantize(convolution(p, "conv1")), unquantize(convolution(p, "conv2"))
    {
        LOQUOR_CHECK(c.latents == static_cast<std::int64_t>(kMean.size()), "the Wan 2.1 VAE has 16 latent channels");
        encoder.load(p, "encoder");
        decoder.load(p, "decoder");
        const auto numbers = [&](const std::array<float, 16>& values) {
            return at::tensor(at::ArrayRef<float>(values)).view({1, 16, 1, 1, 1}).to(quantize.weight.options());
        };
        mean = numbers(kMean);
        deviation = numbers(kDeviation);
    }
};

WanVae::WanVae(const weights::WanVaeConfig& config, const Parameters& parameters) : m(std::make_unique<const Impl>(config, parameters)) {}
WanVae::~WanVae() = default;

at::Tensor WanVae::encode(const at::Tensor& video) const
{
    LOQUOR_CHECK(video.dim() == 5 && video.size(2) > 0, "video of another shape");
    StreamMemory memory;
    std::vector<at::Tensor> latents{encodeNext(video.narrow(2, 0, 1), memory)};
    for (std::int64_t at = 1; at + 4 <= video.size(2); at += 4)
        latents.push_back(encodeNext(video.narrow(2, at, 4), memory));
    return at::cat(latents, 2);
}

at::Tensor WanVae::decode(const at::Tensor& latents) const
{
    StreamMemory memory;
    std::vector<at::Tensor> video;
    for (std::int64_t i = 0; i < latents.size(2); ++i)
        video.push_back(decodeNext(latents.narrow(2, i, 1), memory));
    return at::cat(video, 2);
}

at::Tensor WanVae::encodeNext(const at::Tensor& input, StreamMemory& memory, const Tap& tap) const
{
    LOQUOR_CHECK(input.dim() == 5 && input.size(1) == 3 && input.size(2) == (memory.slots().calls == 0 ? 1 : 4), "frames of another shape");
    const at::Tensor made = m->encoder(input, memory, tap);
    const at::Tensor moments = pointwise(m->quantize, made);
    if (tap) {
        tap("encoder", made);
        tap("moments", moments);
    }
    return (moments.narrow(1, 0, m->config.latents) - m->mean) / m->deviation;
}

at::Tensor WanVae::decodeNext(const at::Tensor& latent, StreamMemory& memory, const Tap& tap) const
{
    LOQUOR_CHECK(latent.dim() == 5 && latent.size(1) == m->config.latents && latent.size(2) == 1, "a latent of another shape");
    const at::Tensor video = m->decoder(pointwise(m->unquantize, unscaled(latent)), memory, tap);
    if (tap)
        tap("raw", video);
    return video.clamp(-1, 1);
}

at::Tensor WanVae::unscaled(const at::Tensor& latents) const
{
    return latents * m->deviation + m->mean;
}

} // namespace loquor::modules
