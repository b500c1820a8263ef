#include "core/modules/wan/tiny_autoencoder.h"

#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "core/base/check.h"
#include "core/modules/wan/stream_slots.h"

namespace loquor::modules {

namespace {

// A convolution with sides of 1 pixel, or of none for 1x1.
struct Convolution
{
    at::Tensor weight, bias; // bias may be undefined
    std::int64_t stride = 1;

    at::Tensor operator()(const at::Tensor& x) const
    {
        const std::int64_t side = weight.size(2) / 2;
        return at::conv2d(x, weight, bias, {stride, stride}, {side, side});
    }
};

struct MemoryBlock
{
    Convolution first, second, third;
};

// Pictures of several videos in one row: [batch * frames, channels, height, width].
struct Row
{
    at::Tensor x;
    std::int64_t batch = 1;

    at::Tensor byVideo() const { return x.view({batch, x.size(0) / batch, x.size(1), x.size(2), x.size(3)}); }
};

// A step of the encoder: frames are joined, the picture is halved, three memories. Of the decoder: three memories,
// the picture is doubled, frames are made, a convolution.
struct Step
{
    std::array<MemoryBlock, 3> memories;
    Convolution time, space;
    std::int64_t frames = 1;
};

// relu(conv3 + x) with conv over the picture and the one before; the last picture stays in the memory.
void remember(const MemoryBlock& block, Row& row, StreamMemory::Slots& slots)
{
    const at::Tensor now = row.byVideo();
    at::Tensor& kept = slots.take();
    if (!kept.defined())
        kept = at::zeros_like(now.narrow(1, 0, 1));
    const std::int64_t frames = now.size(1);
    at::Tensor before = frames > 1 ? at::cat({kept, now.narrow(1, 0, frames - 1)}, 1) : kept;
    kept = now.narrow(1, frames - 1, 1).clone();
    at::Tensor x = block.first(at::cat({row.x, before.reshape(row.x.sizes())}, 1)).relu_();
    x = block.second(x).relu_();
    row.x = block.third(x).add_(row.x).relu_();
}

std::int64_t product(const std::array<std::int64_t, 3>& numbers)
{
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t(1), std::multiplies<>());
}

} // namespace

struct TinyAutoencoder::Impl
{
    weights::TinyAutoencoderConfig config;
    Convolution encoderIn, encoderOut, decoderIn, decoderOut;
    std::array<Step, 3> encoder, decoder;

    Impl(const weights::TinyAutoencoderConfig& c, const Parameters& p) : config(c)
    {
        encoderIn = {p["encoder.0.weight"], p["encoder.0.bias"]};
        encoderOut = {p["encoder.17.weight"], p["encoder.17.bias"]};
        decoderIn = {p["decoder.1.weight"], p["decoder.1.bias"]};
        decoderOut = {p["decoder.22.weight"], p["decoder.22.bias"]};
        for (std::size_t i = 0; i < 3; ++i) {
            const int at = 2 + 5 * static_cast<int>(i);
            const auto name = [](const char* side, int index) { return side + std::to_string(index); };
            encoder[i].time = {p[name("encoder.", at) + ".conv.weight"], {}};
            encoder[i].space = {p[name("encoder.", at + 1) + ".weight"], {}, 2};
            encoder[i].frames = config.shrink[i];
            const int begin = 3 + 6 * static_cast<int>(i);
            decoder[i].time = {growth(p, name("decoder.", begin + 4), config.growth[i]), {}};
            decoder[i].space = {p[name("decoder.", begin + 5) + ".weight"], {}};
            decoder[i].frames = config.growth[i];
            for (int k = 0; k < 3; ++k) {
                encoder[i].memories[static_cast<std::size_t>(k)] = block(p, name("encoder.", at + 2 + k));
                decoder[i].memories[static_cast<std::size_t>(k)] = block(p, name("decoder.", begin + k));
            }
        }
    }

    static MemoryBlock block(const Parameters& p, const std::string& name)
    {
        const auto layer = [&](const char* index) { return Convolution{p[name + ".conv." + index + ".weight"], p[name + ".conv." + index + ".bias"]}; };
        return {layer("0"), layer("2"), layer("4")};
    }

    // Both kinds of growth as one 1x1 convolution that makes the frames as channels. A repeated frame under a
    // convolution over the two with nothing around them: the first sees weights 1 and 2, the second 0 and 1.
    at::Tensor growth(const Parameters& p, const std::string& name, std::int64_t frames) const
    {
        if (config.kind == weights::Growth::Channels)
            return p[name + ".conv.weight"];
        if (frames == 1)
            return p[name + ".proj.weight"];
        const at::Tensor& over = p[name + ".conv3d.weight"];
        const at::Tensor middle = over.select(2, 1);
        return at::cat({middle + over.select(2, 2), middle + over.select(2, 0)});
    }

    // [batch, frames, 3, h, w] -> latents; the frames fill whole latents.
    at::Tensor encode(const at::Tensor& video, StreamMemory::Slots& slots, const Tap& tap) const
    {
        Row row{video.flatten(0, 1), video.size(0)};
        if (config.patch > 1)
            row.x = at::pixel_unshuffle(row.x, config.patch);
        row.x = encoderIn(row.x).relu_();
        for (std::size_t i = 0; i < 3; ++i) {
            const Step& step = encoder[i];
            const int at = 2 + 5 * static_cast<int>(i);
            row.x = step.time(row.x.reshape({row.x.size(0) / step.frames, step.frames * row.x.size(1), row.x.size(2), row.x.size(3)}));
            show(tap, "encoder.", at, row.x);
            row.x = step.space(row.x);
            show(tap, "encoder.", at + 1, row.x);
            for (int k = 0; k < 3; ++k) {
                remember(step.memories[static_cast<std::size_t>(k)], row, slots);
                show(tap, "encoder.", at + 2 + k, row.x);
            }
        }
        row.x = encoderOut(row.x);
        show(tap, "encoder.", 17, row.x);
        return row.byVideo();
    }

