#include "core/modules/wan/wan_transformer.h"

#include <cmath>
#include <string>
#include <utility>

#include <ATen/ATen.h>

#include "core/base/check.h"
#include "core/modules/wan/wan_prepared.h"

namespace loquor::modules {

namespace {

constexpr double kAffineEpsilon = 1e-5; // of the norms around the image and sound embeddings

struct Linear
{
    at::Tensor weight, bias;

    at::Tensor operator()(const at::Tensor& x) const { return at::linear(x, weight, bias); }
    // In float32 whatever the weights are.
    at::Tensor precise(const at::Tensor& x) const { return at::linear(x, weight.to(at::kFloat), bias.to(at::kFloat)); }
};

Linear linear(const Parameters& p, const std::string& name)
{
    return {p[name + ".weight"], p[name + ".bias"]};
}

// A norm over the last dimension, computed in float32. Weight and bias may be undefined.
struct LayerNorm
{
    at::Tensor weight, bias;
    double epsilon = 1e-6;

    at::Tensor operator()(const at::Tensor& x) const
    {
        const auto cast = [](const at::Tensor& t) { return t.defined() ? t.to(at::kFloat) : t; };
        return at::layer_norm(x.to(at::kFloat), {x.size(-1)}, cast(weight), cast(bias), epsilon);
    }
};

LayerNorm layerNorm(const Parameters& p, const std::string& name, double epsilon)
{
    return {p[name + ".weight"], p[name + ".bias"], epsilon};
}

// Over all heads together; the weight comes after the cast.
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon)
{
    const at::Tensor wide = x.to(at::kFloat);
    const at::Tensor scale = wide.square().mean(-1, true).add_(epsilon).rsqrt_();
    return (wide * scale).to(x.scalar_type()).mul_(weight);
}

// Neighbours are pairs; x is [batch, tokens, heads, width].
at::Tensor rotated(const at::Tensor& x, const WanGrid& grid)
{
    const at::Tensor pairs = x.to(at::kFloat).unflatten(-1, {-1, 2});
    const at::Tensor a = pairs.select(-1, 0), b = pairs.select(-1, 1);
    const at::Tensor cosine = grid.cosine.unsqueeze(1), sine = grid.sine.unsqueeze(1);
    return at::stack({a * cosine - b * sine, a * sine + b * cosine}, -1).flatten(-2).to(x.scalar_type());
}

at::Tensor attend(const at::Tensor& query, const KeyValue& kv)
{
    return at::scaled_dot_product_attention(query, kv.key, kv.value);
}

struct Block
{
    at::Tensor modulation; // [1, 6, width], float32
    Linear q, k, v, o;
    at::Tensor qNorm, kNorm;
    LayerNorm norm3;
    Linear crossQ, crossK, crossV, crossO, imageK, imageV;
    at::Tensor crossQNorm, crossKNorm, imageKNorm;
    Linear soundQ, soundKv, soundO;
    LayerNorm normSound;
    Linear up, down;
};

} // namespace

struct WanTransformer::Impl
{
    weights::WanDitConfig config;
    Linear patch, text0, text2, time0, time2, timeProjection, head;
    Linear image1, image3;
    LayerNorm image0, image4;
    Linear sound1, soundRest, sound2, sound3;
    LayerNorm soundNorm;
    at::Tensor headModulation; // [1, 2, width], float32
    std::vector<Block> blocks;
    LayerNorm plain;

