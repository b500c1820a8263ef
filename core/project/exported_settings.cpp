#include "core/project/exported_settings.h"

#include <algorithm>
#include <charconv>

#include "core/project/project_file.h"
#include "core/project/project_json.h"

namespace loquor::project {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSettingsFormat = "loquor-export";
constexpr int kSettingsVersion = 1;

// Calls `use(json of the file, path)` for every file of the scene; both sides have the same order.
template<class Use>
void forEachFile(Json& scene, const Scene& of, const Use& use)
{
    const auto visit = [&](const char* part, const char* key, const fs::path& file) {
        if (file.empty())
            return;
        if (const auto outer = scene.find(part); outer != scene.end() && outer->is_object()) {
            if (const auto entry = outer->find(key); entry != outer->end() && entry->is_object())
                use(*entry, file);
        }
    };
    visit("reference", "file", of.reference.file);
    visit("speech", "audio", of.speech.audioFile);
    if (!of.background.starts_with('#'))
        visit("background", "picture", pathFromUtf8(of.background));
    const auto lines = scene.find("lines");
    if (lines == scene.end() || !lines->is_array())
        return;
    for (std::size_t i = 0; i < std::min(lines->size(), of.lines.size()); ++i) {
        if (of.lines[i].recording)
            use((*lines)[i]["recording"]["file"], of.lines[i].recording->file);
    }
}

// Without what belongs to this machine or is nobody else's business.
Document portable(const Document& document, const fs::path& folder)
{
    Document out = document;
    out.preserved.clear();
    out.output.pack = utf8Text(pathFromUtf8(out.output.pack).filename());
    const auto inFolder = [&](const fs::path& file) { return file.empty() ? fs::path() : folder / file.filename(); };
    for (Scene& scene : out.scenes) {
        scene.reference.file = inFolder(scene.reference.file);
        scene.reference.consentAt.clear(); // given for the other machine
        scene.speech.audioFile = inFolder(scene.speech.audioFile);
        if (!scene.background.starts_with('#'))
            scene.background = utf8Text(inFolder(pathFromUtf8(scene.background)));
        for (Line& line : scene.lines) {
            line.preserved.clear();
            line.chosenTake = 0; // the takes are not in the video
            if (line.recording) {
                line.recording->file = inFolder(line.recording->file);
                line.recording->preserved.clear();
            }
        }
    }
    return out;
}

std::string textAt(const Json& json, const char* key)
{
    const auto it = json.find(key);
    return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}

tl::unexpected<Error> damaged(const std::string& what)
{
    return fail(ErrorCode::Corrupt, "The settings inside the video are damaged: " + what + ".");
}

ExportFacts factsFrom(const Json& root)
{
    ExportFacts facts;
    facts.product = textAt(root, "product");
    const std::string seed = textAt(root, "seed");
    std::from_chars(seed.data(), seed.data() + seed.size(), facts.seed);
    if (const auto pack = root.find("pack"); pack != root.end() && pack->is_object()) {
        facts.packLabel = textAt(*pack, "label");
        if (const auto weights = pack->find("weights"); weights != pack->end() && weights->is_object()) {
            for (const auto& [name, hash] : weights->items()) {
                if (hash.is_string())
                    facts.weights[name] = hash.get<std::string>();
            }
        }
    }
    return facts;
}

} // namespace

Result<std::string> exportedSettings(const Document& document, const ExportFacts& facts)
{
    const fs::path folder = "/project";
    LQ_TRY(const std::string inner, toJson(portable(document, folder), folder));
    Json project = Json::parse(inner);
    for (std::size_t i = 0; i < document.scenes.size(); ++i) {
        forEachFile(project["scenes"][i], document.scenes[i], [&](Json& entry, const fs::path& file) {
            if (const auto hash = facts.fileHashes.find(file); hash != facts.fileHashes.end())
                entry["sha256"] = hash->second;
        });
    }
    Json root = Json::object();
    root["format"] = kSettingsFormat;
    root["version"] = kSettingsVersion;
    root["product"] = facts.product.empty() ? std::string("Loquor " LOQUOR_VERSION) : facts.product;
    root["seed"] = std::to_string(facts.seed);
    root["pack"] = {{"label", facts.packLabel}, {"weights", Json(facts.weights)}};
    root["project"] = std::move(project);
    try {
        return root.dump();
    } catch (const Json::exception&) {
        return fail(ErrorCode::InvalidArgument, "A name in the settings for the video is not valid UTF-8.");
    }
}

Result<ImportedSettings> projectFromSettings(std::string_view json, const fs::path& folder)
{
    const Json root = Json::parse(json, nullptr, false);
    if (root.is_discarded())
        return damaged("they are not valid JSON");
    if (!root.is_object() || textAt(root, "format") != kSettingsFormat)
        return damaged("they are not of this program");
    const auto version = root.find("version");
    if (version == root.end() || !version->is_number_integer() || version->get<int>() < 1)
        return damaged("their version is missing");
    if (version->get<int>() > kSettingsVersion)
        return fail(ErrorCode::Unsupported,
                    "The video was made by a newer version of Loquor (" + textAt(root, "product") +
                        "); update the program to read its settings.");
    const auto inner = root.find("project");
    if (inner == root.end() || !inner->is_object())
        return damaged("there is no project in them");

    ImportedSettings out;
    out.facts = factsFrom(root);
    Json project = *inner;
    LQ_TRY(const Document first, fromJson(project.dump(), folder));
    if (const auto scenes = project.find("scenes"); scenes != project.end() && scenes->is_array()) {
        for (std::size_t i = 0; i < scenes->size() && i < first.scenes.size(); ++i) {
            forEachFile((*scenes)[i], first.scenes[i], [&](Json& entry, const fs::path& file) {
                const SourceFile source{file, textAt(entry, "sha256")};
                if (std::find(out.sources.begin(), out.sources.end(), source) == out.sources.end())
                    out.sources.push_back(source); // one recording has many lines
                entry.erase("sha256"); // would be wrong as soon as another file is chosen
            });
        }
    }
    LQ_TRY(out.document, fromJson(project.dump(), folder));
    // What came from outside names files in this folder, and nowhere else.
    const Document contained = portable(out.document, folder);
    for (std::size_t i = 0; i < contained.scenes.size(); ++i) {
        out.document.scenes[i].reference.file = contained.scenes[i].reference.file;
        out.document.scenes[i].speech.audioFile = contained.scenes[i].speech.audioFile;
        out.document.scenes[i].background = contained.scenes[i].background;
        for (std::size_t l = 0; l < contained.scenes[i].lines.size(); ++l)
            out.document.scenes[i].lines[l].recording = contained.scenes[i].lines[l].recording;
    }
    out.document.output.pack = contained.output.pack;
    for (SourceFile& source : out.sources)
        source.file = folder / source.file.filename();
    out.document.output.seed = out.facts.seed;
    return out;
}

void replaceFile(Document& document, const fs::path& from, const fs::path& to)
{
    for (Scene& scene : document.scenes) {
        if (scene.reference.file == from)
            scene.reference.file = to;
        if (scene.speech.audioFile == from)
            scene.speech.audioFile = to;
        if (!scene.background.starts_with('#') && !scene.background.empty() && pathFromUtf8(scene.background) == from)
            scene.background = utf8Text(to);
        for (Line& line : scene.lines) {
            if (line.recording && line.recording->file == from)
                line.recording->file = to;
        }
    }
}

} // namespace loquor::project