    at::Tensor decode(const at::Tensor& latents, StreamMemory& memory, const Tap& tap) const
    {
        StreamMemory::Slots& slots = memory.slots();
        LOQUOR_CHECK(latents.dim() == 5 && latents.size(1) > 0 && latents.size(2) == config.latents, "latents of another shape");
        slots.begin();
        Row row{(latents / 3).tanh_().mul_(3).flatten(0, 1), latents.size(0)};
        show(tap, "decoder.", 0, row.x);
        row.x = decoderIn(row.x);
        show(tap, "decoder.", 1, row.x);
        row.x.relu_();
        for (std::size_t i = 0; i < 3; ++i) {
            const Step& step = decoder[i];
            const int at = 3 + 6 * static_cast<int>(i);
            for (int k = 0; k < 3; ++k) {
                remember(step.memories[static_cast<std::size_t>(k)], row, slots);
                show(tap, "decoder.", at + k, row.x);
            }
            // The 1x1 convolution before the doubling: the same numbers for a quarter of the work.
            const at::Tensor grown = step.time(row.x);
            row.x = at::upsample_nearest2d(grown.reshape({grown.size(0) * step.frames, grown.size(1) / step.frames, grown.size(2), grown.size(3)}),
                                           std::array<std::int64_t, 2>{2 * grown.size(2), 2 * grown.size(3)});
            show(tap, "decoder.", at + 4, row.x);
            row.x = step.space(row.x);
            show(tap, "decoder.", at + 5, row.x);
        }
        row.x = decoderOut(row.x.relu_());
        if (tap)
            tap("raw", row.byVideo());
        row.x.clamp_(0, 1);
        if (config.patch > 1)
            row.x = at::pixel_shuffle(row.x, config.patch);
        const bool first = slots.calls == 0;
        slots.end();
        const at::Tensor video = row.byVideo();
        const std::int64_t trimmed = first ? product(config.growth) - 1 : 0;
        return video.narrow(1, trimmed, video.size(1) - trimmed);
    }

    static void show(const Tap& tap, const char* side, int index, const at::Tensor& x)
    {
        if (tap)
            tap(side + std::to_string(index), x);
    }
};

TinyAutoencoder::TinyAutoencoder(const weights::TinyAutoencoderConfig& config, const Parameters& parameters)
    : m(std::make_unique<const Impl>(config, parameters))
{
}
TinyAutoencoder::~TinyAutoencoder() = default;

std::int64_t TinyAutoencoder::framesPerLatent() const
{
    return product(m->config.shrink);
}

at::Tensor TinyAutoencoder::encode(const at::Tensor& video, const Tap& tap) const
{
    const std::int64_t missing = (framesPerLatent() - video.size(1) % framesPerLatent()) % framesPerLatent();
    at::Tensor whole = video;
    if (missing > 0)
        whole = at::cat({video, video.narrow(1, video.size(1) - 1, 1).expand({-1, missing, -1, -1, -1})}, 1);
    StreamMemory memory;
    return m->encode(whole, memory.slots(), tap);
}

at::Tensor TinyAutoencoder::decode(const at::Tensor& latents, const Tap& tap) const
{
    StreamMemory memory;
    return m->decode(latents, memory, tap);
}

at::Tensor TinyAutoencoder::encodeNext(const at::Tensor& frames, StreamMemory& memory) const
{
    StreamMemory::Slots& slots = memory.slots();
    slots.begin();
    at::Tensor& waiting = slots.take(); // before the places of the network
    const at::Tensor all = waiting.defined() ? at::cat({waiting, frames}, 1) : frames;
    const std::int64_t used = all.size(1) / framesPerLatent() * framesPerLatent();
    waiting = all.narrow(1, used, all.size(1) - used).clone();
    if (used == 0) {
        const std::int64_t scale = 8 * m->config.patch;
        return at::empty({all.size(0), 0, m->config.latents, all.size(3) / scale, all.size(4) / scale}, all.options());
    }
    at::Tensor latents = m->encode(all.narrow(1, 0, used), slots, {});
    slots.end();
    return latents;
}

at::Tensor TinyAutoencoder::encodeRest(StreamMemory& memory) const
{
    StreamMemory::Slots& slots = memory.slots();
    LOQUOR_CHECK(!slots.tensors.empty() && slots.tensors[0].defined(), "the rest of a stream that never began");
    const at::Tensor waiting = slots.tensors[0];
    const std::int64_t missing = (framesPerLatent() - waiting.size(1)) % framesPerLatent();
    const at::Tensor last = missing > 0 ? waiting.narrow(1, waiting.size(1) - 1, 1).expand({-1, missing, -1, -1, -1}) : waiting.narrow(1, 0, 0);
    return encodeNext(last, memory);
}

at::Tensor TinyAutoencoder::decodeNext(const at::Tensor& latents, StreamMemory& memory) const
{
    return m->decode(latents, memory, {});
}

} // namespace loquor::modules