    Impl(const weights::WanDitConfig& c, const Parameters& p) : config(c)
    {
        plain.epsilon = c.epsilon;
        patch = {p["patch_embedding.weight"].flatten(1), p["patch_embedding.bias"]};
        time0 = linear(p, "time_embedding.0");
        time2 = linear(p, "time_embedding.2");
        timeProjection = linear(p, "time_projection.1");
        head = linear(p, "head.head");
        headModulation = p["head.modulation"].to(at::kFloat);
        if (c.audioPath != weights::AudioPath::InsteadOfText) {
            text0 = linear(p, "text_embedding.0");
            text2 = linear(p, "text_embedding.2");
        }
        if (c.imageWidth > 0) {
            image0 = layerNorm(p, "img_emb.proj.0", kAffineEpsilon);
            image1 = linear(p, "img_emb.proj.1");
            image3 = linear(p, "img_emb.proj.3");
            image4 = layerNorm(p, "img_emb.proj.4", kAffineEpsilon);
        }
        if (c.audioPath != weights::AudioPath::None) {
            sound1 = linear(p, "audio_proj.proj1");
            soundRest = linear(p, "audio_proj.proj1_vf");
            sound2 = linear(p, "audio_proj.proj2");
            sound3 = linear(p, "audio_proj.proj3");
            soundNorm = layerNorm(p, "audio_proj.norm", kAffineEpsilon);
        }
        for (std::int64_t i = 0; i < c.layers; ++i)
            blocks.push_back(loadBlock(p, "blocks." + std::to_string(i) + '.'));
    }

    Block loadBlock(const Parameters& p, const std::string& name) const
    {
        Block b;
        b.modulation = p[name + "modulation"].to(at::kFloat);
        b.q = linear(p, name + "self_attn.q");
        b.k = linear(p, name + "self_attn.k");
        b.v = linear(p, name + "self_attn.v");
        b.o = linear(p, name + "self_attn.o");
        b.qNorm = p[name + "self_attn.norm_q.weight"];
        b.kNorm = p[name + "self_attn.norm_k.weight"];
        b.norm3 = layerNorm(p, name + "norm3", config.epsilon);
        b.crossQ = linear(p, name + "cross_attn.q");
        b.crossK = linear(p, name + "cross_attn.k");
        b.crossV = linear(p, name + "cross_attn.v");
        b.crossO = linear(p, name + "cross_attn.o");
        b.crossQNorm = p[name + "cross_attn.norm_q.weight"];
        b.crossKNorm = p[name + "cross_attn.norm_k.weight"];
        if (config.imageWidth > 0) {
            b.imageK = linear(p, name + "cross_attn.k_img");
            b.imageV = linear(p, name + "cross_attn.v_img");
            b.imageKNorm = p[name + "cross_attn.norm_k_img.weight"];
        }
        if (config.audioPath == weights::AudioPath::Extra) {
            b.soundQ = linear(p, name + "audio_cross_attn.q_linear");
            b.soundKv = linear(p, name + "audio_cross_attn.kv_linear");
            b.soundO = linear(p, name + "audio_cross_attn.proj");
            b.normSound = layerNorm(p, name + "norm_x", config.epsilon);
        }
        b.up = linear(p, name + "ffn.0");
        b.down = linear(p, name + "ffn.2");
        return b;
    }

    at::ScalarType type() const { return patch.weight.scalar_type(); }
    at::Tensor split(const at::Tensor& x) const { return x.unflatten(-1, {config.heads, config.headWidth()}); }
    // [batch, tokens, width] -> [batch, heads, tokens, width of a head], and back.
    at::Tensor heads(const at::Tensor& x) const { return split(x).transpose(1, 2); }
    static at::Tensor joined(const at::Tensor& x) { return x.transpose(1, 2).flatten(2); }

    at::Tensor patches(const at::Tensor& x, const WanGrid& grid) const
    {
        const auto [time, high, wide] = config.patch;
        const at::Tensor cut = x.to(type()).view({x.size(0), x.size(1), grid.frames, time, grid.rows, high, grid.columns, wide});
        return patch(cut.permute({0, 2, 4, 6, 1, 3, 5, 7}).reshape({x.size(0), grid.tokens(), -1}));
    }
    at::Tensor unpatched(const at::Tensor& tokens, const WanGrid& grid) const
    {
        const auto [time, high, wide] = config.patch;
        const at::Tensor cut = tokens.view({tokens.size(0), grid.frames, grid.rows, grid.columns, time, high, wide, config.channelsOut});
        return cut.permute({0, 7, 1, 4, 2, 5, 3, 6}).reshape({tokens.size(0), config.channelsOut, grid.frames * time, grid.rows * high, grid.columns * wide});
    }

