#include "core/project/project_file.h"

#include <nlohmann/json.hpp>

#include "core/platform/atomic_file.h"

namespace loquor::project {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kFormatName = "loquor-project";
constexpr std::uint64_t kMaxFileBytes = 64U << 20U; // a script of ten million words

// Thrown inside this file only, where a field has the wrong type; becomes ErrorCode::Corrupt.
struct FieldError
{
    std::string field;
    std::string expected;
};

// --- paths
// -------------------------------------------------------------------------------------------

bool isInside(const fs::path& relative)
{
    return !relative.empty() && *relative.begin() != "..";
}

std::string utf8(const fs::path& path)
{
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

fs::path fromUtf8(const std::string& text)
{
    return {std::u8string(text.begin(), text.end())};
}

// {"path": relative} inside the project folder; outside also the absolute one, which wins when the
// project alone was moved.
Json pathToJson(const fs::path& file, const fs::path& folder, Json kept)
{
    if (!kept.is_object())
        kept = Json::object();
    kept.erase("path");
    kept.erase("absolute");
    if (file.empty())
        return kept;
    const fs::path relative = file.lexically_normal().lexically_relative(folder.lexically_normal());
    if (relative.empty()) {
        kept["path"] = utf8(file);
        return kept;
    }
    kept["path"] = utf8(relative);
    if (!isInside(relative))
        kept["absolute"] = utf8(file);
    return kept;
}

// --- reading
// -----------------------------------------------------------------------------------------

const Json& objectAt(const Json& parent, const char* key, const std::string& where)
{
    static const Json kEmpty = Json::object();
    const auto it = parent.find(key);
    if (it == parent.end() || it->is_null())
        return kEmpty;
    if (!it->is_object())
        throw FieldError{where + key, "an object"};
    return *it;
}

std::string textAt(const Json& parent, const char* key, const std::string& where)
{
    const auto it = parent.find(key);
    if (it == parent.end() || it->is_null())
        return {};
    if (!it->is_string())
        throw FieldError{where + key, "text"};
    return it->get<std::string>();
}

int intAt(const Json& parent, const char* key, int fallback, const std::string& where)
{
    const auto it = parent.find(key);
    if (it == parent.end() || it->is_null())
        return fallback;
    if (!it->is_number_integer() || it->get<std::int64_t>() < 0 ||
        it->get<std::int64_t>() > 1'000'000)
        throw FieldError{where + key, "a whole number"};
    return it->get<int>();
}

fs::path pathAt(const Json& parent, const char* key, const fs::path& folder,
                const std::string& where)
{
    const Json& entry = objectAt(parent, key, where);
    const std::string below = where + key + ".";
    const std::string relative = textAt(entry, "path", below);
    const std::string absolute = textAt(entry, "absolute", below);
    if (relative.empty() && absolute.empty())
        return {};
    const fs::path first = (folder / fromUtf8(relative)).lexically_normal();
    std::error_code ec;
    if (absolute.empty() || (!relative.empty() && fs::exists(first, ec)))
        return first;
    return fromUtf8(absolute);
}

Scene sceneFromJson(const Json& json, const fs::path& folder, const std::string& where)
{
    Scene scene;
    scene.id = textAt(json, "id", where);
    const Json& reference = objectAt(json, "reference", where);
    scene.reference.file = pathAt(reference, "file", folder, where + "reference.");
    scene.reference.faceIndex = intAt(reference, "face", 0, where + "reference.");
    scene.reference.consentAt = textAt(reference, "likenessConfirmedAt", where + "reference.");

    const Json& speech = objectAt(json, "speech", where);
    const std::string below = where + "speech.";
    const std::string mode = textAt(speech, "mode", below);
    if (mode == "recording")
        scene.speech.mode = SpeechMode::Recording;
    else if (!mode.empty() && mode != "text")
        throw FieldError{below + "mode", "\"text\" or \"recording\""};
    scene.speech.text = textAt(speech, "text", below);
    scene.speech.audioFile = pathAt(speech, "audio", folder, below);
    scene.speech.transcript = textAt(speech, "transcript", below);
    scene.speech.voice = textAt(speech, "voice", below);
    scene.speech.language = textAt(speech, "language", below);

    const Json& background = objectAt(json, "background", where);
    scene.background = textAt(background, "colour", where + "background.");
    if (scene.background.empty()) {
        const fs::path picture = pathAt(background, "picture", folder, where + "background.");
        scene.background = picture.empty() ? std::string() : utf8(picture);
    }
    scene.prompt = textAt(json, "prompt", where);
    return scene;
}

Output outputFromJson(const Json& json)
{
    Output output;
    output.width = intAt(json, "width", output.width, "output.");
    output.height = intAt(json, "height", output.height, "output.");
    const std::string fps = textAt(json, "fps", "output.");
    if (!fps.empty()) {
        const auto rate = Rational::parse(fps);
        if (!rate)
            throw FieldError{"output.fps", "a frame rate such as \"25\" or \"30000/1001\""};
        output.fps = *rate;
    }
    const std::string framing = textAt(json, "framing", "output.");
    if (framing == "fit")
        output.framing = Framing::Fit;
    else if (!framing.empty() && framing != "fill")
        throw FieldError{"output.framing", "\"fill\" or \"fit\""};
    const auto seed = json.find("seed");
    if (seed != json.end() && !seed->is_null()) {
        if (!seed->is_number_unsigned())
            throw FieldError{"output.seed", "a whole number"};
        output.seed = seed->get<std::uint64_t>();
    }
    return output;
}

Document documentFromJson(const Json& root, const fs::path& folder)
{
    Document document;
    document.output = outputFromJson(objectAt(root, "output", ""));
    const auto scenes = root.find("scenes");
    if (scenes != root.end() && !scenes->is_array())
        throw FieldError{"scenes", "a list"};
    if (scenes != root.end() && !scenes->empty()) {
        document.scenes.clear();
        for (const Json& scene : *scenes) {
            const std::string where = "scenes[" + std::to_string(document.scenes.size()) + "].";
            if (!scene.is_object())
                throw FieldError{where, "an object"};
            document.scenes.push_back(sceneFromJson(scene, folder, where));
            if (document.scenes.back().id.empty())
                document.scenes.back().id = "scene-" + std::to_string(document.scenes.size());
        }
    }
    return document;
}

// --- writing
// -----------------------------------------------------------------------------------------

// The object under `key` of what was read, to be written over; an empty one otherwise.
Json keptObject(const Json& parent, const char* key)
{
    const auto it = parent.find(key);
    return it != parent.end() && it->is_object() ? *it : Json::object();
}

Json sceneToJson(const Scene& scene, const fs::path& folder, Json json)
{
    json["id"] = scene.id;
    Json reference = keptObject(json, "reference");
    reference["file"] = pathToJson(scene.reference.file, folder, keptObject(reference, "file"));
    reference["face"] = scene.reference.faceIndex;
    reference["likenessConfirmedAt"] = scene.reference.consentAt;
    json["reference"] = std::move(reference);

    Json speech = keptObject(json, "speech");
    speech["mode"] = scene.speech.mode == SpeechMode::Recording ? "recording" : "text";
    speech["text"] = scene.speech.text;
    speech["audio"] = pathToJson(scene.speech.audioFile, folder, keptObject(speech, "audio"));
    speech["transcript"] = scene.speech.transcript;
    speech["voice"] = scene.speech.voice;
    speech["language"] = scene.speech.language;
    json["speech"] = std::move(speech);

    Json background = keptObject(json, "background");
    const bool isColour = scene.background.starts_with('#');
    background["colour"] = isColour ? scene.background : std::string();
    background["picture"] = pathToJson(isColour ? fs::path() : fromUtf8(scene.background), folder,
                                       keptObject(background, "picture"));
    json["background"] = std::move(background);
    json["prompt"] = scene.prompt;
    return json;
}

Json outputToJson(const Output& output, Json json)
{
    json["width"] = output.width;
    json["height"] = output.height;
    json["fps"] = output.fps.toString();
    json["framing"] = output.framing == Framing::Fit ? "fit" : "fill";
    json["seed"] = output.seed ? Json(*output.seed) : Json(nullptr);
    return json;
}

Json keptScene(const Json& root, const std::string& id)
{
    const auto scenes = root.find("scenes");
    if (scenes != root.end() && scenes->is_array()) {
        for (std::size_t i = 0; i < scenes->size(); ++i) {
            const Json& scene = (*scenes)[i];
            if (!scene.is_object())
                continue;
            const auto stored = scene.find("id");
            const bool hasId = stored != scene.end() && stored->is_string();
            if ((hasId ? stored->get<std::string>() : "scene-" + std::to_string(i + 1)) == id)
                return scene;
        }
    }
    return Json::object();
}

std::string describe(const FieldError& error)
{
    return "the field '" + error.field + "' must be " + error.expected;
}

} // namespace

Result<std::string> toJson(const Document& document, const fs::path& folder)
{
    Json root = Json::object();
    if (!document.preserved.empty())
        root = Json::parse(document.preserved, nullptr, false);
    if (!root.is_object())
        root = Json::object();
    root["format"] = kFormatName;
    root["version"] = kFormatVersion;
    root["output"] = outputToJson(document.output, keptObject(root, "output"));
    Json scenes = Json::array();
    for (const Scene& scene : document.scenes)
        scenes.push_back(sceneToJson(scene, folder, keptScene(root, scene.id)));
    root["scenes"] = std::move(scenes);
    try {
        return root.dump(2) + "\n";
    } catch (const Json::exception&) {
        return fail(ErrorCode::InvalidArgument,
                    "A text or a file name of this project is not valid UTF-8 and cannot be saved");
    }
}

Result<Document> fromJson(std::string_view json, const fs::path& folder)
{
    try {
        const Json root = Json::parse(json);
        if (!root.is_object() || textAt(root, "format", "") != kFormatName)
            return fail(ErrorCode::Corrupt, "This is not a Loquor project");
        const int version = intAt(root, "version", 0, "");
        if (version > kFormatVersion)
            return fail(ErrorCode::Unsupported,
                        "This project was made by a newer version of Loquor (format " +
                            std::to_string(version) + "); update the program to open it");
        if (version < 1)
            throw FieldError{"version", "1 or higher"};
        Document document = documentFromJson(root, folder);
        document.preserved = root.dump();
        return document;
    } catch (const FieldError& error) {
        return fail(ErrorCode::Corrupt, "The project is damaged: " + describe(error));
    } catch (const Json::exception& error) {
        return fail(ErrorCode::Corrupt,
                    std::string("The project is damaged: it is not valid JSON (") + error.what() +
                        ")");
    }
}

Result<LoadedProject> loadProject(const fs::path& file)
{
    LQ_TRY(const std::string content, platform::readTextFile(file, kMaxFileBytes));
    std::error_code ec;
    const fs::path folder = fs::absolute(file, ec).parent_path();
    auto document = fromJson(content, folder);
    if (!document)
        return fail(std::move(document).error().addContext("opening '" + file.string() + "'"));
    LoadedProject loaded{std::move(*document), {}};
    const auto note = [&](const fs::path& used) {
        if (!used.empty() && !fs::exists(used, ec))
            loaded.missing.push_back(used);
    };
    for (const Scene& scene : loaded.document.scenes) {
        note(scene.reference.file);
        note(scene.speech.audioFile);
        if (!scene.background.starts_with('#'))
            note(fromUtf8(scene.background));
    }
    return loaded;
}

Result<void> saveProject(const Document& document, const fs::path& file)
{
    std::error_code ec;
    const fs::path folder = fs::absolute(file, ec).parent_path();
    LQ_TRY(const std::string content, toJson(document, folder));
    return platform::writeFile(file, content);
}

} // namespace loquor::project
