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

struct Block
{
    Layer norm1, qkv, proj, norm2, up, down;
};

Layer layer(const Parameters& p, const std::string& name)
{
    return {p[name + ".weight"], p[name + ".bias"]};
}

} // namespace

struct ClipVisionEncoder::Impl
{
    weights::ClipVisionConfig config;
    at::Tensor patch, classToken, positions;
    Layer preNorm;
    std::vector<Block> blocks; // without the last

    Impl(const weights::ClipVisionConfig& c, const Parameters& p)
        : config(c), patch(p["visual.patch_embedding.weight"].flatten(1)), classToken(p["visual.cls_embedding"]), positions(p["visual.pos_embedding"]),
          preNorm(layer(p, "visual.pre_norm"))
    {
        for (std::int64_t i = 0; i + 1 < c.layers; ++i) {
            const std::string name = "visual.transformer." + std::to_string(i) + '.';
            blocks.push_back({layer(p, name + "norm1"), layer(p, name + "attn.to_qkv"), layer(p, name + "attn.proj"), layer(p, name + "norm2"), layer(p, name + "mlp.0"), layer(p, name + "mlp.2")});
        }
    }

    at::Tensor norm(const Layer& n, const at::Tensor& x) const { return at::layer_norm(x, {x.size(-1)}, n.weight, n.bias, config.epsilon); }
    at::Tensor run(const Block& b, const at::Tensor& in) const
    {
        const auto parts = b.qkv(norm(b.norm1, in)).unflatten(-1, {3, config.heads, -1}).unbind(2);
        const at::Tensor mixed = at::scaled_dot_product_attention(parts[0].transpose(1, 2), parts[1].transpose(1, 2), parts[2].transpose(1, 2));
        const at::Tensor x = in + b.proj(mixed.transpose(1, 2).flatten(2));
        return x + b.down(at::gelu(b.up(norm(b.norm2, x))));
    }
};

ClipVisionEncoder::ClipVisionEncoder(const weights::ClipVisionConfig& config, const Parameters& parameters) : m(std::make_unique<const Impl>(config, parameters)) {}
ClipVisionEncoder::~ClipVisionEncoder() = default;

at::Tensor ClipVisionEncoder::prepare(const at::Tensor& pictures) const
{
    LOQUOR_CHECK(pictures.dim() == 4 && pictures.size(1) == 3, "pictures of another shape");
    const auto colours = [&](double r, double g, double b) { return at::tensor({r, g, b}).view({1, 3, 1, 1}).to(pictures.options()); };
    const at::Tensor square = at::upsample_bicubic2d(pictures, {m->config.imageSize, m->config.imageSize}, false);
    return ((square + 1) / 2 - colours(0.48145466, 0.4578275, 0.40821073)) / colours(0.26862954, 0.26130258, 0.27577711);
}

at::Tensor ClipVisionEncoder::encode(const at::Tensor& prepared, const Tap& tap) const
{
    const std::int64_t side = m->config.imageSize / m->config.patch, patch = m->config.patch;
    LOQUOR_CHECK(prepared.dim() == 4 && prepared.size(2) == m->config.imageSize && prepared.size(3) == m->config.imageSize, "pictures that are not prepared");
    const at::Tensor cut = prepared.to(m->patch.scalar_type()).view({prepared.size(0), 3, side, patch, side, patch}).permute({0, 2, 4, 1, 3, 5});
    const at::Tensor patches = at::linear(cut.reshape({prepared.size(0), side * side, -1}), m->patch);
    at::Tensor x = at::cat({m->classToken.expand({prepared.size(0), -1, -1}), patches}, 1) + m->positions;
    x = m->norm(m->preNorm, x);
    if (tap)
        tap("pre_norm.out", x);
    for (std::size_t i = 0; i < m->blocks.size(); ++i) {
        x = m->run(m->blocks[i], x);
        if (tap)
            tap("block" + std::to_string(i) + ".out", x);
    }
    return x;
}

} // namespace loquor::modules