    at::Tensor selfAttention(const Block& b, std::size_t index, const at::Tensor& x, const WanGrid& grid) const
    {
        const at::Tensor q = rotated(split(rmsNorm(b.q(x), b.qNorm, config.epsilon)), grid);
        const at::Tensor k = rotated(split(rmsNorm(b.k(x), b.kNorm, config.epsilon)), grid);
        const at::Tensor v = split(b.v(x));
        if (!grid.isWindowed)
            return b.o(joined(at::scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))));
        const WindowPlan& plan = grid.plans[index % 2];
        const auto cut = [&](const at::Tensor& t) { // windows become a batch
            return t.index_select(1, plan.gather).unflatten(1, {plan.windows, -1}).flatten(0, 1).transpose(1, 2);
        };
        const at::Tensor mixed = joined(at::scaled_dot_product_attention(cut(q), cut(k), cut(v)));
        return b.o(mixed.unflatten(0, {x.size(0), plan.windows}).flatten(1, 2).index_select(1, plan.owner));
    }

    at::Tensor crossAttention(const Block& b, std::size_t index, const at::Tensor& x, const WanContext& context) const
    {
        const at::Tensor q = heads(rmsNorm(b.crossQ(x), b.crossQNorm, config.epsilon));
        at::Tensor mixed = attend(q, context.text[index]);
        if (!context.image.empty())
            mixed = mixed + attend(q, context.image[index]);
        return b.crossO(joined(mixed));
    }

    // Each frame of latents hears its own tokens. x is [batch, tokens, width].
    at::Tensor hear(const Block& b, std::size_t index, const at::Tensor& x, const WanAudio& audio, const std::string& name, const Tap& tap) const
    {
        const bool extra = config.audioPath == weights::AudioPath::Extra;
        const at::Tensor frames = x.reshape({x.size(0) * audio.frames, -1, x.size(2)});
        const at::Tensor q = extra ? b.soundQ(frames) : rmsNorm(b.crossQ(frames), b.crossQNorm, config.epsilon);
        const at::Tensor mixed = joined(attend(heads(q), audio.perBlock[index]));
        at::Tensor out = extra ? b.soundO(mixed) : b.crossO(mixed);
        if (tap && !extra)
            tap(name + "cross_attn", out);
        out = out.view(x.sizes());
        if (tap && extra)
            tap(name + "audio_cross_attn", out);
        return out;
    }

    at::Tensor runBlock(std::size_t index, at::Tensor x, const WanGrid& grid, const WanModulation& modulation, const WanContext* context,
                        const WanAudio* audio, const Tap& tap) const
    {
        const Block& b = blocks[index];
        const std::string name = "block" + std::to_string(index) + '.';
        const auto show = [&](const char* part, const at::Tensor& value) {
            if (tap)
                tap(name + part, value);
        };
        const auto e = (b.modulation.unsqueeze(1) + modulation.sixfold).unbind(2);
        const auto modulated = [&](std::size_t shift) { return (plain(x) * (1 + e[shift + 1]) + e[shift]).to(type()); };
        const auto gated = [&](const at::Tensor& y, std::size_t gate) { return (x + y * e[gate]).to(type()); };
        const at::Tensor attended = selfAttention(b, index, modulated(0), grid);
        show("self_attn", attended);
        x = gated(attended, 2);
        const at::Tensor normed = b.norm3(x).to(type());
        show("norm3", normed);
        if (config.audioPath == weights::AudioPath::InsteadOfText) {
            x = x + hear(b, index, normed, *audio, name, tap);
        } else {
            const at::Tensor read = crossAttention(b, index, normed, *context);
            show("cross_attn", read);
            x = x + read;
        }
        if (config.audioPath == weights::AudioPath::Extra)
            x = x + hear(b, index, b.normSound(x).to(type()), *audio, name, tap);
        const at::Tensor thought = b.down(at::gelu(b.up(modulated(3)), "tanh"));
        show("ffn", thought);
        x = gated(thought, 5);
        show("out", x);
        return x;
    }
};

