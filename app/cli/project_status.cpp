// project status: what a project is. Never locks, never writes.
#include <algorithm>
#include <cstdio>

#include "app/cli/exit_codes.h"
#include "app/cli/line_warnings.h"
#include "app/cli/project_commands.h"
#include "core/platform/paths.h"
#include "core/project/ids.h"
#include "core/project/line_facts.h"

namespace loquor::cli {

namespace fs = std::filesystem;

namespace {

std::string text(const fs::path& path)
{
    return path.string();
}

Json settingsOf(const project::Document& document)
{
    const project::Output& output = document.output;
    return {{"width", output.width},
            {"height", output.height},
            {"fps", output.fps.toString()},
            {"framing", output.framing == project::Framing::Fit ? "fit" : "fill"},
            {"seed", output.seed ? Json(std::to_string(*output.seed)) : Json(nullptr)},
            {"pack", output.pack}};
}

std::vector<std::string> sceneWarnings(const project::Scene& scene)
{
    std::vector<std::string> out = promptWarnings(scene.prompt);
    if (const auto voice = checkVoice(scene.speech.voice); !voice)
        out.push_back(voice.error().message());
    return out;
}

Json sceneOf(const project::Scene& scene)
{
    Json json = {{"id", scene.id},
                 {"reference", text(scene.reference.file)},
                 {"face", scene.reference.faceIndex},
                 {"speech", scene.speech.mode == project::SpeechMode::Recording ? "recording" : "text"},
                 {"voice", scene.speech.voice},
                 {"language", scene.speech.language},
                 {"background", scene.background},
                 {"prompt", scene.prompt},
                 {"warnings", sceneWarnings(scene)}};
    if (scene.speech.mode == project::SpeechMode::Recording)
        json["recording"] = text(scene.speech.audioFile);
    return json;
}

void addNotes(const Json& of, const char* before, std::string& out)
{
    for (const Json& warning : of.at("warnings"))
        out += before + ("note: " + warning.get<std::string>());
}

struct StatusOptions
{
    std::string file;
    ProjectOutput output;
};

// Beside each line: what is rendered of it, and how long it truly is once that is known.
void addRenderState(const session::ProjectState& state, Rational fps, Json& facts)
{
    Json& lines = facts.at("lines");
    double seconds = 0;
    bool allKnown = true;
    for (std::size_t i = 0; i < std::min(lines.size(), state.lines.size()); ++i) {
        const session::LineState& line = state.lines[i];
        lines[i]["state"] = toString(line.kind);
        lines[i]["frames"] = line.frames;
        lines[i]["seconds"] = line.frames > 0 ? Json(secondsOf(line.frames, fps)) : Json(nullptr);
        seconds += line.frames > 0 ? secondsOf(line.frames, fps)
                                   : lines[i]["estimated_seconds"].get<double>() + lines[i]["pause_after"].get<double>();
        allKnown = allKnown && line.frames > 0;
        lines[i]["chunks"] = line.chunks;
        lines[i]["chunks_made"] = line.chunksMade;
        lines[i]["joined"] = line.joined;
        lines[i]["join_fault"] = line.joinFault.empty() ? Json(nullptr) : Json(line.joinFault);
        lines[i]["take"] = line.take != 0 ? Json(project::idText(line.take)) : Json(nullptr);
    }
    facts[allKnown ? "seconds" : "estimated_seconds"] = seconds;
    facts["store_bytes"] = state.storeBytes;
}

int status(const StatusOptions& options, Interrupts& interrupts)
{
    const auto loaded = project::loadProject(options.file);
    if (!loaded)
        return options.output.complain(loaded.error());
    Json facts = documentStatus(options.file, *loaded);
    options.output.warn(loaded->warnings);
    if (!facts.at("lines").empty()) {
        if (const auto state = projectState(loaded->document, interrupts))
            addRenderState(*state, loaded->document.output.fps, facts);
        else
            options.output.warn({"What is rendered cannot be told: " + state.error().message()});
    }
    options.output.print(facts, statusText(facts));
    return kSuccess;
}

} // namespace

Json documentStatus(const fs::path& file, const project::LoadedProject& loaded)
{
    const project::Document& document = loaded.document;
    Json status = Json::object();
    status["file"] = text(file);
    status["id"] = project::idText(document.id);
    status["output"] = settingsOf(document);
    status["scenes"] = Json::array();
    Json lines = Json::array();
    double seconds = 0;
    for (const project::Scene& scene : document.scenes) {
        status["scenes"].push_back(sceneOf(scene));
        if (scene.speech.mode != project::SpeechMode::Text)
            continue;
        for (std::size_t i = 0; i < scene.lines.size(); ++i) {
            Json line = lineToJson(scene, i, static_cast<int>(lines.size()) + 1);
            line["scene"] = scene.id;
            seconds += line["estimated_seconds"].get<double>() + line["pause_after"].get<double>();
            lines.push_back(std::move(line));
        }
    }
    status["lines"] = std::move(lines);
    status["estimated_seconds"] = seconds;
    status["missing"] = Json::array();
    for (const fs::path& missing : loaded.missing)
        status["missing"].push_back(text(missing));
    return status;
}

std::string statusText(const Json& status)
{
    const Json& output = status.at("output");
    std::string out = platform::quotedPath(status.at("file").get<std::string>()) + ": " +
                      std::to_string(output.at("width").get<int>()) + "x" + std::to_string(output.at("height").get<int>()) +
                      ", " + output.at("fps").get<std::string>() + " frames a second, engine " +
                      output.at("pack").get<std::string>();
    for (const Json& scene : status.at("scenes")) {
        out += "\nperson: " + platform::quotedPath(scene.at("reference").get<std::string>());
        if (scene.contains("recording"))
            out += "\nspeech: the recording " + platform::quotedPath(scene.at("recording").get<std::string>());
        addNotes(scene, "\n", out);
    }
    for (const Json& missing : status.at("missing"))
        out += "\nMISSING: " + platform::quotedPath(missing.get<std::string>());
    char number[64];
    for (const Json& line : status.at("lines")) {
        const bool isKnown = line.contains("seconds") && line.at("seconds").is_number();
        std::snprintf(number, sizeof number, "\n%4d %s%6.1f s  ", line.at("number").get<int>(), isKnown ? " " : "~",
                      line.at(isKnown ? "seconds" : "estimated_seconds").get<double>());
        std::string words = line.at("text").get<std::string>();
        std::replace(words.begin(), words.end(), '\n', ' ');
        if (words.empty() && line.contains("recording"))
            words = "(recorded, no text)";
        out += number + words;
        if (const auto state = line.find("state"); state != line.end() && state->is_string())
            out += "  [" + state->get<std::string>() + "]";
        if (const auto fault = line.find("join_fault"); fault != line.end() && fault->is_string())
            out += "\n                  the join in front of it failed, render tries it again: " + fault->get<std::string>();
        addNotes(line, "\n                  ", out);
    }
    const bool isKnown = status.contains("seconds");
    std::snprintf(number, sizeof number, "\n%zu %s, %s%.1f s", status.at("lines").size(),
                  status.at("lines").size() == 1 ? "line" : "lines", isKnown ? "" : "about ",
                  status.at(isKnown ? "seconds" : "estimated_seconds").get<double>());
    return out + number;
}

void addProjectStatus(CommandLine group)
{
    auto options = std::make_shared<StatusOptions>();
    CLI::App* app = group.app.add_subcommand("status", "Show the lines of a project");
    app->add_option("FILE", options->file, "The project (.loquor)")->required();
    app->add_flag("--json", options->output.json, "Machine-readable");
    app->callback([group, options] { group.action = [group, options] { return status(*options, group.interrupts); }; });
}

} // namespace loquor::cli
