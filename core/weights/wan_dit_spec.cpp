#include "core/weights/network_specs.h"
#include "core/weights/spec_builder.h"

namespace loquor::weights {

namespace {

void addAttention(SpecBuilder& add, const std::string& name, std::int64_t width)
{
    for (const char* part : {".q", ".k", ".v", ".o"})
        add.layer(name + part, {width, width});
    add.tensor(name + ".norm_q.weight", {width});
    add.tensor(name + ".norm_k.weight", {width});
}

void addBlock(SpecBuilder& add, const std::string& block, const WanDitConfig& config)
{
    const std::int64_t width = config.width;
    add.tensor(block + "modulation", {1, 6, width});
    addAttention(add, block + "self_attn", width);
    addAttention(add, block + "cross_attn", width);
    if (config.imageWidth > 0) {
        add.layer(block + "cross_attn.k_img", {width, width});
        add.layer(block + "cross_attn.v_img", {width, width});
        add.tensor(block + "cross_attn.norm_k_img.weight", {width});
    }
    add.norm(block + "norm3", width);
    add.layer(block + "ffn.0", {config.feedForward, width});
    add.layer(block + "ffn.2", {width, config.feedForward});
    if (config.audioPath == AudioPath::Extra) {
        add.layer(block + "audio_cross_attn.q_linear", {width, width});
        add.layer(block + "audio_cross_attn.kv_linear", {2 * width, config.audio.width});
        add.layer(block + "audio_cross_attn.proj", {width, width});
        add.norm(block + "norm_x", width);
    }
}

void addAudioProjector(SpecBuilder& add, const AudioProjectorConfig& audio)
{
    const std::int64_t features = audio.blocks * audio.channels;
    add.layer("audio_proj.proj1", {audio.hidden, audio.window * features});
    add.layer("audio_proj.proj1_vf", {audio.hidden, (audio.window + audio.framesPerLatent - 1) * features});
    add.layer("audio_proj.proj2", {audio.hidden, audio.hidden});
    add.layer("audio_proj.proj3", {audio.tokens * audio.width, audio.hidden});
    add.norm("audio_proj.norm", audio.width);
}

FileTensor diffusersName(const TensorSpec& tensor)
{
    // norm2 and norm3 are the other way round there.
    static const Renaming kParts = {{"head.modulation", "scale_shift_table"},
                                    {"head.head", "proj_out"},
                                    {"time_embedding.0", "condition_embedder.time_embedder.linear_1"},
                                    {"time_embedding.2", "condition_embedder.time_embedder.linear_2"},
                                    {"time_projection.1", "condition_embedder.time_proj"},
                                    {"text_embedding.0", "condition_embedder.text_embedder.linear_1"},
                                    {"text_embedding.2", "condition_embedder.text_embedder.linear_2"},
                                    {"img_emb.proj.0", "condition_embedder.image_embedder.norm1"},
                                    {"img_emb.proj.1", "condition_embedder.image_embedder.ff.net.0.proj"},
                                    {"img_emb.proj.3", "condition_embedder.image_embedder.ff.net.2"},
                                    {"img_emb.proj.4", "condition_embedder.image_embedder.norm2"},
                                    {"modulation", "scale_shift_table"},
                                    {"norm3", "norm2"},
                                    {"ffn.0", "ffn.net.0.proj"},
                                    {"ffn.2", "ffn.net.2"}};
    static const Renaming kAttentions = {{"self_attn", "attn1"}, {"cross_attn", "attn2"}};
    static const Renaming kLayers = {{"q", "to_q"}, {"k", "to_k"}, {"v", "to_v"}, {"o", "to_out.0"}, {"k_img", "add_k_proj"}, {"v_img", "add_v_proj"}, {"norm_k_img", "norm_added_k"}};
    const std::string name = renamed(tensor.name, kAttentions);
    return {renamed(name, name == tensor.name ? kParts : kLayers), tensor.shape};
}

} // namespace

CheckpointSpec wanDitSpec(const WanDitConfig& config)
{
    CheckpointSpec spec;
    SpecBuilder add(spec);
    const std::int64_t width = config.width;
    const std::int64_t patch = config.patch[0] * config.patch[1] * config.patch[2];
    add.layer("patch_embedding", {width, config.channelsIn, config.patch[0], config.patch[1], config.patch[2]});
    if (config.audioPath != AudioPath::InsteadOfText) {
        add.layer("text_embedding.0", {width, config.textWidth});
        add.layer("text_embedding.2", {width, width});
    }
    add.layer("time_embedding.0", {width, config.frequencies});
    add.layer("time_embedding.2", {width, width});
    add.layer("time_projection.1", {6 * width, width});
    for (std::int64_t i = 0; i < config.layers; ++i)
        addBlock(add, "blocks." + std::to_string(i) + '.', config);
    add.tensor("head.modulation", {1, 2, width});
    add.layer("head.head", {config.channelsOut * patch, width});
    if (config.imageWidth > 0) {
        add.norm("img_emb.proj.0", config.imageWidth);
        add.layer("img_emb.proj.1", {config.imageWidth, config.imageWidth});
        add.layer("img_emb.proj.3", {width, config.imageWidth});
        add.norm("img_emb.proj.4", width);
    }
    spec.spellings = {ownSpelling("the original Wan code")};
    spec.prefixes = {"model.diffusion_model.", "model.", "module."};
    switch (config.audioPath) {
    case AudioPath::None:
        spec.network = "a Wan video transformer";
        spec.spellings.push_back({"diffusers", [](const TensorSpec& t) { return std::vector<FileTensor>{diffusersName(t)}; }});
        break;
    case AudioPath::Extra:
        spec.network = "the FlashTalk transformer";
        addAudioProjector(add, config.audio);
        break;
    case AudioPath::InsteadOfText:
        spec.network = "the FlashHead transformer";
        addAudioProjector(add, config.audio);
        spec.ignored = {"text_embedding.", "audio_emb."}; // in the file, never used
        break;
    }
    return spec;
}

} // namespace loquor::weights