WanTransformer::WanTransformer(const weights::WanDitConfig& config, const Parameters& parameters) : m(std::make_unique<const Impl>(config, parameters)) {}
WanTransformer::~WanTransformer() = default;

std::shared_ptr<const WanGrid> WanTransformer::grid(std::int64_t frames, std::int64_t height, std::int64_t width, std::optional<AttentionWindow> window) const
{
    const auto [time, high, wide] = m->config.patch;
    LOQUOR_CHECK(frames > 0 && height > 0 && width > 0 && frames % time == 0 && height % high == 0 && width % wide == 0, "latents that do not divide into patches");
    auto grid = std::make_shared<WanGrid>();
    grid->frames = frames / time;
    grid->rows = height / high;
    grid->columns = width / wide;
    fillAngles(*grid, m->config.headWidth());
    if (window)
        fillWindows(*grid, *window);
    const at::Device device = m->patch.weight.device();
    grid->cosine = grid->cosine.to(device);
    grid->sine = grid->sine.to(device);
    for (WindowPlan& plan : grid->plans) {
        if (plan.gather.defined()) {
            plan.gather = plan.gather.to(device);
            plan.owner = plan.owner.to(device);
        }
    }
    return grid;
}

std::shared_ptr<const WanModulation> WanTransformer::modulation(const at::Tensor& timesteps, Sinusoid sinusoid, const Tap& tap) const
{
    const std::int64_t half = m->config.frequencies / 2;
    const at::ScalarType type = sinusoid == Sinusoid::Double ? at::kDouble : at::kFloat;
    const at::Tensor t = timesteps.dim() == 1 ? timesteps.unsqueeze(1) : timesteps;
    const at::Tensor exponents = at::arange(half, type) * (-std::log(10000.0)) / static_cast<double>(half);
    const at::Tensor angles = t.to(at::kCPU).to(type).unsqueeze(-1) * exponents.exp();
    const at::Tensor waves = at::cat({angles.cos(), angles.sin()}, -1).to(at::kFloat).to(m->patch.weight.device());
    auto out = std::make_shared<WanModulation>();
    out->embedded = m->time2.precise(at::silu(m->time0.precise(waves)));
    out->sixfold = m->timeProjection.precise(at::silu(out->embedded)).unflatten(-1, {6, m->config.width});
    if (tap) {
        tap("time_e", out->embedded);
        tap("time_e0_flat", out->sixfold.flatten(2));
    }
    return out;
}

std::shared_ptr<const WanContext> WanTransformer::context(const at::Tensor& text, const at::Tensor& image, const Tap& tap) const
{
    const weights::WanDitConfig& config = m->config;
    LOQUOR_CHECK(config.audioPath != weights::AudioPath::InsteadOfText, "this network reads no text");
    LOQUOR_CHECK(image.defined() == (config.imageWidth > 0), "image tokens are missing, or not wanted");
    LOQUOR_CHECK(config.textLength == 0 || text.size(1) <= config.textLength, "the text is too long");
    const at::Tensor filled = config.textLength == 0 ? text : at::constant_pad_nd(text, {0, 0, 0, config.textLength - text.size(1)});
    const at::Tensor words = m->text2(at::gelu(m->text0(filled.to(m->type())), "tanh"));
    if (tap)
        tap("text_tokens", words);
    at::Tensor seen;
    if (image.defined()) {
        seen = m->image4(m->image3(at::gelu(m->image1(m->image0(image).to(m->type()))))).to(m->type());
        if (tap)
            tap("image_ctx", seen);
    }
    auto out = std::make_shared<WanContext>();
    for (const Block& b : m->blocks) {
        out->text.push_back({m->heads(rmsNorm(b.crossK(words), b.crossKNorm, config.epsilon)), m->heads(b.crossV(words))});
        if (seen.defined())
            out->image.push_back({m->heads(rmsNorm(b.imageK(seen), b.imageKNorm, config.epsilon)), m->heads(b.imageV(seen))});
    }
    return out;
}

