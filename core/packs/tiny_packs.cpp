#include "core/packs/tiny_packs.h"

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <set>

#include "core/base/json.h"
#include "core/modules/wan/letter_model.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/weights/network_specs.h"
#include "core/weights/safetensors_writer.h"

using nlohmann::ordered_json;

namespace loquor::packs {

namespace fs = std::filesystem;

namespace {

class Numbers
{
public:
    explicit Numbers(std::uint64_t seed) : m_engine(seed) {}
    // Normal, mean 0 and deviation 1: the same everywhere, as the library's distributions are not.
    double next()
    {
        const auto uniform = [this] { return (static_cast<double>(m_engine() >> 11) + 0.5) * 0x1p-53; };
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

private:
    std::mt19937_64 m_engine;
};

// Norms are near 1, biases near 0, and a layer keeps the size of what passes through it.
std::vector<float> values(const weights::TensorSpec& tensor, Numbers& numbers)
{
    std::size_t count = 1, inputs = 1;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        count *= static_cast<std::size_t>(tensor.shape[i]);
        inputs *= i > 0 ? static_cast<std::size_t>(tensor.shape[i]) : 1;
    }
    const bool isBias = tensor.name.ends_with("bias");
    const bool isNorm = !isBias && (tensor.shape.size() == 1 || tensor.name.ends_with("gamma") || tensor.name.ends_with("weight_g"));
    const bool isPicture = tensor.name == "decoder.22.bias"; // of the small autoencoders: grey, not black
    const double mean = isNorm ? 1 : isPicture ? 0.5
                                               : 0,
                 deviation = isNorm || isBias ? 0.02 : 1 / std::sqrt(static_cast<double>(inputs));
    std::vector<float> out(count);
    for (float& value : out)
        value = static_cast<float>(mean + deviation * numbers.next());
    return out;
}

Result<void> writeWeights(const fs::path& file, const std::vector<weights::TensorSpec>& tensors, Numbers& numbers)
{
    std::vector<std::pair<std::string, weights::TensorInfo>> list;
    for (const weights::TensorSpec& tensor : tensors)
        list.push_back({tensor.name, {weights::DType::F32, tensor.shape}});
    LQ_TRY(const auto writer, weights::SafetensorsWriter::create(file, list, {}, platform::IfExists::Replace));
    for (const weights::TensorSpec& tensor : tensors) {
        const std::vector<float> data = values(tensor, numbers);
        LQ_CHECKED(writer->write(std::as_bytes(std::span(data))));
    }
    return writer->finish();
}

using MakeSpec = std::function<Result<weights::CheckpointSpec>(const std::string& config)>;

template<class Config, class... More>
MakeSpec specMaker(Result<Config> (*read)(std::string_view, const std::string&, More...), weights::CheckpointSpec (*spec)(const Config&),
                   std::type_identity_t<More>... more)
{
    return [=](const std::string& text) -> Result<weights::CheckpointSpec> {
        LQ_TRY(const Config config, read(text, "config.json", more...));
        return spec(config);
    };
}

// Both weight norms and other spellings stand for one tensor: a file has one of them.
std::vector<weights::TensorSpec> wanted(const weights::CheckpointSpec& spec)
{
    std::vector<weights::TensorSpec> out;
    for (const weights::TensorSpec& tensor : spec.tensors) {
        if (tensor.presence == weights::Presence::Required)
            out.push_back(tensor);
    }
    return out;
}

// One network into its folder.
struct Part
{
    std::string role;
    ordered_json config;
    MakeSpec spec;
};

Result<void> writePart(const fs::path& pack, const Part& part, Numbers& numbers)
{
    const fs::path folder = pack / part.role;
    LQ_CHECKED(platform::makeFolder(folder));
    const std::string config = part.config.dump(2) + '\n';
    LQ_CHECKED(platform::writeFile(folder / "config.json", config));
    LQ_TRY(const weights::CheckpointSpec spec, part.spec(config));
    return writeWeights(folder / "model.safetensors", wanted(spec), numbers);
}

const ordered_json kVideo{{"dim", 80}, {"num_heads", 4}, {"num_layers", 2}, {"ffn_dim", 144}, {"in_dim", 36}, {"out_dim", 16}, {"text_dim", 32}, {"text_len", 64}, {"freq_dim", 64}, {"audio_window", 5}, {"audio_blocks", 4}, {"audio_channels", 12}, {"audio_intermediate", 24}, {"audio_output_dim", 16}, {"audio_context_tokens", 32}, {"vae_scale", 4}};
const ordered_json kSound{{"model_type", "wav2vec2"}, {"conv_dim", 12}, {"hidden_size", 12}, {"num_attention_heads", 2}, {"num_hidden_layers", 4}, {"intermediate_size", 24}, {"num_conv_pos_embeddings", 16}, {"num_conv_pos_embedding_groups", 4}, {"feat_extract_norm", "group"}};

std::vector<Part> commonParts()
{
    return {{"vae", {{"_class_name", "AutoencoderKLWan"}, {"dim", 4}}, specMaker(weights::readWanVaeConfig, weights::wanVaeSpec)},
            {"sound-encoder", kSound, specMaker(weights::readWav2Vec2Config, weights::wav2vec2Spec)}};
}

std::vector<Part> flashTalkParts()
{
    std::vector<Part> parts = commonParts();
    ordered_json video = kVideo;
    video["clip_dim"] = 40;
    const ordered_json image{{"model_type", "clip_vision_model"}, {"image_size", 56}, {"patch_size", 14}, {"hidden_size", 40}, {"num_attention_heads", 4}, {"num_hidden_layers", 3}};
    const ordered_json text{{"model_type", "umt5"}, {"vocab_size", 128}, {"d_model", 32}, {"num_heads", 4}, {"d_kv", 8}, {"d_ff", 64}, {"num_layers", 2}};
    parts.push_back({"video", video, specMaker(weights::readWanDitConfig, weights::wanDitSpec, weights::AudioPath::Extra)});
    parts.push_back({"image-encoder", image, specMaker(weights::readClipVisionConfig, weights::clipVisionSpec)});
    parts.push_back({"text-encoder", text, specMaker(weights::readUmt5Config, weights::umt5Spec)});
    return parts;
}

std::vector<Part> flashHeadParts()
{
    std::vector<Part> parts = commonParts();
    ordered_json video = kVideo;
    video["in_dim"] = 32;
    video["audio_output_dim"] = 80;
    const ordered_json codec{{"model_type", "reae"}, {"encoder_width", 8}, {"decoder_widths", {16, 12, 8, 8}}, {"latent_channels", 12}};
    const ordered_json preview{{"model_type", "taehv"}, {"encoder_width", 8}, {"decoder_widths", {16, 12, 8, 8}}};
    const ordered_json restorer{{"dim", 48}, {"num_heads", 4}, {"num_layers", 2}, {"ffn_dim", 96}, {"in_dim", 12}, {"out_dim", 12}, {"text_dim", 16}, {"freq_dim", 64}};
    parts.push_back({"video", video, specMaker(weights::readWanDitConfig, weights::wanDitSpec, weights::AudioPath::InsteadOfText)});
    parts.push_back({"preview-decoder", preview, specMaker(weights::readTinyAutoencoderConfig, weights::tinyAutoencoderSpec, weights::TinyAutoencoderConfig{})});
    parts.push_back({"restorer", restorer, specMaker(weights::readWanDitConfig, weights::wanDitSpec, weights::AudioPath::None)});
    parts.push_back({"restorer-autoencoder", codec, specMaker(weights::readTinyAutoencoderConfig, weights::tinyAutoencoderSpec, weights::reaeConfig())});
    return parts;
}

// Weights of one tensor without a network.
MakeSpec plainTensor(const std::string& name, const weights::Shape& shape)
{
    return [=](const std::string&) -> Result<weights::CheckpointSpec> {
        weights::CheckpointSpec spec;
        spec.tensors = {{name, shape}};
        return spec;
    };
}

ordered_json manifest(const std::string& id, const std::string& name, const std::vector<Part>& parts)
{
    ordered_json modules = ordered_json::array();
    for (const Part& part : parts)
        modules.push_back({{"name", part.role}, {"file", part.role}, {"network", ""}});
    return {{"format", 1},
            {"id", id},
            {"version", 1},
            {"name", name},
            {"description", "Tiny networks with random weights: for tests. The picture is noise."},
            {"engine", "avatar"},
            {"stages", {"reference", "context", "hearing", "avatar", "decode"}},
            {"modules", modules},
            {"frame_rate", {{"min", "25"}, {"max", "25"}, {"default", "25"}}},
            {"size", {{"multiple", 16}, {"min", 32}, {"max_width", 512}, {"max_height", 512}, {"default", {64, 96}}}},
            {"chunks", {{"first_frames", 28}, {"frames", 28}, {"join_frames", 8}}},
            {"context", {{"look_behind_seconds", 8}, {"look_ahead_seconds", 1.12}}},
            {"avatar", {{"model", "flashtalk"}, {"decoder", "wan21"}, {"frames", 33}, {"overlap", 5}, {"steps", {1000, 750, 500, 250}}, {"shift", 5}, {"sound_seconds", 8}, {"loudness_lufs", -23}, {"colour_strength", 1}, {"join_window", 17}, {"join_anchors", 4}, {"scale", 1}, {"prompt", "A person is talking."}}},
            {"cost", {{"width", 80}, {"heads", 4}, {"layers", 2}, {"feed_forward", 144}, {"weights_gb", 0.01}}}};
}

Result<void> writePack(const fs::path& folder, const ordered_json& about, const std::vector<Part>& parts, std::uint64_t seed)
{
    LQ_CHECKED(platform::makeFolder(folder));
    Numbers numbers(seed);
    for (const Part& part : parts)
        LQ_CHECKED(writePart(folder, part, numbers));
    // Last: without it, the folder is no pack.
    return platform::writeFile(folder / "manifest.json", about.dump(2) + '\n');
}

} // namespace

Result<std::vector<fs::path>> makeTinyPacks(const fs::path& folder, std::uint64_t seed)
{
    const fs::path talk = folder / "tiny-flashtalk", head = folder / "tiny-flashhead";
    const std::vector<Part> talkParts = flashTalkParts();
    ordered_json about = manifest("tiny-flashtalk", "FlashTalk, tiny", talkParts);
    about["modules"].push_back({{"name", "text-model"}, {"file", "text-encoder/spiece.model"}, {"network", ""}});
    LQ_CHECKED(platform::makeFolder(talk / "text-encoder"));
    LQ_CHECKED(platform::writeFile(talk / "text-encoder" / "spiece.model", modules::letterModel()));
    LQ_CHECKED(writePack(talk, about, talkParts, seed));

    std::vector<Part> headParts = flashHeadParts();
    headParts.push_back({"restorer-prompt", ordered_json::object(), plainTensor("prompt_emb", {9, 16})});
    about = manifest("tiny-flashhead", "FlashHead, tiny, with SwiftVR", headParts);
    about["stages"] = {"reference", "context", "hearing", "avatar", "super-resolution", "decode"};
    about["size"] = {{"multiple", 32}, {"min", 64}, {"max_width", 1024}, {"max_height", 1024}, {"default", {128, 128}}};
    ordered_json& plan = about["avatar"];
    plan["model"] = "flashhead";
    plan["decoder"] = "taehv";
    plan["scale"] = 2;
    plan.erase("loudness_lufs");
    plan.erase("prompt");
    LQ_CHECKED(writePack(head, about, headParts, seed + 1));
    return std::vector<fs::path>{talk, head};
}

} // namespace loquor::packs
