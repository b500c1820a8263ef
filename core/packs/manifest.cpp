#include "core/packs/manifest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/json.h"
#include "core/packs/installed.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"

using nlohmann::json;

namespace loquor::packs {

namespace {

constexpr int kFormat = 1;

// Says which field is wrong. Caught in parseManifest.
class SchemaError : public std::runtime_error
{
public:
    SchemaError(const std::string& field, const std::string& what)
        : std::runtime_error("'" + field + "' " + what)
    {
    }
};

const json& member(const json& j, const char* field)
{
    if (!j.is_object() || !j.contains(field))
        throw SchemaError(field, "is missing");
    return j.at(field);
}

std::string text(const json& j, const char* field)
{
    const json& value = member(j, field);
    if (!value.is_string() || value.get<std::string>().empty())
        throw SchemaError(field, "must be a text");
    return value.get<std::string>();
}

int integer(const json& j, const char* field, int lowest, int highest)
{
    const json& value = member(j, field);
    if (!value.is_number_integer())
        throw SchemaError(field, "must be a whole number");
    const auto number = value.get<std::int64_t>();
    if (number < lowest || number > highest)
        throw SchemaError(field, "must be between " + std::to_string(lowest) + " and " +
                                     std::to_string(highest));
    return static_cast<int>(number);
}

double seconds(const json& j, const char* field)
{
    const json& value = member(j, field);
    if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > 60)
        throw SchemaError(field, "must be a number of seconds between 0 and 60");
    return value.get<double>();
}

Rational rate(const json& j, const char* field)
{
    const auto parsed = Rational::parse(text(j, field));
    if (!parsed || parsed->num <= 0)
        throw SchemaError(field, "must be a frame rate such as \"25\" or \"30000/1001\"");
    return *parsed;
}

std::vector<ModuleSpec> modules(const json& j)
{
    std::vector<ModuleSpec> out;
    for (const json& one : member(j, "modules")) {
        const bool open = one.is_object() && one.contains("network");
        ModuleSpec module{text(one, "name"), text(one, "file"), open ? "" : text(one, "sha256"), ""};
        if (open && (!one["network"].is_string() || one.contains("sha256")))
            throw SchemaError("network", "of module '" + module.name + "' must be a text, without a sha256");
        if (open)
            module.network = one["network"].get<std::string>();
        const bool hex = module.sha256.size() == 64 &&
                         module.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
        if (!open && !hex)
            throw SchemaError("sha256", "of module '" + module.name + "' must be 64 hex digits");
        const auto parts = module.file.lexically_normal();
        if (module.file.is_absolute() || *parts.begin() == "..")
            throw SchemaError("file", "of module '" + module.name + "' must stay in the models folder");
        out.push_back(std::move(module));
    }
    return out;
}

std::vector<std::string> stages(const json& j)
{
    std::vector<std::string> out;
    const json& list = member(j, "stages");
    if (!list.is_array() || list.empty())
        throw SchemaError("stages", "must be a list of names");
    for (const json& one : list) {
        if (!one.is_string())
            throw SchemaError("stages", "must be a list of names");
        out.push_back(one.get<std::string>());
    }
    return out;
}

void readSize(const json& j, PackManifest& pack)
{
    const json& size = member(j, "size");
    pack.sizeMultiple = integer(size, "multiple", 1, 256);
    pack.minSize = integer(size, "min", 2, 4096);
    pack.maxWidth = integer(size, "max_width", pack.minSize, 16384);
    pack.maxHeight = integer(size, "max_height", pack.minSize, 16384);
    const json& preset = member(size, "default");
    if (!preset.is_array() || preset.size() != 2 || !preset[0].is_number_integer() ||
        !preset[1].is_number_integer())
        throw SchemaError("default", "must be [width, height]");
    pack.defaultWidth = preset[0];
    pack.defaultHeight = preset[1];
}

double number(const json& j, const char* field, double lowest, double highest)
{
    const json& value = member(j, field);
    if (!value.is_number() || !(value.get<double>() >= lowest) || !(value.get<double>() <= highest))
        throw SchemaError(field, "must be a number between " + std::to_string(lowest) + " and " + std::to_string(highest));
    return value.get<double>();
}

template<class Value>
Value choice(const json& j, const char* field, const std::map<std::string, Value>& values)
{
    const auto found = values.find(text(j, field));
    std::string names;
    for (const auto& [name, value] : values)
        names += (names.empty() ? "\"" : ", \"") + name + '"';
    if (found == values.end())
        throw SchemaError(field, "must be one of " + names);
    return found->second;
}

void readAvatar(const json& j, PackManifest& pack)
{
    stages::AvatarPlan plan;
    plan.model = choice<stages::AvatarModel>(j, "model", {{"flashtalk", stages::AvatarModel::FlashTalk}, {"flashhead", stages::AvatarModel::FlashHead}});
    plan.decoder = choice<stages::AvatarDecoder>(j, "decoder", {{"wan21", stages::AvatarDecoder::Wan21}, {"taehv", stages::AvatarDecoder::Taehv}});
    plan.frames = integer(j, "frames", 5, 1001);
    plan.overlap = integer(j, "overlap", 1, plan.frames - 1);
    plan.timesteps.clear();
    for (const json& step : member(j, "steps")) {
        const bool falls = step.is_number() && step > 0 && step <= (plan.timesteps.empty() ? 1000.0 : plan.timesteps.back() - 1e-6);
        if (!falls)
            throw SchemaError("steps", "must be falling numbers from 1000 to above 0");
        plan.timesteps.push_back(step.get<double>());
    }
    if (plan.timesteps.empty() || plan.frames % 4 != 1 || plan.overlap % 4 != 1)
        throw SchemaError("avatar", "needs steps, and frames and overlap of 1 more than a multiple of 4");
    plan.shift = number(j, "shift", 0.1, 100);
    plan.soundSeconds = number(j, "sound_seconds", 1, 60);
    if (j.contains("loudness_lufs"))
        plan.loudness = number(j, "loudness_lufs", -60, 0);
    plan.colourStrength = number(j, "colour_strength", 0, 1);
    plan.joinWindow = integer(j, "join_window", plan.overlap + 4, plan.frames);
    plan.joinAnchors = integer(j, "join_anchors", 4, plan.joinWindow - plan.overlap);
    plan.scale = integer(j, "scale", 1, 4);
    if (j.contains("prompt"))
        plan.prompt = text(j, "prompt");
    if (pack.chunks.frames != plan.newFrames() || pack.chunks.firstFrames > plan.newFrames())
        throw SchemaError("chunks", "must have frames = avatar frames - overlap, and not more at first");
    if (pack.minFps != Rational::make(stages::kAvatarFps, 1) || pack.maxFps != pack.minFps)
        throw SchemaError("frame_rate", "of an avatar engine must be 25");
    if (plan.joinWindow - plan.overlap - plan.joinAnchors != pack.joinFrames || plan.joinWindow % 4 != 1 || plan.joinAnchors % 4 != 0)
        throw SchemaError("join_window", "must be overlap + join_frames + join_anchors, in whole latents");
    if (pack.sizeMultiple % (16 * plan.scale) != 0)
        throw SchemaError("multiple", "must be a multiple of 16 times the scale");
    pack.avatar = std::move(plan);
}

ModelCost readCost(const json& j)
{
    constexpr int kMost = 1 << 20;
    ModelCost cost{integer(j, "width", 1, kMost), integer(j, "heads", 1, kMost), integer(j, "layers", 1, kMost), integer(j, "feed_forward", 1, kMost), 0};
    cost.weightsGb = number(j, "weights_gb", 0, 10'000);
    return cost;
}

PackManifest read(const json& j)
{
    if (integer(j, "format", 1, 1000) != kFormat)
        throw SchemaError("format", "is one this version cannot read (it knows " +
                                        std::to_string(kFormat) + ")");
    PackManifest pack;
    pack.id = text(j, "id");
    if (pack.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") != std::string::npos)
        throw SchemaError("id", "may hold a-z, 0-9, '-' and '.' only");
    pack.version = integer(j, "version", 1, 1'000'000);
    pack.name = text(j, "name");
    pack.description = text(j, "description");
    pack.engine = text(j, "engine");
    pack.stages = stages(j);
    pack.modules = modules(j);
    const json& fps = member(j, "frame_rate");
    pack.minFps = rate(fps, "min");
    pack.maxFps = rate(fps, "max");
    pack.defaultFps = rate(fps, "default");
    if (pack.maxFps < pack.minFps || pack.defaultFps < pack.minFps || pack.maxFps < pack.defaultFps)
        throw SchemaError("frame_rate", "must have min <= default <= max");
    readSize(j, pack);
    const json& chunks = member(j, "chunks");
    pack.chunks.firstFrames = integer(chunks, "first_frames", 1, 10'000);
    pack.chunks.frames = integer(chunks, "frames", 1, 10'000);
    pack.joinFrames = integer(chunks, "join_frames", 0, pack.chunks.frames);
    const json& context = member(j, "context");
    pack.lookBehindSeconds = seconds(context, "look_behind_seconds");
    pack.lookAheadSeconds = seconds(context, "look_ahead_seconds");
    if (pack.engine == "avatar") {
        readAvatar(member(j, "avatar"), pack);
        pack.cost = readCost(member(j, "cost"));
    }
    return pack;
}

int nearestLegal(int value, int multiple, int lowest, int highest)
{
    const int rounded = static_cast<int>(std::lround(static_cast<double>(value) / multiple)) * multiple;
    return std::clamp(rounded, lowest, highest / multiple * multiple);
}

} // namespace

Result<PackManifest> parseManifest(std::string_view source)
{
    try {
        return read(json::parse(source));
    } catch (const std::exception& exception) {
        return fail(ErrorCode::Corrupt, std::string("The pack's manifest cannot be used: ") +
                                            exception.what() + '.');
    }
}

Result<void> checkSettings(const PackManifest& pack, const pipeline::RenderSettings& settings)
{
    const int width = nearestLegal(settings.width, pack.sizeMultiple, pack.minSize, pack.maxWidth);
    const int height = nearestLegal(settings.height, pack.sizeMultiple, pack.minSize, pack.maxHeight);
    if (width != settings.width || height != settings.height)
        return fail(ErrorCode::InvalidArgument,
                    "The size " + std::to_string(settings.width) + "x" + std::to_string(settings.height) +
                        " is not possible: width and height must be multiples of " +
                        std::to_string(pack.sizeMultiple) + ", from " + std::to_string(pack.minSize) +
                        " to " + std::to_string(pack.maxWidth) + "x" + std::to_string(pack.maxHeight) +
                        ". The nearest is " + std::to_string(width) + "x" + std::to_string(height) + ".");
    if (settings.fps < pack.minFps || pack.maxFps < settings.fps)
        return fail(ErrorCode::InvalidArgument,
                    "The frame rate " + settings.fps.toString() + " is not possible: the engine '" +
                        pack.id + "' makes " + pack.minFps.toString() + " to " +
                        pack.maxFps.toString() + " frames a second.");
    return {};
}

Result<void> checkForProjects(const PackManifest& pack)
{
    if (!pack.isAvatar())
        return {};
    return fail(ErrorCode::Unsupported, "The engine '" + pack.id + "' makes single videos: use it with 'loquor-cli render --pack " + pack.id +
                                            "'. Projects are made with the engine 'portrait'.");
}

std::filesystem::path PackManifest::pathOf(const ModuleSpec& module, const std::filesystem::path& modelsFolder) const
{
    std::error_code ignored;
    const std::filesystem::path own = folder / module.file;
    return !folder.empty() && std::filesystem::exists(own, ignored) ? own : modelsFolder / module.file;
}

Result<void> checkInstalled(const PackManifest& pack, const std::filesystem::path& modelsFolder)
{
    std::error_code ignored;
    for (const ModuleSpec& module : pack.modules) {
        if (std::filesystem::exists(pack.pathOf(module, modelsFolder), ignored))
            continue;
        const std::string advice = module.network.empty() ? (module.sha256.empty() ? "Copy it there." : "Run packaging/setup.sh to get it.")
                                                          : "Bring the published weights in with 'loquor-cli packs import SRC --as " + module.network + "'.";
        return fail(ErrorCode::NotFound, "The engine '" + pack.id + "' is not set up: its network '" + module.name + "' is not at " +
                                             platform::quotedPath(modelsFolder / module.file) + ". " + advice);
    }
    return {};
}

Result<void> verifyModules(const PackManifest& pack, const std::filesystem::path& modelsFolder,
                           const CancelToken& cancel)
{
    for (const ModuleSpec& module : pack.modules) {
        if (module.sha256.empty())
            continue;
        const std::filesystem::path file = pack.pathOf(module, modelsFolder);
        auto digest = platform::sha256File(file, cancel);
        if (!digest) {
            if (digest.error().isCancelled())
                return fail(std::move(digest).error());
            return fail(ErrorCode::NotFound,
                        "The network '" + module.name + "' of the engine '" + pack.id +
                            "' cannot be read: " + digest.error().message() +
                            " Run packaging/setup.sh to get it.");
        }
        if (*digest != module.sha256)
            return fail(ErrorCode::Corrupt,
                        "The network file " + platform::quotedPath(file) + " is not the one the engine '" +
                            pack.label() + "' was made for (its SHA-256 differs). "
                                           "Run packaging/setup.sh to get the right one.");
    }
    return {};
}

} // namespace loquor::packs
