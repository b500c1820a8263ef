// project add-line, set-line, remove-line, move-line.
#include "app/cli/line_warnings.h"
#include "app/cli/option_values.h"
#include "app/cli/project_commands.h"
#include "core/project/line_edits.h"
#include "core/project/script_text.h"
#include "core/speech/script.h"

namespace loquor::cli {

namespace {

using project::Document;
using project::Line;

struct LineOptions
{
    std::string file, text, prompt, voice, pause;
    int number = 0, to = 0;
    bool oneLine = false, newTake = false;
    ProjectOutput output;
};

// What of the lines means nothing: they are stored all the same.
void warnAbout(const Document& document, int first, int count, const ProjectOutput& output)
{
    for (int number = first; number < first + count; ++number) {
        const auto place = project::findLine(document, number);
        if (!place)
            continue;
        std::vector<std::string> warnings = lineWarnings(document.scenes[place->scene].lines[place->line]);
        for (std::string& warning : warnings)
            warning.insert(0, "Line " + std::to_string(number) + ": ");
        output.warn(warnings);
    }
}

Json numbered(const Document& document, int first, int count)
{
    Json list = Json::array();
    for (int number = first; number < first + count; ++number) {
        if (const auto place = project::findLine(document, number))
            list.push_back(lineToJson(document.scenes[place->scene], place->line, number));
    }
    return list;
}

Description describe(const Document& document, int first, int count, const std::string& text)
{
    return {Json{{"lines", project::lineCount(document)}, {"changed", numbered(document, first, count)}}, text};
}

Result<std::vector<Line>> newLines(const LineOptions& options, const Document& document)
{
    LQ_TRY(const std::string text, textOrInput(options.text));
    const project::IdSource ids = project::randomIds();
    std::vector<Line> lines;
    if (options.oneLine) {
        LQ_TRY(const std::string line, project::checkedLineText(text));
        lines.push_back(project::makeLine(ids(), line));
    } else {
        LQ_TRY(lines, project::linesOfText(text, document.scenes.back().speech.language, ids));
    }
    std::optional<double> pause;
    if (!options.pause.empty()) {
        LQ_TRY(pause, pauseFrom(options.pause));
    }
    for (Line& line : lines) {
        line.prompt = options.prompt;
        line.voice = options.voice;
        line.pauseAfter = pause;
    }
    return lines;
}

int add(const LineOptions& options, bool hasPlace)
{
    int first = 0, count = 0;
    return editProject(
        options.file, options.output,
        [&](const Document& document) -> Result<Document> {
            LQ_CHECKED(checkVoice(options.voice));
            LQ_TRY(std::vector<Line> lines, newLines(options, document));
            first = hasPlace ? options.number : project::lineCount(document) + 1;
            count = static_cast<int>(lines.size());
            return project::withLinesInserted(document, first, std::move(lines));
        },
        [&](const Document& document) {
            warnAbout(document, first, count, options.output);
            std::string text;
            for (int number = first; number < first + count; ++number) {
                const auto place = project::findLine(document, number);
                text += (text.empty() ? "" : "\n") + std::string("Added line ") + std::to_string(number) + ": " +
                        shortText(document.scenes[place->scene].lines[place->line].text);
            }
            return describe(document, first, count, text);
        });
}

Result<project::LineChange> changeFrom(const LineOptions& options, const CLI::App& app)
{
    project::LineChange change;
    if (app.count("TEXT") > 0) {
        LQ_TRY(change.text, textOrInput(options.text));
    }
    if (app.count("--prompt") > 0)
        change.prompt = options.prompt;
    if (app.count("--voice") > 0)
        change.voice = options.voice;
    if (app.count("--pause") > 0) {
        LQ_TRY(change.pauseAfter, pauseFrom(options.pause));
    }
    if (options.newTake)
        change.takeSeed = project::randomIds()();
    return change;
}

int set(const LineOptions& options, const CLI::App& app)
{
    return editProject(
        options.file, options.output,
        [&](const Document& document) -> Result<Document> {
            LQ_CHECKED(checkVoice(options.voice));
            LQ_TRY(const project::LineChange change, changeFrom(options, app));
            return project::withLineChanged(document, options.number, change);
        },
        [&](const Document& document) {
            warnAbout(document, options.number, 1, options.output);
            const auto place = project::findLine(document, options.number);
            return describe(document, options.number, 1,
                            "Line " + std::to_string(options.number) + ": " +
                                shortText(document.scenes[place->scene].lines[place->line].text));
        });
}

int remove(const LineOptions& options)
{
    Json removed;
    std::string text;
    return editProject(
        options.file, options.output,
        [&](const Document& document) -> Result<Document> {
            if (const auto place = project::findLine(document, options.number)) {
                const project::Scene& scene = document.scenes[place->scene];
                removed = lineToJson(scene, place->line, options.number);
                text = "Removed line " + std::to_string(options.number) + ": " + shortText(scene.lines[place->line].text);
            }
            return project::withLineRemoved(document, options.number);
        },
        [&](const Document& document) {
            return Description{Json{{"lines", project::lineCount(document)}, {"removed", removed}}, text};
        });
}

int move(const LineOptions& options)
{
    return editProject(
        options.file, options.output,
        [&](const Document& document) { return project::withLineMoved(document, options.number, options.to); },
        [&](const Document& document) {
            return describe(document, options.to, 1,
                            "Line " + std::to_string(options.number) + " is now line " + std::to_string(options.to) + ".");
        });
}

CLI::App* command(CommandLine line, LineOptions& options, const char* name, const char* description)
{
    CLI::App* app = line.app.add_subcommand(name, description);
    app->add_option("FILE", options.file, "The project (.loquor)")->required();
    app->add_flag("--json", options.output.json, "Machine-readable");
    return app;
}

void addHow(CLI::App& app, LineOptions& options)
{
    app.add_option("--prompt", options.prompt, "How the person moves in this line; \"\" = as in the project");
    app.add_option("--voice", options.voice, "Voice of this line; \"\" = the project's");
    app.add_option("--pause", options.pause, "Seconds of silence after it; auto = by punctuation");
}

} // namespace

void addProjectLines(CommandLine group)
{
    auto adding = std::make_shared<LineOptions>();
    CLI::App* app = command(group, *adding, "add-line", "Add a text; each of its sentences becomes a line");
    app->add_option("TEXT", adding->text, "What is said; - reads standard input")->required();
    auto* place = app->add_option("--at", adding->number, "Number the first new line gets (1 = first); default: at the end")
                      ->check(numberOf("a line", kAnyNumber));
    addHow(*app, *adding);
    app->add_flag("--one-line", adding->oneLine, "Keep several sentences in one line");
    app->callback([group, adding, place] {
        group.action = [adding, hasPlace = place->count() > 0] { return add(*adding, hasPlace); };
    });

    auto setting = std::make_shared<LineOptions>();
    app = command(group, *setting, "set-line", "Change a line: text, prompt, voice, pause, or another take");
    app->add_option("N", setting->number, "Number of the line, from 1")->required()->check(numberOf("a line", kAnyNumber));
    app->add_option("TEXT", setting->text, "The new text; - reads standard input");
    addHow(*app, *setting);
    app->add_flag("--new-take", setting->newTake, "The same words, moved in another way");
    app->callback([group, setting, app] {
        if (app->count("TEXT") + app->count("--prompt") + app->count("--voice") + app->count("--pause") +
                app->count("--new-take") ==
            0)
            throw CLI::RequiredError("One of TEXT, --prompt, --voice, --pause and --new-take");
        group.action = [setting, app] { return set(*setting, *app); };
    });

    auto removing = std::make_shared<LineOptions>();
    app = command(group, *removing, "remove-line", "Remove a line");
    app->add_option("N", removing->number, "Number of the line, from 1")->required()->check(numberOf("a line", kAnyNumber));
    app->callback([group, removing] { group.action = [removing] { return remove(*removing); }; });

    auto moving = std::make_shared<LineOptions>();
    app = command(group, *moving, "move-line", "Move a line to another place");
    app->add_option("N", moving->number, "Number of the line, from 1")->required()->check(numberOf("a line", kAnyNumber));
    app->add_option("TO", moving->to, "The number it gets")->required()->check(numberOf("a line", kAnyNumber));
    app->callback([group, moving] { group.action = [moving] { return move(*moving); }; });
}

} // namespace loquor::cli
