// The encoders of text, image and sound.
#include "core/weights/network_specs.h"
#include "core/weights/spec_builder.h"

namespace loquor::weights {

namespace {

FileTensor transformersUmt5Name(const TensorSpec& tensor)
{
    static const Renaming kPlaces = {{"token_embedding", "shared"}, {"blocks", "encoder.block"}, {"norm", "encoder.final_layer_norm"}};
    static const Renaming kParts = {{"norm1", "layer.0.layer_norm"},
                                    {"norm2", "layer.1.layer_norm"},
                                    {"pos_embedding.embedding", "layer.0.SelfAttention.relative_attention_bias"},
                                    {"attn", "layer.0.SelfAttention"},
                                    {"ffn.gate.0", "layer.1.DenseReluDense.wi_0"},
                                    {"ffn.fc1", "layer.1.DenseReluDense.wi_1"},
                                    {"ffn.fc2", "layer.1.DenseReluDense.wo"}};
    return {renamed(renamed(tensor.name, kPlaces), kParts), tensor.shape};
}

// visual.* -> the names of transformers; q, k and v are three tensors there.
std::vector<FileTensor> transformersClipName(const TensorSpec& tensor)
{
    if (tensor.name == "visual.cls_embedding")
        return {{"embeddings.class_embedding", {tensor.shape.back()}}};
    if (tensor.name == "visual.pos_embedding")
        return {{"embeddings.position_embedding.weight", {tensor.shape[1], tensor.shape[2]}}};
    static const Renaming kPlaces = {{"visual.patch_embedding", "embeddings.patch_embedding"},
                                     {"visual.pre_norm", "pre_layrnorm"}, // spelt so there
                                     {"visual.post_norm", "post_layernorm"},
                                     {"visual.transformer", "encoder.layers"}};
    static const Renaming kParts = {{"norm1", "layer_norm1"}, {"norm2", "layer_norm2"}, {"attn.proj", "self_attn.out_proj"}, {"mlp.0", "mlp.fc1"}, {"mlp.2", "mlp.fc2"}};
    const std::string name = renamed(renamed(tensor.name, kPlaces), kParts);
    const std::size_t fused = name.find("attn.to_qkv");
    if (fused == std::string::npos)
        return {{name, tensor.shape}};
    std::vector<FileTensor> parts;
    Shape shape = tensor.shape;
    shape[0] /= 3;
    for (const char* part : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"})
        parts.push_back({std::string(name).replace(fused, std::string("attn.to_qkv").size(), part), shape});
    return parts;
}

void addWav2Vec2Convolutions(SpecBuilder& add, const Wav2Vec2Config& config)
{
    std::int64_t in = 1;
    for (std::size_t i = 0; i < config.kernels.size(); ++i) {
        const std::string name = "feature_extractor.conv_layers." + std::to_string(i);
        const std::int64_t out = config.convWidths[i];
        add.tensor(name + ".conv.weight", {out, in, config.kernels[i]});
        if (config.convBias)
            add.tensor(name + ".conv.bias", {out});
        if (config.layerNorms || i == 0)
            add.norm(name + ".layer_norm", out);
        in = out;
    }
}

} // namespace

CheckpointSpec umt5Spec(const Umt5Config& config)
{
    CheckpointSpec spec;
    spec.network = "the UMT5 text encoder";
    SpecBuilder add(spec);
    const std::int64_t width = config.width, inner = config.heads * config.headWidth;
    add.tensor("token_embedding.weight", {config.vocabulary, width});
    for (std::int64_t i = 0; i < config.layers; ++i) {
        const std::string block = "blocks." + std::to_string(i) + '.';
        add.tensor(block + "norm1.weight", {width});
        for (const char* part : {"q", "k", "v"})
            add.tensor(block + "attn." + part + ".weight", {inner, width});
        add.tensor(block + "attn.o.weight", {width, inner});
        add.tensor(block + "norm2.weight", {width});
        add.tensor(block + "ffn.gate.0.weight", {config.feedForward, width});
        add.tensor(block + "ffn.fc1.weight", {config.feedForward, width});
        add.tensor(block + "ffn.fc2.weight", {width, config.feedForward});
        add.tensor(block + "pos_embedding.embedding.weight", {config.buckets, config.heads});
    }
    add.tensor("norm.weight", {width});
    spec.spellings = {ownSpelling("the original Wan code"), {"transformers", [](const TensorSpec& t) { return std::vector<FileTensor>{transformersUmt5Name(t)}; }}};
    spec.ignored = {"encoder.embed_tokens.weight"}; // the same tensor once more
    return spec;
}

CheckpointSpec clipVisionSpec(const ClipVisionConfig& config)
{
    CheckpointSpec spec;
    spec.network = "the CLIP image encoder";
    SpecBuilder add(spec);
    const std::int64_t width = config.width, side = config.imageSize / config.patch;
    add.tensor("visual.cls_embedding", {1, 1, width});
    add.tensor("visual.pos_embedding", {1, side * side + 1, width});
    add.tensor("visual.patch_embedding.weight", {width, 3, config.patch, config.patch});
    add.norm("visual.pre_norm", width);
    for (std::int64_t i = 0; i < config.layers; ++i) {
        const std::string block = "visual.transformer." + std::to_string(i) + '.';
        const Presence presence = i + 1 < config.layers ? Presence::Required : Presence::Optional; // the last is not run
        add.norm(block + "norm1", width, presence);
        add.layer(block + "attn.to_qkv", {3 * width, width}, presence);
        add.layer(block + "attn.proj", {width, width}, presence);
        add.norm(block + "norm2", width, presence);
        add.layer(block + "mlp.0", {config.feedForward, width}, presence);
        add.layer(block + "mlp.2", {width, config.feedForward}, presence);
    }
    add.norm("visual.post_norm", width, Presence::Optional);
    spec.spellings = {ownSpelling("open-clip as Wan has it"), {"transformers", transformersClipName}};
    spec.prefixes = {"vision_model.", "model.", "clip.", "model.vision_model."};
    spec.ignored = {"visual.head", "textual.", "log_scale", "text_model.", "logit_scale", "visual_projection.", "text_projection.", "embeddings.position_ids"};
    return spec;
}

CheckpointSpec wav2vec2Spec(const Wav2Vec2Config& config)
{
    CheckpointSpec spec;
    spec.network = "the wav2vec2 sound encoder";
    SpecBuilder add(spec);
    const std::int64_t width = config.width;
    add.tensor("masked_spec_embed", {width}, Presence::Optional);
    addWav2Vec2Convolutions(add, config);
    add.norm("feature_projection.layer_norm", config.convWidths.back());
    add.layer("feature_projection.projection", {width, config.convWidths.back()});
    add.tensor("encoder.pos_conv_embed.conv.bias", {width});
    add.tensor("encoder.pos_conv_embed.conv.weight_g", {1, 1, config.positionKernel});
    add.tensor("encoder.pos_conv_embed.conv.weight_v", {width, width / config.positionGroups, config.positionKernel});
    add.norm("encoder.layer_norm", width);
    for (std::int64_t i = 0; i < config.layers; ++i) {
        const std::string layer = "encoder.layers." + std::to_string(i) + '.';
        for (const char* part : {"k_proj", "v_proj", "q_proj", "out_proj"})
            add.layer(layer + "attention." + part, {width, width});
        add.norm(layer + "layer_norm", width);
        add.layer(layer + "feed_forward.intermediate_dense", {config.feedForward, width});
        add.layer(layer + "feed_forward.output_dense", {width, config.feedForward});
        add.norm(layer + "final_layer_norm", width);
    }
    static const Renaming kNewNorm = {{"weight_g", "parametrizations.weight.original0"}, {"weight_v", "parametrizations.weight.original1"}};
    spec.spellings = {ownSpelling("transformers"), {"transformers with parametrizations", [](const TensorSpec& t) { return std::vector<FileTensor>{renamedTensor(t, kNewNorm)}; }}};
    spec.prefixes = {"wav2vec2."};
    spec.ignored = {"quantizer.", "project_q.", "project_hid.", "lm_head."};
    return spec;
}

} // namespace loquor::weights
