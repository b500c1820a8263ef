// project caption: the captions of a line, as they are shown and as the user writes them.
#include <cstdio>

#include "app/cli/exit_codes.h"
#include "app/cli/option_values.h"
#include "app/cli/project_commands.h"
#include "core/project/caption_edits.h"
#include "core/project/line_edits.h"

namespace loquor::cli {

namespace {

using project::Document;

struct CaptionEditOptions
{
    std::string file, text;
    int number = 0;
    bool reset = false;
    ProjectOutput output;
};

// "one|two" are two captions; a line break may be written as \n.
std::vector<std::string> captionsIn(const std::string& text)
{
    std::vector<std::string> out(1);
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '|')
            out.emplace_back();
        else if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == 'n')
            out.back() += '\n', ++at;
        else if (text[at] != '\r')
            out.back() += text[at];
    }
    return out;
}

std::string onOneLine(std::string text)
{
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3)
        text.replace(at, 1, " / ");
    return text;
}

int write(const CaptionEditOptions& options)
{
    return editProject(
        options.file, options.output,
        [&](const Document& document) -> Result<Document> {
            if (options.reset)
                return project::withCaptions(document, options.number, {});
            LQ_TRY(const std::string text, textOrInput(options.text));
            return project::withCaptions(document, options.number, captionsIn(text));
        },
        [&](const Document& document) {
            const auto place = project::findLine(document, options.number);
            const project::Scene& scene = document.scenes[place->scene];
            const std::string line = "Line " + std::to_string(options.number);
            std::string text = line + " has the captions of its text again.";
            if (const auto& captions = scene.lines[place->line].captions) {
                text = line + " has " + std::to_string(captions->list.size()) + (captions->list.size() == 1 ? " caption:" : " captions:");
                for (const project::CaptionText& caption : captions->list)
                    text += "\n  " + onOneLine(caption.text);
            }
            return Description{Json{{"lines", project::lineCount(document)},
                                    {"changed", Json::array({lineToJson(scene, place->line, options.number)})}},
                               text};
        });
}

int show(const CaptionEditOptions& options, Interrupts& interrupts)
{
    const auto loaded = project::loadProject(options.file);
    if (!loaded)
        return options.output.complain(loaded.error());
    const auto place = project::findLine(loaded->document, options.number);
    if (!place)
        return options.output.complain(place.error());
    const auto state = projectState(loaded->document, interrupts, options.number);
    if (!state)
        return options.output.complain(state.error());
    const project::Line& line = loaded->document.scenes[place->scene].lines[place->line];
    const bool timed = !state->captions.empty();
    Json list = Json::array();
    std::string text = "Line " + std::to_string(options.number) + ": " + (line.captions ? "written captions" : "captions of its text");
    const auto add = [&](const session::CaptionInfo& caption) {
        char times[64] = "";
        if (timed)
            std::snprintf(times, sizeof times, "%7.2f %7.2f  ", caption.start, caption.end);
        list.push_back({{"start", timed ? Json(caption.start) : Json(nullptr)}, {"end", timed ? Json(caption.end) : Json(nullptr)}, {"text", caption.text}});
        text += "\n  " + std::string(times) + onOneLine(caption.text);
    };
    for (const session::CaptionInfo& caption : state->captions)
        add(caption);
    if (!timed && line.captions) {
        for (const project::CaptionText& caption : line.captions->list)
            add({0, 0, caption.text});
    }
    if (!timed)
        text += "\n  (no times yet: the line is not rendered)";
    const bool fits = project::captionsFit(line);
    if (!fits)
        text += "\n  note: the captions written for this line no longer fit its text; those of its text are shown";
    options.output.print(Json{{"line", options.number}, {"written", line.captions.has_value()}, {"fits", fits}, {"captions", list}}, text);
    return kSuccess;
}

} // namespace

void addProjectCaption(CommandLine group)
{
    auto options = std::make_shared<CaptionEditOptions>();
    CLI::App* app = group.app.add_subcommand("caption", "Show the captions of a line, or write them");
    app->add_option("FILE", options->file, "The project (.loquor)")->required();
    app->add_option("N", options->number, "Number of the line, from 1")->required()->check(numberOf("a line", kAnyNumber));
    auto* text = app->add_option("TEXT", options->text,
                                 "The captions, | between them, \\n where a line ends; - reads standard input");
    app->add_flag("--reset", options->reset, "The captions of the text again")->excludes(text);
    app->add_flag("--json", options->output.json, "Machine-readable");
    app->callback([group, options, text] {
        group.action = [group, options, writes = text->count() > 0 || options->reset] {
            return writes ? write(*options) : show(*options, group.interrupts);
        };
    });
}

} // namespace loquor::cli
