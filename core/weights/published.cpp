#include "core/weights/published.h"

#include <algorithm>
#include <set>

#include "core/base/json.h"
#include "core/platform/atomic_file.h"
#include "core/weights/checkpoint.h"
#include "core/weights/import.h"
#include "core/weights/network_specs.h"

namespace loquor::weights {

namespace fs = std::filesystem;

namespace {

fs::path configBeside(const fs::path& source)
{
    std::error_code ignored;
    return (fs::is_directory(source, ignored) ? source : source.parent_path()) / "config.json";
}

// What a config says of itself: "model_type" or "_class_name".
std::string kindOf(const std::string& text)
{
    const auto json = nlohmann::json::parse(text, nullptr, false);
    for (const char* field : {"model_type", "_class_name"}) {
        if (json.is_object() && json.contains(field) && json[field].is_string())
            return json[field].get<std::string>();
    }
    return {};
}

Result<CheckpointSpec> specFromConfig(std::string_view name, const std::string& text, const std::string& file)
{
    if (name == "flashtalk-14b" || name == "flashhead-1.3b" || name == "wan-dit" || name == "swiftvr") {
        const AudioPath path = name == "flashtalk-14b" ? AudioPath::Extra : name == "flashhead-1.3b" ? AudioPath::InsteadOfText
                                                                                                     : AudioPath::None;
        LQ_TRY(const WanDitConfig config, readWanDitConfig(text, file, path));
        return wanDitSpec(config);
    }
    if (name == "wan21") {
        LQ_TRY(const WanVaeConfig config, readWanVaeConfig(text, file));
        return wanVaeSpec(config);
    }
    if (name == "umt5-xxl") {
        LQ_TRY(const Umt5Config config, readUmt5Config(text, file));
        return umt5Spec(config);
    }
    if (name == "clip-vit-h") {
        LQ_TRY(const ClipVisionConfig config, readClipVisionConfig(text, file));
        return clipVisionSpec(config);
    }
    if (name == "wav2vec2") {
        LQ_TRY(const Wav2Vec2Config config, readWav2Vec2Config(text, file));
        return wav2vec2Spec(config);
    }
    LQ_TRY(const TinyAutoencoderConfig config, readTinyAutoencoderConfig(text, file, name == "reae" ? reaeConfig() : TinyAutoencoderConfig{}));
    return tinyAutoencoderSpec(config);
}

// Words that a config of the network says of itself, if it is its own.
bool isOwnConfig(std::string_view name, const std::string& kind)
{
    if (name == "wan21")
        return kind == "AutoencoderKLWan";
    if (name == "umt5-xxl")
        return kind == "umt5";
    if (name == "clip-vit-h")
        return kind == "clip_vision_model" || kind == "clip";
    return kind == name; // wav2vec2, and those that were never published with one
}

// Tensors of the file that the network has a name for, in its best spelling.
std::size_t matching(const CheckpointSpec& spec, const TensorList& list)
{
    std::size_t best = 0;
    std::vector<std::string> prefixes{""};
    prefixes.insert(prefixes.end(), spec.prefixes.begin(), spec.prefixes.end());
    for (const Spelling& spelling : spec.spellings) {
        for (const std::string& prefix : prefixes) {
            std::size_t found = 0;
            for (const TensorSpec& tensor : spec.tensors)
                for (const FileTensor& part : spelling.spell(tensor))
                    found += list.contains(prefix + part.name) ? 1 : 0;
            best = std::max(best, found);
        }
    }
    return best;
}

WeightsReport judge(const fs::path& source, std::string_view only)
{
    WeightsReport report;
    report.source = source;
    const auto list = listTensors(source);
    if (!list) {
        report.problem = list.error().text();
        return report;
    }
    report.tensors = list->size();
    for (const auto& [name, info] : *list)
        report.bytes += denseBytes(info.shape, info.dtype).value_or(0);
    std::size_t best = 0;
    std::string missingConfig;
    for (const PublishedNetwork& network : publishedNetworks()) {
        if (!only.empty() && network.name != only)
            continue;
        const auto spec = specFor(network, source);
        if (!spec) {
            missingConfig = spec.error().text();
            continue;
        }
        const auto binding = bindCheckpoint(*spec, *list, source.string());
        const std::size_t found = matching(*spec, *list);
        if (!binding && found <= best)
            continue;
        best = found;
        report.network = network.name;
        report.problem = binding ? "" : binding.error().text();
        if (binding) {
            report.spelling = binding->spelling;
            return report;
        }
    }
    if (report.network.empty())
        report.problem = !only.empty() && !missingConfig.empty() ? missingConfig : source.string() + " holds the weights of no network that is known here.";
    return report;
}

// What can be opened in one folder: its index with its files, other safetensors files, PyTorch files.
std::vector<fs::path> sourcesIn(const fs::path& folder)
{
    std::vector<fs::path> out;
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        files.push_back(it->path());
    std::sort(files.begin(), files.end());
    std::set<std::string> shards;
    for (const fs::path& file : files) {
        if (!file.filename().string().ends_with(".safetensors.index.json"))
            continue;
        out.push_back(file);
        const std::string text = platform::readTextFile(file).value_or("");
        const auto json = nlohmann::json::parse(text, nullptr, false);
        if (json.is_object() && json.contains("weight_map") && json["weight_map"].is_object()) {
            for (const auto& [tensor, name] : json["weight_map"].items())
                shards.insert(name.is_string() ? name.get<std::string>() : "");
        }
    }
    for (const fs::path& file : files) {
        const std::string extension = file.extension().string();
        if ((extension == ".safetensors" && !shards.contains(file.filename().string())) || extension == ".pth" || extension == ".pt")
            out.push_back(file);
    }
    return out;
}

} // namespace

const std::vector<PublishedNetwork>& publishedNetworks()
{
    static const std::vector<PublishedNetwork> kNetworks{
        {"flashtalk-14b", "SoulX-FlashTalk-14B, sound to video", ConfigUse::Needed},
        {"flashhead-1.3b", "SoulX-FlashHead-1.3B, sound to video", ConfigUse::Needed},
        {"swiftvr", "SwiftVR, super-resolution: its transformer", ConfigUse::Needed},
        {"reae", "SwiftVR: its autoencoder", ConfigUse::IfItsOwn},
        {"wan-dit", "a Wan 2.1 or 2.2 video transformer", ConfigUse::Needed},
        {"wan21", "the Wan 2.1 VAE", ConfigUse::IfItsOwn},
        {"taehv", "TAEHV taew2_1, the preview decoder", ConfigUse::IfItsOwn},
        {"umt5-xxl", "UMT5-XXL, the text encoder", ConfigUse::IfItsOwn},
        {"clip-vit-h", "CLIP ViT-H/14, the picture encoder", ConfigUse::IfItsOwn},
        {"wav2vec2", "wav2vec2, the sound encoder", ConfigUse::IfItsOwn},
    };
    return kNetworks;
}

Result<const PublishedNetwork*> publishedNetwork(std::string_view name)
{
    std::string names;
    for (const PublishedNetwork& network : publishedNetworks()) {
        if (network.name == name)
            return &network;
        names += (names.empty() ? "" : ", ") + std::string(network.name);
    }
    return fail(ErrorCode::InvalidArgument, "There is no network '" + std::string(name) + "'. Networks: " + names + '.');
}

std::optional<fs::path> configFor(const PublishedNetwork& network, const fs::path& source)
{
    fs::path file = configBeside(source);
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        return std::nullopt;
    if (network.config == ConfigUse::Needed || isOwnConfig(network.name, kindOf(platform::readTextFile(file).value_or(""))))
        return file;
    return std::nullopt;
}

Result<CheckpointSpec> specFor(const PublishedNetwork& network, const fs::path& source)
{
    const auto file = configFor(network, source);
    if (!file && network.config == ConfigUse::Needed)
        return fail(ErrorCode::NotFound, "The sizes of " + std::string(network.name) + " are in its config.json, which is not beside the weights: " +
                                             configBeside(source).string() + " is missing.");
    std::string text = "{}";
    if (file) {
        LQ_TRY(text, platform::readTextFile(*file));
    }
    return specFromConfig(network.name, text, configBeside(source).string());
}

Result<std::vector<WeightsReport>> verifyWeights(const fs::path& folder, std::string_view name)
{
    if (!name.empty()) {
        LQ_TRY([[maybe_unused]] const PublishedNetwork* known, publishedNetwork(name));
    }
    std::error_code error;
    std::vector<fs::path> sources;
    if (fs::is_directory(folder, error)) {
        sources = sourcesIn(folder);
        std::vector<fs::path> inner;
        for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
            std::error_code ignored;
            if (it->is_directory(ignored))
                inner.push_back(it->path());
        }
        std::sort(inner.begin(), inner.end());
        for (const fs::path& below : inner)
            std::ranges::move(sourcesIn(below), std::back_inserter(sources));
    } else if (fs::exists(folder, error)) {
        sources = {folder};
    } else {
        return fail(ErrorCode::NotFound, folder.string() + " does not exist.");
    }
    if (sources.empty())
        return fail(ErrorCode::NotFound, "There are no weights in " + folder.string() + ": .safetensors files (with an index, if they are several) or PyTorch files (.pth) are expected.");
    std::vector<WeightsReport> reports;
    for (const fs::path& source : sources)
        reports.push_back(judge(source, name));
    return reports;
}

} // namespace loquor::weights