std::shared_ptr<const WanAudio> WanTransformer::audio(const at::Tensor& windows, const Tap& tap) const
{
    const weights::AudioProjectorConfig& config = m->config.audio;
    const std::int64_t middle = config.window / 2, group = config.framesPerLatent;
    LOQUOR_CHECK(m->config.audioPath != weights::AudioPath::None, "this network does not hear");
    LOQUOR_CHECK(windows.dim() == 5 && windows.size(2) == config.window && windows.size(1) % group == 1, "sound of another shape");
    // The first frame keeps its window; of each group of the others the first frame gives the beginning of its
    // window, the last one the end, those between only the middle.
    const at::Tensor first = windows.narrow(1, 0, 1);
    const at::Tensor rest = windows.narrow(1, 1, windows.size(1) - 1).unflatten(1, {-1, group});
    const at::Tensor latter = at::cat({rest.select(2, 0).narrow(2, 0, middle + 1), rest.narrow(2, 1, group - 2).select(3, middle),
                                       rest.select(2, group - 1).narrow(2, middle, config.window - middle)},
                                      2);
    const at::Tensor hidden = at::cat({at::relu(m->sound1(first.flatten(2).to(m->type()))), at::relu(m->soundRest(latter.flatten(2).to(m->type())))}, 1);
    const at::Tensor wide = m->sound3(at::relu(m->sound2(hidden))).unflatten(-1, {config.tokens, config.width});
    const at::Tensor tokens = m->soundNorm(wide).to(m->type());
    if (tap) {
        tap("audio_first", first);
        tap("audio_latter", latter);
        tap("audio_tokens", tokens);
    }
    auto out = std::make_shared<WanAudio>();
    out->frames = tokens.size(1);
    const at::Tensor perFrame = tokens.flatten(0, 1);
    for (const Block& b : m->blocks) {
        if (m->config.audioPath == weights::AudioPath::Extra) {
            const auto kv = b.soundKv(perFrame).chunk(2, -1);
            out->perBlock.push_back({m->heads(kv[0]), m->heads(kv[1])});
        } else {
            out->perBlock.push_back({m->heads(rmsNorm(b.crossK(perFrame), b.crossKNorm, m->config.epsilon)), m->heads(b.crossV(perFrame))});
        }
    }
    return out;
}

at::Tensor WanTransformer::velocity(const at::Tensor& latents, const WanGrid& grid, const WanModulation& modulation, const WanContext* context,
                                    const WanAudio* audio, const Tap& tap) const
{
    LOQUOR_CHECK((context == nullptr) == (m->config.audioPath == weights::AudioPath::InsteadOfText), "text is missing, or not read");
    LOQUOR_CHECK((audio == nullptr) == (m->config.audioPath == weights::AudioPath::None), "sound is missing, or not heard");
    LOQUOR_CHECK(!audio || audio->frames == grid.frames, "sound and picture are of different lengths");
    at::Tensor x = m->patches(latents, grid);
    if (tap)
        tap("patch_tokens", x);
    for (std::size_t i = 0; i < m->blocks.size(); ++i)
        x = m->runBlock(i, x, grid, modulation, context, audio, tap);
    const auto e = (m->headModulation.unsqueeze(1) + modulation.embedded.unsqueeze(2)).unbind(2);
    const at::Tensor out = m->head.precise(m->plain(x) * (1 + e[1]) + e[0]);
    if (tap)
        tap("head_tokens", out);
    return m->unpatched(out, grid);
}

} // namespace loquor::modules
