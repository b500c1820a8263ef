// Document -> JSON, written over what was read so that unknown fields stay.
#include "core/project/project_file.h"
#include "core/project/project_json.h"

namespace loquor::project {

namespace fs = std::filesystem;

namespace {

bool isInside(const fs::path& relative)
{
    return !relative.empty() && *relative.begin() != "..";
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
        kept["path"] = utf8Text(file);
        return kept;
    }
    kept["path"] = utf8Text(relative);
    if (!isInside(relative))
        kept["absolute"] = utf8Text(file);
    return kept;
}

// The object under `key` of what was read, to be written over; an empty one otherwise.
Json keptObject(const Json& parent, const char* key)
{
    const auto it = parent.find(key);
    return it != parent.end() && it->is_object() ? *it : Json::object();
}

// Fields of the file that this version does not know.
void addUnknown(const std::string& preserved, Json& json)
{
    if (preserved.empty())
        return;
    const Json unknown = Json::parse(preserved, nullptr, false);
    if (unknown.is_object())
        json.update(unknown);
}

Json captionsToJson(const LineCaptions& captions)
{
    Json list = Json::array();
    for (const CaptionText& caption : captions.list) {
        Json one = {{"text", caption.text}, {"firstWord", caption.firstWord}};
        addUnknown(caption.preserved, one);
        list.push_back(std::move(one));
    }
    Json json = {{"words", captions.words}, {"list", std::move(list)}};
    addUnknown(captions.preserved, json);
    return json;
}

// Only what was asked for: files of projects without it stay as they are.
void importToJson(const media::SoundImport& import, Json& json)
{
    const auto seconds = [](std::chrono::microseconds time) { return std::chrono::duration<double>(time).count(); };
    if (import.stream != 0)
        json["stream"] = import.stream;
    if (import.from.count() != 0)
        json["in"] = seconds(import.from);
    if (import.to.count() != 0)
        json["out"] = seconds(import.to);
    if (import.loudness)
        json["loudness"] = true;
    if (import.denoise)
        json["denoise"] = true;
}

Json lineToJson(const Line& line, const fs::path& folder)
{
    Json json = Json::object();
    json["id"] = idText(line.id);
    json["text"] = line.text;
    if (line.after != "\n")
        json["after"] = line.after;
    if (!line.prompt.empty())
        json["prompt"] = line.prompt;
    if (!line.voice.empty())
        json["voice"] = line.voice;
    if (line.pauseAfter)
        json["pauseAfter"] = *line.pauseAfter;
    if (line.takeSeed != 0)
        json["takeSeed"] = std::to_string(line.takeSeed);
    if (line.chosenTake != 0)
        json["take"] = idText(line.chosenTake);
    if (line.recording) {
        json["recording"] = {{"file", pathToJson(line.recording->file, folder, Json::object())},
                             {"sha256", line.recording->sha256},
                             {"firstSample", line.recording->first},
                             {"samples", line.recording->samples}};
        importToJson(line.recording->import, json["recording"]);
        addUnknown(line.recording->preserved, json["recording"]);
    }
    if (line.captions)
        json["captions"] = captionsToJson(*line.captions);
    addUnknown(line.preserved, json);
    return json;
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
    speech["audio"] = pathToJson(scene.speech.audioFile, folder, keptObject(speech, "audio"));
    speech["transcript"] = scene.speech.transcript;
    speech["voice"] = scene.speech.voice;
    speech["language"] = scene.speech.language;
    for (const char* field : kImportFields)
        speech.erase(field);
    importToJson(scene.speech.import, speech);
    json["speech"] = std::move(speech);

    Json background = keptObject(json, "background");
    const bool isColour = scene.background.starts_with('#');
    background["colour"] = isColour ? scene.background : std::string();
    background["picture"] =
        pathToJson(isColour ? fs::path() : pathFromUtf8(scene.background), folder,
                   keptObject(background, "picture"));
    json["background"] = std::move(background);
    json["prompt"] = scene.prompt;
    json.erase("leadIn");
    if (!scene.leadIn.empty())
        json["leadIn"] = scene.leadIn;
    Json lines = Json::array();
    for (const Line& line : scene.lines)
        lines.push_back(lineToJson(line, folder));
    json["lines"] = std::move(lines);
    return json;
}

Json pronunciationToJson(const speech::Pronunciation& entry)
{
    Json json{{"words", entry.words}};
    if (!entry.language.empty())
        json["language"] = entry.language;
    if (!entry.alias.empty())
        json["as"] = entry.alias;
    if (!entry.ipa.empty())
        json["ipa"] = entry.ipa;
    const Json unknown = Json::parse(entry.preserved, nullptr, false);
    if (unknown.is_object())
        json.update(unknown);
    return json;
}

Json outputToJson(const Output& output, Json json)
{
    json["width"] = output.width;
    json["height"] = output.height;
    json["fps"] = output.fps.toString();
    json["framing"] = output.framing == Framing::Fit ? "fit" : "fill";
    json["seed"] = output.seed ? Json(std::to_string(*output.seed)) : Json(nullptr);
    json["pack"] = output.pack;
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
            const bool hasId = stored != scene.end() && stored->is_string() &&
                               !stored->get_ref<const std::string&>().empty();
            if ((hasId ? stored->get<std::string>() : "scene-" + std::to_string(i + 1)) == id)
                return scene;
        }
    }
    return Json::object();
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
    if (document.id != 0)
        root["id"] = idText(document.id);
    else
        root.erase("id");
    root["savedBy"] = "Loquor " LOQUOR_VERSION;
    root["output"] = outputToJson(document.output, keptObject(root, "output"));
    root.erase("pronunciations");
    for (const speech::Pronunciation& entry : document.pronunciations)
        root["pronunciations"].push_back(pronunciationToJson(entry));
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

} // namespace loquor::project
