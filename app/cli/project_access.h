// How the commands of `loquor-cli project` open, change and save a project file, and what they print.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/project/project_file.h"
#include "core/project/project_lock.h"

namespace loquor::cli {

using Json = nlohmann::ordered_json;

// A project this process alone may change while the object lives.
struct OpenProject
{
    std::filesystem::path file;
    project::LoadedProject loaded;
    project::ProjectLock lock;
};

// What a command is told to print: --json gives one JSON object on stdout, {"error": ...} on failure.
struct ProjectOutput
{
    bool json = false;
    // Prints the error (for people on stderr, for programs on stdout too) and gives the exit code.
    int complain(const Error& error) const;
    int complain(const Error& error, int exitCode) const;
    void print(const Json& result, const std::string& text) const;
    // Sentences for people; never stop anything.
    void warn(const std::vector<std::string>& warnings) const;
};

// Locks and loads; saves at once when the file has no ids yet or is of an older version. On failure
// says why and gives the exit code (9: open elsewhere).
struct OpenOutcome
{
    std::optional<OpenProject> project;
    int exitCode = 0;
};
OpenOutcome openForEditing(const std::filesystem::path& file, const ProjectOutput& output);

// Locks, loads, applies `edit`, saves, and prints what `describe` says about the new document.
using Edit = std::function<Result<project::Document>(const project::Document&)>;
struct Description
{
    Json json;
    std::string text;
};
using Describe = std::function<Description(const project::Document&)>;
int editProject(const std::filesystem::path& file, const ProjectOutput& output, const Edit& edit,
                const Describe& describe);

// Writes a new project (over an old one only when its name was checked for that) and prints it like
// `status --json` does, with `more` beside it.
int writeNewProject(const project::Document& document, const std::filesystem::path& file,
                    const ProjectOutput& output, const std::function<std::string()>& text,
                    const Json& more = Json::object());

// Text of an option; "-" reads standard input. At most 8 MiB; no byte order mark.
Result<std::string> textOrInput(const std::string& text);

// "0.5", "0.5s"; "auto" (nothing) = by punctuation.
Result<std::optional<double>> pauseFrom(const std::string& text);

// For messages: cut after some 60 bytes.
std::string shortText(const std::string& text);

// Line `number` for programs: number, id, text, prompt, voice, pause, seconds (estimated), recording.
Json lineToJson(const project::Scene& scene, std::size_t index, int number);

} // namespace loquor::cli
