#include "core/weights/network_config.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "core/base/json.h"

namespace loquor::weights {

namespace {

using Json = nlohmann::json;

// Far above any published network; products of two of them fit into 64 bits.
constexpr std::int64_t kMaxSize = 1'000'000;

// Reads fields and remembers the first that is wrong.
class Fields
{
public:
    Fields(const Json& json, std::string file) : m_json(json), m_file(std::move(file)) {}

    const Json* find(std::initializer_list<const char*> names)
    {
        for (const char* name : names) {
            m_field = name;
            if (const auto found = m_json.find(name); found != m_json.end() && !found->is_null())
                return &*found;
        }
        return nullptr;
    }
    void number(std::int64_t& out, std::initializer_list<const char*> names, std::int64_t least = 1)
    {
        if (const Json* value = find(names)) {
            if (!value->is_number_integer() || value->get<double>() < static_cast<double>(least) || value->get<double>() > static_cast<double>(kMaxSize))
                return wrong("a whole number from " + std::to_string(least) + " to " + std::to_string(kMaxSize), *value);
            out = value->get<std::int64_t>();
        }
    }
    void epsilon(double& out, std::initializer_list<const char*> names)
    {
        if (const Json* value = find(names)) {
            if (!value->is_number() || value->get<double>() <= 0 || value->get<double>() >= 1)
                return wrong("a number between 0 and 1", *value);
            out = value->get<double>();
        }
    }
    void truth(bool& out, std::initializer_list<const char*> names)
    {
        if (const Json* value = find(names)) {
            if (!value->is_boolean())
                return wrong("true or false", *value);
            out = value->get<bool>();
        }
    }
    // A list of whole numbers; `single` numbers stand for a list of `repeat` equal ones.
    std::optional<std::vector<std::int64_t>> numbers(std::initializer_list<const char*> names, std::size_t least, std::size_t most, std::size_t repeat = 0)
    {
        const Json* value = find(names);
        if (!value)
            return std::nullopt;
        std::vector<std::int64_t> out;
        const auto good = [](const Json& n) { return n.is_number_integer() && n.get<double>() >= 1 && n.get<double>() <= static_cast<double>(kMaxSize); };
        if (repeat > 0 && good(*value))
            return std::vector<std::int64_t>(repeat, value->get<std::int64_t>());
        bool fits = value->is_array() && value->size() >= least && value->size() <= most;
        for (std::size_t i = 0; fits && i < value->size(); ++i) {
            fits = good((*value)[i]);
            if (fits)
                out.push_back((*value)[i].get<std::int64_t>());
        }
        if (!fits) {
            wrong("a list of whole numbers, " + std::to_string(least) + " to " + std::to_string(most) + " of them", *value);
            return std::nullopt;
        }
        return out;
    }
    void divides(std::int64_t whole, const char* wholeName, std::int64_t part, const char* partName)
    {
        if (!m_problem && whole % part != 0)
            m_problem = std::string(wholeName) + " (" + std::to_string(whole) + ") does not divide by " + partName + " (" + std::to_string(part) + ')';
    }
    void require(bool condition, const std::string& problem)
    {
        if (!m_problem && !condition)
            m_problem = problem;
    }
    Result<void> finish() const
    {
        if (m_problem)
            return fail(ErrorCode::Corrupt, m_file + " describes no network that can be built: " + *m_problem + '.');
        return {};
    }

private:
    void wrong(const std::string& expected, const Json& value)
    {
        std::string shown = value.dump(-1, ' ', true, Json::error_handler_t::replace);
        if (shown.size() > 60)
            shown = shown.substr(0, 60) + "...";
        if (!m_problem)
            m_problem = "the field \"" + m_field + "\" is " + shown + ", " + expected + " is expected";
    }

