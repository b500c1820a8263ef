#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "core/base/check.h"
#include "core/modules/wan/encoders.h"

namespace loquor::modules {

namespace {

struct Layer
{
    at::Tensor weight, bias;
    at::Tensor operator()(const at::Tensor& x) const { return at::linear(x, weight, bias); }
};

Layer layer(const Parameters& p, const std::string& name)
{
    return {p[name + ".weight"], p[name + ".bias"]};
}

struct Block
{
    Layer q, k, v, o, norm, up, down, finalNorm;
};

struct Convolution
{
    Layer weights; // the bias may be undefined
    Layer norm;    // undefined where there is none
    std::int64_t stride = 1;
};

} // namespace

struct Wav2Vec2Encoder::Impl
{
    weights::Wav2Vec2Config config;
    std::vector<Convolution> convolutions;
    Layer featureNorm, projection, norm;
    Layer positions; // the weight with its norm put in
    std::vector<Block> blocks;

    Impl(const weights::Wav2Vec2Config& c, const Parameters& p) : config(c)
    {
        for (std::size_t i = 0; i < c.kernels.size(); ++i) {
            const std::string name = "feature_extractor.conv_layers." + std::to_string(i);
            Convolution convolution{{p[name + ".conv.weight"], c.convBias ? p[name + ".conv.bias"] : at::Tensor()}, {}, c.strides[i]};
            if (c.layerNorms || i == 0)
                convolution.norm = layer(p, name + ".layer_norm");
            convolutions.push_back(std::move(convolution));
        }
        featureNorm = layer(p, "feature_projection.layer_norm");
        projection = layer(p, "feature_projection.projection");
        norm = layer(p, "encoder.layer_norm");
        const at::Tensor& direction = p["encoder.pos_conv_embed.conv.weight_v"];
        positions = {direction * (p["encoder.pos_conv_embed.conv.weight_g"] / at::linalg_vector_norm(direction, 2, {0, 1}, true)), p["encoder.pos_conv_embed.conv.bias"]};
        for (std::int64_t i = 0; i < c.layers; ++i) {
            const std::string name = "encoder.layers." + std::to_string(i) + '.';
            blocks.push_back({layer(p, name + "attention.q_proj"), layer(p, name + "attention.k_proj"), layer(p, name + "attention.v_proj"), layer(p, name + "attention.out_proj"), layer(p, name + "layer_norm"), layer(p, name + "feed_forward.intermediate_dense"), layer(p, name + "feed_forward.output_dense"), layer(p, name + "final_layer_norm")});
        }
    }

    at::Tensor normed(const Layer& n, const at::Tensor& x) const { return at::layer_norm(x, {x.size(-1)}, n.weight, n.bias, config.epsilon); }

    // [samples] -> [1, channels, frames]
    at::Tensor features(const at::Tensor& samples, const Tap& tap) const
    {
        at::Tensor x = samples.view({1, 1, -1}).to(projection.weight.scalar_type());
        for (std::size_t i = 0; i < convolutions.size(); ++i) {
            const Convolution& c = convolutions[i];
            x = at::conv1d(x, c.weights.weight, c.weights.bias, {c.stride});
            if (c.norm.weight.defined() && config.layerNorms)
                x = normed(c.norm, x.transpose(1, 2)).transpose(1, 2);
            else if (c.norm.weight.defined())
                x = at::group_norm(x, x.size(1), c.norm.weight, c.norm.bias, config.epsilon);
            x = at::gelu(x);
            if (tap)
                tap("conv" + std::to_string(i) + ".out", x);
        }
        return x;
    }

    // A number of samples around each frame says where it is.
    at::Tensor placed(const at::Tensor& x) const
    {
        const std::int64_t kernel = config.positionKernel;
        at::Tensor y = at::conv1d(x.transpose(1, 2), positions.weight, positions.bias, {1}, {kernel / 2}, {1}, config.positionGroups);
        if (kernel % 2 == 0)
            y = y.narrow(2, 0, y.size(2) - 1);
        return at::gelu(y).transpose(1, 2);
    }

    at::Tensor attention(const Block& b, const at::Tensor& x) const
    {
        const auto heads = [&](const Layer& l) { return l(x).unflatten(-1, {config.heads, -1}).transpose(1, 2); };
        return b.o(at::scaled_dot_product_attention(heads(b.q), heads(b.k), heads(b.v)).transpose(1, 2).flatten(2));
    }
    at::Tensor run(const Block& b, const at::Tensor& in) const
    {
        const auto think = [&](const at::Tensor& x) { return b.down(at::gelu(b.up(x))); };
        if (config.preNorm) {
            const at::Tensor x = in + attention(b, normed(b.norm, in));
            return x + think(normed(b.finalNorm, x));
        }
        const at::Tensor x = normed(b.norm, in + attention(b, in));
        return normed(b.finalNorm, x + think(x));
    }
};

Wav2Vec2Encoder::Wav2Vec2Encoder(const weights::Wav2Vec2Config& config, const Parameters& parameters) : m(std::make_unique<const Impl>(config, parameters)) {}
Wav2Vec2Encoder::~Wav2Vec2Encoder() = default;

at::Tensor Wav2Vec2Encoder::normalise(const at::Tensor& samples)
{
    const at::Tensor mean = samples.mean();
    return (samples - mean) / (samples.var(0, false) + 1e-7).sqrt();
}

at::Tensor Wav2Vec2Encoder::encode(const at::Tensor& samples, std::int64_t frames, const Tap& tap) const
{
    LOQUOR_CHECK(samples.dim() == 1 && frames >= 0, "sound of another shape");
    const auto show = [&](const std::string& part, const at::Tensor& value) {
        if (tap)
            tap(part, value);
    };
    at::Tensor features = m->features(samples, tap);
    if (frames > 0)
        features = at::upsample_linear1d(features, {frames}, true);
    features = features.transpose(1, 2);
    show("interp", features);
    features = m->normed(m->featureNorm, features);
    show("proj.norm", features);
    const at::Tensor projected = m->projection(features);
    show("proj.out", projected);
    const at::Tensor places = m->placed(projected);
    show("pos_conv.weight", m->positions.weight);
    show("pos_conv.out", places);
    at::Tensor x = projected + places;
    if (!m->config.preNorm)
        x = m->normed(m->norm, x);
    show("layer0.in", x);
    std::vector<at::Tensor> states;
    for (std::size_t i = 0; i < m->blocks.size(); ++i) {
        x = m->run(m->blocks[i], x);
        show("layer" + std::to_string(i) + ".out", x);
        const bool last = i + 1 == m->blocks.size();
        states.push_back(m->config.preNorm && last ? m->normed(m->norm, x) : x);
    }
    return at::stack(states, 2).squeeze(0);
}

at::Tensor windowPlaces(std::int64_t total, std::int64_t count, std::int64_t window)
{
    LOQUOR_CHECK(count > 0 && count <= total && window % 2 == 1, "windows of frames that are not there");
    const at::Tensor frames = at::arange(total - count, total, at::kLong).unsqueeze(1);
    return (frames + at::arange(-(window / 2), window / 2 + 1, at::kLong)).clamp_(0, total - 1);
}

} // namespace loquor::modules
