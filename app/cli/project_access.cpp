#include "app/cli/project_access.h"

#include <charconv>
#include <cstdio>

#include <unistd.h>

#include "app/cli/exit_codes.h"
#include "app/cli/line_warnings.h"
#include "app/cli/project_commands.h"
#include "core/platform/file_descriptor.h"
#include "core/platform/paths.h"
#include "core/project/caption_edits.h"
#include "core/project/line_edits.h"
#include "core/project/line_facts.h"
#include "core/speech/script.h"

namespace loquor::cli {

namespace {

constexpr auto kReplace = Json::error_handler_t::replace;

} // namespace

int ProjectOutput::complain(const Error& error) const
{
    return complain(error, exitCodeFor(error));
}

int ProjectOutput::complain(const Error& error, int exitCode) const
{
    cli::complain(error);
    if (json) {
        // Exit codes of the command line that no code of an error stands for.
        const char* code = exitCode == kInUse ? "in-use" : exitCode == kIncomplete ? "not-rendered"
                                                                                   : toString(error.code());
        const Json out{{"error", {{"code", code}, {"message", error.text()}, {"exit", exitCode}}}};
        std::printf("%s\n", out.dump(2, ' ', false, kReplace).c_str());
    }
    return exitCode;
}

void ProjectOutput::print(const Json& result, const std::string& text) const
{
    if (json)
        std::printf("%s\n", result.dump(2, ' ', false, kReplace).c_str());
    else
        std::printf("%s\n", text.c_str());
}

void ProjectOutput::warn(const std::vector<std::string>& warnings) const
{
    for (const std::string& warning : warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
}

OpenOutcome openForEditing(const std::filesystem::path& file, const ProjectOutput& output)
{
    // Before the lock: no lock file beside a project that does not exist.
    if (auto readable = project::loadProject(file); !readable)
        return {std::nullopt, output.complain(readable.error())};
    project::LockOptions options;
    options.program = "loquor-cli";
    auto locked = project::lockProject(file, options);
    if (!locked)
        return {std::nullopt, output.complain(locked.error())};
    std::optional<project::ProjectLock>& lock = locked->lock;
    if (!lock)
        return {std::nullopt, output.complain(projectInUse(file, locked->holder.value_or(project::LockHolder())), kInUse)};
    auto loaded = project::loadProject(file); // as it is now that nobody else can change it
    if (!loaded)
        return {std::nullopt, output.complain(loaded.error())};
    output.warn(loaded->warnings);
    if (loaded->mustBeSaved) {
        auto saved = project::saveProject(loaded->document, file, loaded->fingerprint);
        if (!saved)
            return {std::nullopt, output.complain(saved.error())};
        loaded->fingerprint = *saved;
        loaded->mustBeSaved = false;
    }
    return {OpenProject{file, std::move(*loaded), std::move(*lock)}, kSuccess};
}

int editProject(const std::filesystem::path& file, const ProjectOutput& output, const Edit& edit,
                const Describe& describe)
{
    const OpenOutcome opened = openForEditing(file, output);
    if (!opened.project)
        return opened.exitCode;
    const project::LoadedProject& loaded = opened.project->loaded;
    const auto changed = edit(loaded.document);
    if (!changed)
        return output.complain(changed.error());
    if (const auto saved = project::saveProject(*changed, file, loaded.fingerprint); !saved)
        return output.complain(saved.error());
    const Description description = describe(*changed);
    output.print(description.json, description.text);
    return kSuccess;
}

int writeNewProject(const project::Document& document, const std::filesystem::path& file,
                    const ProjectOutput& output, const std::function<std::string()>& text, const Json& more)
{
    project::LockOptions options;
    options.program = "loquor-cli";
    const auto locked = project::lockProject(file, options);
    if (!locked)
        return output.complain(locked.error());
    if (!locked->lock)
        return output.complain(projectInUse(file, locked->holder.value_or(project::LockHolder())), kInUse);
    if (const auto saved = project::saveProject(document, file); !saved)
        return output.complain(saved.error());
    const auto loaded = project::loadProject(file);
    if (!loaded)
        return output.complain(loaded.error());
    Json facts = documentStatus(file, *loaded);
    facts.update(more);
    output.print(facts, text());
    return kSuccess;
}

Result<std::string> textOrInput(const std::string& text)
{
    std::string out = text;
    if (text == "-") {
        out.resize(speech::kMaxScriptBytes + 4);
        LQ_TRY(const std::size_t bytes,
               platform::readUpTo(STDIN_FILENO, out.data(), out.size(), "Reading the text from standard input"));
        out.resize(bytes);
    }
    if (out.starts_with("\xEF\xBB\xBF"))
        out.erase(0, 3);
    LQ_TRY(speech::ImportedScript script, speech::importScript(std::move(out)));
    warnAbout(script.issues);
    return std::move(script.text);
}

Result<std::optional<double>> pauseFrom(const std::string& text)
{
    if (text == "auto")
        return std::optional<double>();
    double seconds = -1;
    const char* end = text.data() + text.size() - (text.ends_with('s') ? 1 : 0);
    const auto [read, error] = std::from_chars(text.data(), end, seconds);
    if (error != std::errc() || read != end)
        return fail(ErrorCode::InvalidArgument,
                    "The pause '" + text + "' is not a number of seconds such as 0.5 (or auto).");
    LQ_CHECKED(project::checkPause(seconds));
    return std::optional<double>(seconds);
}

std::string shortText(const std::string& text)
{
    return text.size() <= 60 ? text : platform::truncatedUtf8(text, 57) + "...";
}

namespace {

// Seconds of the file, whatever was cut off it.
Json recordingToJson(const project::Recording& part)
{
    const auto seconds = [](std::chrono::microseconds time) { return std::chrono::duration<double>(time).count(); };
    const media::SoundImport& import = part.import;
    const double start = seconds(import.from);
    Json json = {{"file", part.file.string()},
                 {"from", start + static_cast<double>(part.first) / project::kRecordingRate},
                 {"to", start + static_cast<double>(part.first + part.samples) / project::kRecordingRate}};
    if (import.stream > 0)
        json["stream"] = import.stream;
    if (start > 0)
        json["in"] = start;
    if (import.to.count() > 0)
        json["out"] = seconds(import.to);
    if (import.loudness)
        json["loudness"] = true;
    if (import.denoise)
        json["denoise"] = true;
    return json;
}

} // namespace

Json lineToJson(const project::Scene& scene, std::size_t index, int number)
{
    const project::Line& line = scene.lines[index];
    Json json = Json::object();
    json["number"] = number;
    json["id"] = project::idText(line.id);
    json["text"] = line.text;
    json["prompt"] = project::promptOf(scene, line);
    json["voice"] = project::voiceOf(scene, line);
    json["pause_after"] = project::pauseSeconds(scene, index);
    json["warnings"] = lineWarnings(line);
    json["take_seed"] = std::to_string(line.takeSeed);
    json["take"] = line.chosenTake == 0 ? Json(nullptr) : Json(project::idText(line.chosenTake));
    json["estimated_seconds"] = project::estimatedSeconds(line);
    if (line.captions) {
        Json captions = Json::array();
        for (const project::CaptionText& caption : line.captions->list)
            captions.push_back(caption.text);
        json["captions"] = captions;
        json["captions_fit"] = project::captionsFit(line);
    }
    if (line.recording)
        json["recording"] = recordingToJson(*line.recording);
    return json;
}

} // namespace loquor::cli
