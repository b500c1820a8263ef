#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "core/base/check.h"
#include "core/modules/wan/encoders.h"

namespace loquor::modules {

namespace {

struct Block
{
    at::Tensor norm1, q, k, v, o, norm2, gate, up, down, bias;
};

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon)
{
    const at::Tensor wide = x.to(at::kFloat);
    return (wide * (wide.square().mean(-1, true) + epsilon).rsqrt()).to(weight.scalar_type()) * weight;
}

} // namespace

struct Umt5Encoder::Impl
{
    weights::Umt5Config config;
    at::Tensor embedding, norm;
    std::vector<Block> blocks;

    Impl(const weights::Umt5Config& c, const Parameters& p) : config(c), embedding(p["token_embedding.weight"]), norm(p["norm.weight"])
    {
        for (std::int64_t i = 0; i < c.layers; ++i) {
            const std::string name = "blocks." + std::to_string(i) + '.';
            blocks.push_back({p[name + "norm1.weight"], p[name + "attn.q.weight"], p[name + "attn.k.weight"], p[name + "attn.v.weight"],
                              p[name + "attn.o.weight"], p[name + "norm2.weight"], p[name + "ffn.gate.0.weight"], p[name + "ffn.fc1.weight"],
                              p[name + "ffn.fc2.weight"], p[name + "pos_embedding.embedding.weight"]});
        }
    }

    // [rows, rows] of bucket numbers.
    at::Tensor buckets(std::int64_t rows) const
    {
        std::vector<std::int64_t> row; // by distance, from -(rows - 1)
        for (std::int64_t d = 1 - rows; d < rows; ++d)
            row.push_back(bucket(d, config.buckets, config.maxDistance));
        const at::Tensor places = at::arange(rows, at::kLong);
        return at::tensor(row).index_select(0, (places.unsqueeze(0) - places.unsqueeze(1) + rows - 1).flatten()).view({rows, rows}).to(embedding.device());
    }
    at::Tensor bias(const Block& block, const at::Tensor& which) const
    {
        return block.bias.index_select(0, which.flatten()).view({which.size(0), which.size(1), config.heads}).permute({2, 0, 1});
    }

    at::Tensor run(const Block& b, const at::Tensor& x, const at::Tensor& which, const at::Tensor& hidden) const
    {
        const at::Tensor seen = rmsNorm(x, b.norm1, config.epsilon);
        const auto heads = [&](const at::Tensor& weight) { return at::linear(seen, weight).unflatten(-1, {config.heads, config.headWidth}).transpose(1, 2); };
        const at::Tensor scores = bias(b, which).unsqueeze(0) + hidden;
        const at::Tensor mixed = at::scaled_dot_product_attention(heads(b.q), heads(b.k), heads(b.v), scores.to(x.scalar_type()), 0.0, false, 1.0);
        const at::Tensor y = x + at::linear(mixed.transpose(1, 2).flatten(2), b.o);
        const at::Tensor thought = rmsNorm(y, b.norm2, config.epsilon);
        return y + at::linear(at::gelu(at::linear(thought, b.gate), "tanh") * at::linear(thought, b.up), b.down);
    }
};

Umt5Encoder::Umt5Encoder(const weights::Umt5Config& config, const Parameters& parameters) : m(std::make_unique<const Impl>(config, parameters)) {}
Umt5Encoder::~Umt5Encoder() = default;

std::int64_t Umt5Encoder::bucket(std::int64_t distance, std::int64_t buckets, std::int64_t maxDistance)
{
    // Half of the buckets for each direction; the near ones exact, the others by logarithm.
    const std::int64_t half = buckets / 2, exact = half / 2, length = std::abs(distance);
    const std::int64_t side = distance > 0 ? half : 0;
    if (length < exact)
        return side + length;
    const float share = std::log(static_cast<float>(length) / static_cast<float>(exact)) / static_cast<float>(std::log(static_cast<double>(maxDistance) / static_cast<double>(exact)));
    return side + std::min(half - 1, exact + static_cast<std::int64_t>(share * static_cast<float>(half - exact)));
}

at::Tensor Umt5Encoder::positionBias(std::int64_t block, std::int64_t rows) const
{
    return m->bias(m->blocks.at(static_cast<std::size_t>(block)), m->buckets(rows));
}

at::Tensor Umt5Encoder::encode(const at::Tensor& tokens, const at::Tensor& mask, const Tap& tap) const
{
    LOQUOR_CHECK(tokens.dim() == 2 && tokens.sizes() == mask.sizes(), "tokens and mask of different shapes");
    at::Tensor x = at::embedding(m->embedding, tokens.to(at::kLong));
    if (tap)
        tap("embed", x);
    const at::Tensor which = m->buckets(tokens.size(1));
    const double lowest = x.scalar_type() == at::kHalf ? -65504.0 : static_cast<double>(std::numeric_limits<float>::lowest());
    const at::Tensor hidden = ((1 - mask.to(at::kFloat)) * lowest).unsqueeze(1).unsqueeze(1);
    for (std::size_t i = 0; i < m->blocks.size(); ++i) {
        x = m->run(m->blocks[i], x, which, hidden);
        if (tap)
            tap("block" + std::to_string(i) + ".out", x);
    }
    return rmsNorm(x, m->norm, m->config.epsilon);
}

} // namespace loquor::modules