    const Json& m_json;
    std::string m_file, m_field;
    std::optional<std::string> m_problem;
};

Result<Json> parse(std::string_view text, const std::string& file)
{
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return fail(ErrorCode::Corrupt, file + " is no config of a network: " + (text.empty() ? "it is empty (0 bytes)." : "it is not a JSON object."));
    return json;
}

void readAudio(Fields& fields, WanDitConfig& config)
{
    AudioProjectorConfig& audio = config.audio;
    if (config.audioPath == AudioPath::InsteadOfText)
        audio.width = config.width;
    fields.number(audio.window, {"audio_window"}, 3);
    fields.number(audio.blocks, {"audio_blocks"});
    fields.number(audio.channels, {"audio_channels"});
    fields.number(audio.hidden, {"audio_intermediate", "intermediate_dim"});
    fields.number(audio.width, {"audio_output_dim", "output_dim"});
    fields.number(audio.tokens, {"audio_context_tokens", "context_tokens"});
    fields.number(audio.framesPerLatent, {"vae_scale"}, 2);
    if (const auto stride = fields.numbers({"vae_stride"}, 3, 3))
        audio.framesPerLatent = stride->front();
    fields.require(audio.window % 2 == 1, "audio_window (" + std::to_string(audio.window) + ") is not odd");
    fields.require(audio.framesPerLatent >= 2, "the frames of a latent are fewer than 2");
    fields.require(config.audioPath != AudioPath::InsteadOfText || audio.width == config.width, "the width of the audio tokens is not that of the network");
}

} // namespace

Result<WanDitConfig> readWanDitConfig(std::string_view text, const std::string& file, AudioPath audioPath)
{
    LQ_TRY(const Json json, parse(text, file));
    Fields fields(json, file);
    WanDitConfig config;
    config.audioPath = audioPath;
    fields.number(config.heads, {"num_heads", "num_attention_heads"});
    fields.number(config.layers, {"num_layers"});
    fields.number(config.feedForward, {"ffn_dim"});
    std::int64_t headWidth = 0;
    fields.number(headWidth, {"attention_head_dim"});
    config.width = headWidth * config.heads;
    fields.number(config.width, {"dim"});
    fields.number(config.channelsIn, {"in_dim", "in_channels"});
    fields.number(config.channelsOut, {"out_dim", "out_channels"});
    fields.number(config.textWidth, {"text_dim"});
    fields.number(config.textLength, {"text_len"});
    fields.number(config.frequencies, {"freq_dim"}, 2);
    fields.epsilon(config.epsilon, {"eps"});
    if (const auto patch = fields.numbers({"patch_size"}, 3, 3))
        std::copy(patch->begin(), patch->end(), config.patch.begin());
    if (const Json* type = fields.find({"model_type"}); type && *type == "i2v")
        config.imageWidth = 1280;
    fields.number(config.imageWidth, {"clip_dim", "image_dim"}, 0);
    fields.require(config.width > 0 && config.heads > 0 && config.layers > 0 && config.feedForward > 0,
                   "it does not give all of dim, num_heads, num_layers and ffn_dim (or num_attention_heads and attention_head_dim)");
    LQ_CHECKED(fields.finish());
    fields.require(config.layers <= 1000, "it has " + std::to_string(config.layers) + " layers");
    fields.divides(config.width, "dim", config.heads, "num_heads");
    LQ_CHECKED(fields.finish());
    fields.divides(config.headWidth(), "the width of a head", 2, "two, as rotary positions need");
    fields.divides(config.frequencies, "freq_dim", 2, "two");
    if (audioPath != AudioPath::None)
        readAudio(fields, config);
    LQ_CHECKED(fields.finish());
    return config;
}

Result<WanVaeConfig> readWanVaeConfig(std::string_view text, const std::string& file)
{
    LQ_TRY(const Json json, parse(text, file));
    Fields fields(json, file);
    WanVaeConfig config;
    fields.number(config.base, {"base_dim", "dim"}, 2);
    fields.number(config.latents, {"z_dim"});
    fields.number(config.blocks, {"num_res_blocks"});
    if (const auto multipliers = fields.numbers({"dim_mult"}, 2, 8))
        config.multipliers = *multipliers;
    if (const Json* value = fields.find({"temporal_downsample", "temperal_downsample"})) {
        config.temporal.clear();
        for (const Json& step : *value) {
            fields.require(step.is_boolean(), "temporal_downsample is no list of true and false");
            config.temporal.push_back(step.is_boolean() && step.get<bool>());
        }
    }
    fields.require(config.temporal.size() + 1 == config.multipliers.size(), "temporal_downsample needs one entry fewer than dim_mult");
    fields.require(config.blocks <= 16, "it has " + std::to_string(config.blocks) + " blocks a stage");
    for (std::size_t i = 1; i < config.multipliers.size(); ++i)
        fields.divides(config.base * config.multipliers[i], "base_dim times dim_mult", 2, "two");
    LQ_CHECKED(fields.finish());
    return config;
}

Result<TinyAutoencoderConfig> readTinyAutoencoderConfig(std::string_view text, const std::string& file, TinyAutoencoderConfig config)
{
    LQ_TRY(const Json json, parse(text, file));
    Fields fields(json, file);
    fields.number(config.encoderWidth, {"encoder_width"});
    fields.number(config.latents, {"latent_channels"});
    fields.number(config.patch, {"patch_size"});
    if (const auto widths = fields.numbers({"decoder_widths"}, 4, 4))
        std::copy(widths->begin(), widths->end(), config.decoderWidths.begin());
    if (const auto shrink = fields.numbers({"encoder_time_downscale", "encoder_tpool"}, 3, 3))
        std::copy(shrink->begin(), shrink->end(), config.shrink.begin());
    if (const auto growth = fields.numbers({"decoder_time_upscale", "decoder_tgrow"}, 3, 3))
        std::copy(growth->begin(), growth->end(), config.growth.begin());
    fields.require(config.patch <= 8, "patch_size is above 8");
    for (std::size_t i = 0; i < 3; ++i)
        fields.require(config.shrink[i] <= 8 && config.growth[i] <= 8, "a step in time is above 8");
    for (const std::int64_t growth : config.growth)
        fields.require(config.kind == Growth::Channels || growth <= 2, "frames grow by more than 2 in a step");
    LQ_CHECKED(fields.finish());
    return config;
}

Result<Umt5Config> readUmt5Config(std::string_view text, const std::string& file)
{
    LQ_TRY(const Json json, parse(text, file));
    Fields fields(json, file);
    Umt5Config config;
    fields.number(config.vocabulary, {"vocab_size", "vocab"});
    fields.number(config.width, {"d_model", "dim"});
    fields.number(config.heads, {"num_heads", "heads"});
    fields.number(config.headWidth, {"d_kv"});
    fields.number(config.feedForward, {"d_ff", "dim_ffn"});
    fields.number(config.layers, {"num_layers", "layers"});
    fields.number(config.buckets, {"relative_attention_num_buckets", "relative_buckets", "buckets"}, 4);
    fields.number(config.maxDistance, {"relative_attention_max_distance", "max_distance"}, 4);
    fields.epsilon(config.epsilon, {"layer_norm_epsilon", "eps"});
    fields.require(config.layers <= 1000, "it has " + std::to_string(config.layers) + " layers");
    fields.divides(config.buckets, "the number of position buckets", 4, "four");
    LQ_CHECKED(fields.finish());
    return config;
}

Result<ClipVisionConfig> readClipVisionConfig(std::string_view text, const std::string& file)
{
    LQ_TRY(const Json json, parse(text, file));
    const auto inner = json.find("vision_config");
    Fields fields(inner != json.end() && inner->is_object() ? *inner : json, file);
    ClipVisionConfig config;
    fields.number(config.imageSize, {"image_size"});
    fields.number(config.patch, {"patch_size"});
    fields.number(config.width, {"hidden_size", "dim"});
    fields.number(config.layers, {"num_hidden_layers", "layers", "num_layers"}, 2);
    fields.number(config.heads, {"num_attention_heads", "heads", "num_heads"});
    config.feedForward = 4 * config.width;
    fields.number(config.feedForward, {"intermediate_size"});
    fields.epsilon(config.epsilon, {"layer_norm_eps", "eps"});
    fields.require(config.layers <= 1000, "it has " + std::to_string(config.layers) + " layers");
    fields.divides(config.imageSize, "image_size", config.patch, "patch_size");
    fields.divides(config.width, "the width", config.heads, "the number of heads");
    LQ_CHECKED(fields.finish());
    return config;
}

Result<Wav2Vec2Config> readWav2Vec2Config(std::string_view text, const std::string& file)
{
    LQ_TRY(const Json json, parse(text, file));
    Fields fields(json, file);
    Wav2Vec2Config config;
    if (const auto kernels = fields.numbers({"conv_kernel"}, 1, 32))
        config.kernels = *kernels;
    if (const auto strides = fields.numbers({"conv_stride"}, 1, 32))
        config.strides = *strides;
    config.convWidths.assign(config.kernels.size(), 512);
    if (const auto widths = fields.numbers({"conv_dim"}, 1, 32, config.kernels.size()))
        config.convWidths = *widths;
    fields.truth(config.convBias, {"conv_bias"});
    fields.truth(config.preNorm, {"do_stable_layer_norm"});
    if (const Json* norm = fields.find({"feat_extract_norm"})) {
        fields.require(*norm == "group" || *norm == "layer", "feat_extract_norm is neither \"group\" nor \"layer\"");
        config.layerNorms = *norm == "layer";
    }
    fields.number(config.width, {"hidden_size"});
    fields.number(config.heads, {"num_attention_heads", "num_heads"});
    fields.number(config.layers, {"num_hidden_layers", "num_layers"});
    fields.number(config.feedForward, {"intermediate_size"});
    fields.number(config.positionKernel, {"num_conv_pos_embeddings"}, 2);
    fields.number(config.positionGroups, {"num_conv_pos_embedding_groups"});
    fields.epsilon(config.epsilon, {"layer_norm_eps"});
    fields.require(config.layers <= 1000, "it has " + std::to_string(config.layers) + " layers");
    fields.require(config.kernels.size() == config.strides.size() && config.kernels.size() == config.convWidths.size(),
                   "conv_dim, conv_kernel and conv_stride have different lengths");
    fields.divides(config.width, "hidden_size", config.heads, "the number of heads");
    fields.divides(config.width, "hidden_size", config.positionGroups, "num_conv_pos_embedding_groups");
    LQ_CHECKED(fields.finish());
    return config;
}

TinyAutoencoderConfig reaeConfig()
{
    TinyAutoencoderConfig config;
    config.latents = 48;
    config.patch = 2;
    config.decoderWidths = {512, 256, 128, 64};
    config.kind = Growth::Repeat;
    return config;
}

} // namespace loquor::weights
