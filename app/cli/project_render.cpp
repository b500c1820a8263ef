// project render, export, takes: what needs the engine or its store.
#include <algorithm>
#include <cstdio>
#include <map>

#include "app/cli/caption_options.h"
#include "app/cli/exit_codes.h"
#include "app/cli/job_follower.h"
#include "app/cli/label_options.h"
#include "app/cli/option_values.h"
#include "app/cli/outputs.h"
#include "app/cli/picture_options.h"
#include "app/cli/project_commands.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/project/ids.h"
#include "core/project/line_edits.h"
#include "core/session/output_file.h"
#include "core/session/report_json.h"
#include "core/session/session.h"

namespace loquor::cli {

namespace {

// Waits for the answer to a question about the project, or for the failure of the change before it.
Result<session::ProjectState> ask(session::Session& session, session::CommandId command, Interrupts& interrupts,
                                  session::CommandId change = 0)
{
    Result<session::ProjectState> out = fail(ErrorCode::Cancelled, "Interrupted.");
    SessionLoop loop(session, interrupts);
    loop.run({
        [&](session::Event& event) {
            if (event.command != command && (change == 0 || event.command != change))
                return true;
            if (event.project)
                out = std::move(*event.project);
            else if (event.error)
                out = fail(std::move(*event.error));
            return false;
        },
        [] {},
        [] { return false; },
    });
    return out;
}

struct RenderOptions
{
    std::vector<std::string> files;
    std::string report, trace;
    bool everything = false, quiet = false, queue = false;
    ProjectOutput output;
};

// "line 2, the join in front of line 4": what was given up.
std::string missingText(const session::RenderReport& report)
{
    std::string out;
    for (const auto& line : report.failedLines)
        out += (out.empty() ? "line " : ", line ") + std::to_string(line.line);
    for (const auto& join : report.failedJoins)
        out += (out.empty() ? "the join in front of line " : ", the join in front of line ") + std::to_string(join.line);
    return out;
}

int finishRender(const RenderOptions& options, const session::RenderReport& report, const std::string& name)
{
    if (!options.report.empty()) {
        if (auto written = platform::writeFile(options.report, session::toJson(report)); !written)
            return options.output.complain(written.error());
    }
    int made = 0;
    for (const session::ChunkReport& chunk : report.chunks)
        made += chunk.cached ? 0 : 1;
    char text[200];
    std::snprintf(text, sizeof text, "%lld frames, %.2f s; %d of %zu chunks made in %.1f s",
                  static_cast<long long>(report.frames), report.durationSeconds, made, report.chunks.size(),
                  report.totalSeconds);
    options.output.print(Json::parse(session::toJson(report)), name + text);
    const std::string missing = missingText(report); // the reasons were told as they came
    if (missing.empty())
        return kSuccess;
    std::fprintf(stderr, "loquor-cli: %snot rendered: %s. The next render tries again.\n", name.c_str(), missing.c_str());
    return kIncomplete;
}

// All files the project is made of, itself among them.
std::vector<std::string> inputsOf(const std::string& file, const project::Document& document)
{
    std::vector<std::string> out{file};
    for (const project::Scene& scene : document.scenes) {
        out.push_back(scene.reference.file.string());
        out.push_back(scene.speech.audioFile.string());
        if (!scene.background.empty() && scene.background[0] != '#')
            out.push_back(scene.background);
        for (const project::Line& line : scene.lines) {
            if (line.recording)
                out.push_back(line.recording->file.string());
        }
    }
    return out;
}

// A second lock on a project would be refused, and blamed on this very process.
Result<void> refuseTwice(const std::vector<std::string>& files)
{
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            std::error_code missing; // is told when it is opened
            if (std::filesystem::equivalent(files[i], files[j], missing))
                return fail(ErrorCode::InvalidArgument, "The project " + platform::quotedPath(files[j]) + " is named twice" +
                                                            (files[i] == files[j] ? "" : ", as " + platform::quotedPath(files[i]) + " too") +
                                                            ": name it once.");
        }
    }
    return {};
}

struct Renders
{
    std::map<session::CommandId, std::string> names;
    int code = kSuccess; // of what cannot be made at all
};

// What is to be made, in order: what a program before this one left behind, then the projects named.
Renders startRenders(session::Session& session, const RenderOptions& options, const std::vector<OpenProject>& projects)
{
    Renders out;
    if (options.queue) {
        for (const session::Session::Resumed& left : session.resumeQueue()) {
            if (left.job == 0)
                out.code = options.output.complain(
                    Error(ErrorCode::NotFound, "There is no file " + platform::quotedPath(left.file) +
                                                   " any more, which was left to be made: it is left out."));
            else
                out.names[left.job] = platform::quotedPath(left.file) + ": ";
        }
    }
    for (const OpenProject& project : projects) {
        session::ProjectRequest request;
        request.document = project.loaded.document;
        request.everything = options.everything;
        request.trace = options.trace;
        std::error_code error;
        request.file = std::filesystem::absolute(project.file, error);
        out.names[session.renderProject(std::move(request))] = platform::quotedPath(project.file) + ": ";
    }
    return out;
}

int render(const RenderOptions& options, Interrupts& interrupts)
{
    const bool isOne = options.files.size() == 1 && !options.queue;
    if (options.files.empty() && !options.queue)
        return options.output.complain(Error(ErrorCode::InvalidArgument, "Name a project, or use --queue."));
    if (!isOne && (!options.report.empty() || !options.trace.empty() || options.output.json))
        return options.output.complain(
            Error(ErrorCode::InvalidArgument, "--report, --trace and --json are for one project."));
    if (const auto fine = refuseTwice(options.files); !fine)
        return options.output.complain(fine.error());
    std::vector<OpenProject> projects; // locked as long as they are made
    for (const std::string& file : options.files) {
        OpenOutcome opened = openForEditing(file, options.output);
        if (!opened.project)
            return opened.exitCode;
        if (const auto fine = checkOutputs({{OutputKind::Report, options.report, platform::IfExists::Replace},
                                            {OutputKind::Trace, options.trace, platform::IfExists::Replace}},
                                           inputsOf(file, opened.project->loaded.document));
            !fine)
            return options.output.complain(fine.error());
        projects.push_back(std::move(*opened.project));
    }
    auto session = openSession(true);
    if (!session)
        return options.output.complain(session.error());
    const auto [names, gone] = startRenders(**session, options, projects);
    std::vector<session::CommandId> jobs;
    for (const auto& [job, name] : names)
        jobs.push_back(job);
    if (jobs.empty()) {
        if (gone != kSuccess)
            return gone;
        std::printf("No program has left anything to be made.\n");
        return kSuccess;
    }
    int code = kSuccess;
    bool isInterrupted = false;
    followJobs(**session, std::move(jobs), options.quiet, interrupts,
               [&, &nameOf = names](session::CommandId job, const JobEnding& ending) {
                   const std::string name = isOne ? std::string() : nameOf.at(job);
                   isInterrupted = isInterrupted || (!ending.error && !ending.report);
                   if (!isOne && ending.error)
                       std::fprintf(stderr, "loquor-cli: %snot rendered:\n", name.c_str());
                   const int one = ending.error    ? options.output.complain(*ending.error)
                                   : ending.report ? finishRender(options, *ending.report, name)
                                                   : kSuccess;
                   code = code == kSuccess ? one : code;
               });
    if (!isInterrupted)
        return code == kSuccess ? gone : code;
    std::string command = "loquor-cli project render";
    for (const std::string& file : options.files)
        command += ' ' + platform::quotedPath(file);
    std::fprintf(stderr,
                 "loquor-cli: interrupted; finished chunks are kept and the project is unchanged. "
                 "The same command goes on from there: %s\n",
                 command.c_str());
    return kInterrupted;
}

struct ExportOptions
{
    std::string file, output, size, report, trace;
    std::shared_ptr<media::PictureLabel> label;
    std::shared_ptr<CaptionOptions> captions;
    int quality = 0;
    bool overwrite = false, quiet = false;
    ProjectOutput print;
};

Result<session::ExportRequest> exportRequest(const ExportOptions& options, const project::Document& document)
{
    session::ExportRequest out;
    out.document = document;
    out.output = options.output;
    out.overwrite = options.overwrite;
    out.quality = options.quality;
    out.label = *options.label;
    out.trace = options.trace;
    LQ_CHECKED(checkCaptions(*options.captions));
    out.captions = options.captions->kind;
    out.captionStyle = options.captions->style;
    out.captionFile = options.captions->file;
    if (!options.size.empty()) {
        LQ_TRY(const PictureSize size, chosenSize(options.size, {}));
        out.width = size.width;
        out.height = size.height;
    }
    return out;
}

// Names, places and label, before anything is looked for in the store.
Result<void> checkExportFirst(const ExportOptions& options, const session::ExportRequest& request)
{
    LQ_CHECKED(checkOutputs({{OutputKind::Video, options.output, ifExists(options.overwrite)},
                             {OutputKind::Report, options.report, platform::IfExists::Replace},
                             {OutputKind::Trace, options.trace, platform::IfExists::Replace}},
                            inputsOf(options.file, request.document)));
    return session::checkExport(request);
}

// Whether lines or joins are not rendered: then that is why nothing can be put together.
bool isUnfinished(session::Session& session, const project::Document& document, Interrupts& interrupts)
{
    const auto state = ask(session, session.inspectProject(document), interrupts);
    return state && std::any_of(state->lines.begin(), state->lines.end(), [](const session::LineState& line) {
               return line.kind != session::LineState::Kind::Fresh || !line.joined;
           });
}

int exportVideo(const ExportOptions& options, Interrupts& interrupts)
{
    const auto loaded = project::loadProject(options.file);
    if (!loaded)
        return options.print.complain(loaded.error());
    auto request = exportRequest(options, loaded->document);
    if (!request)
        return options.print.complain(request.error());
    if (const auto fine = checkExportFirst(options, *request); !fine)
        return options.print.complain(fine.error());
    auto session = openSession();
    if (!session)
        return options.print.complain(session.error());
    const JobEnding ending =
        followJob(**session, (*session)->exportProject(std::move(*request)), options.quiet, interrupts);
    if (ending.error) {
        // The options were fine: what is left of this kind is that not everything is rendered.
        const bool incomplete = ending.error->code() == ErrorCode::InvalidArgument &&
                                isUnfinished(**session, loaded->document, interrupts);
        return options.print.complain(*ending.error, incomplete ? kIncomplete : exitCodeFor(*ending.error));
    }
    if (!ending.report) {
        std::fprintf(stderr, "loquor-cli: interrupted; nothing was written.\n");
        return kInterrupted;
    }
    const session::RenderReport& report = *ending.report;
    options.print.warn(report.warnings);
    if (!options.report.empty()) {
        if (auto written = platform::writeFile(options.report, session::toJson(report)); !written)
            return options.print.complain(written.error());
    }
    char text[160];
    std::snprintf(text, sizeof text, ": %lld frames, %.2f s, %s in %.1f s", static_cast<long long>(report.frames),
                  report.durationSeconds, report.streamCopied ? "copied" : "encoded", report.totalSeconds);
    options.print.print(Json::parse(session::toJson(report)), platform::quotedPath(report.output) + text);
    return kSuccess;
}

struct TakeOptions
{
    std::string file;
    int line = 0, take = 0;
    enum class Action { List = 1,
                        Choose,
                        Pin,
                        Unpin,
                        Remove } action = Action::List;
    ProjectOutput output;
};

Json takesJson(const session::ProjectState& state, int onlyLine)
{
    Json out = Json::array();
    for (const session::LineState& line : state.lines) {
        if (onlyLine > 0 && line.number != onlyLine)
            continue;
        for (const session::TakeInfo& take : state.takes) {
            if (take.line == line.id)
                out.push_back({{"line", line.number},
                               {"take", take.number},
                               {"id", project::idText(take.id)},
                               {"frames", take.frames},
                               {"shown", take.id == line.take},
                               {"complete", take.complete},
                               {"available", take.available},
                               {"current", take.matches},
                               {"fits", take.fits},
                               {"pinned", take.pinned},
                               {"created", take.createdAt}});
        }
    }
    return out;
}

std::string takesText(const Json& takes, int onlyLine)
{
    std::string out;
    for (const Json& take : takes) {
        out += (out.empty() ? "line " : "\nline ") + std::to_string(take.at("line").get<int>()) + "  take " +
               std::to_string(take.at("take").get<int>()) + "  " + std::to_string(take.at("frames").get<int>()) +
               " frames  " + take.at("created").get<std::string>();
        for (const char* mark : {"shown", "pinned"})
            out += take.at(mark).get<bool>() ? std::string("  ") + mark : "";
        out += take.at("complete").get<bool>() ? "" : "  incomplete";
        out += take.at("available").get<bool>() ? "" : "  evicted";
        out += take.at("fits").get<bool>() ? "" : "  does not fit any more";
    }
    if (!out.empty())
        return out;
    return (onlyLine > 0 ? "Line " + std::to_string(onlyLine) + " has no take yet" : std::string("There are no takes yet")) +
           ": render the project first.";
}

Error noSuchLine(int line)
{
    return Error(ErrorCode::InvalidArgument, "There is no line " + std::to_string(line) + " in this project.");
}

// The take with this number of this line.
Result<session::TakeInfo> takeOf(const session::ProjectState& state, int line, int number)
{
    for (const session::LineState& candidate : state.lines) {
        if (candidate.number != line)
            continue;
        for (const session::TakeInfo& take : state.takes) {
            if (take.line == candidate.id && take.number == number)
                return take;
        }
        return fail(ErrorCode::InvalidArgument, "Line " + std::to_string(line) + " has no take " + std::to_string(number) +
                                                    ". See: loquor-cli project takes FILE");
    }
    return fail(noSuchLine(line));
}

// 0 = the newest one that fits.
project::Document withTake(project::Document document, int lineNumber, std::uint64_t take)
{
    int number = 0;
    for (project::Scene& scene : document.scenes) {
        for (project::Line& line : scene.lines) {
            if (++number == lineNumber)
                line.chosenTake = take;
        }
    }
    return document;
}

std::string nameOf(int line, int take)
{
    return "take " + std::to_string(take) + " of line " + std::to_string(line);
}

// Why a take would not be shown if it was chosen.
Result<void> checkShowable(const TakeOptions& options, const session::TakeInfo& take)
{
    std::string why;
    if (!take.fits)
        why = "does not fit any more: the line or the picture was changed since it was made";
    else if (!take.complete)
        why = "is incomplete: it was given up before its end";
    else if (!take.available)
        why = "was evicted from the store: its pictures are not there any more";
    if (why.empty())
        return {};
    return fail(ErrorCode::InvalidArgument, "T" + nameOf(options.line, take.number).substr(1) + ' ' + why +
                                                ". See: loquor-cli project takes " + platform::quotedPath(options.file) +
                                                ' ' + std::to_string(options.line));
}

// Looked at when nobody else can change the project any more: what fitted a moment ago need not fit now.
int chooseTake(const TakeOptions& options, session::Session& session, Interrupts& interrupts)
{
    std::uint64_t take = 0;
    return editProject(
        options.file, options.output,
        [&](const project::Document& document) -> Result<project::Document> {
            LQ_TRY(const session::ProjectState now, ask(session, session.inspectProject(document), interrupts));
            LQ_TRY(const session::TakeInfo chosen, takeOf(now, options.line, options.take));
            LQ_CHECKED(checkShowable(options, chosen));
            take = chosen.id;
            return withTake(document, options.line, take);
        },
        [&](const project::Document&) -> Description {
            return {{{"line", options.line}, {"take", project::idText(take)}},
                    "Line " + std::to_string(options.line) + " shows this take now."};
        });
}

// What the line shows once a take of it is gone.
std::string shownNow(const session::ProjectState& state, int line)
{
    const session::LineState& now = state.lines[static_cast<std::size_t>(line - 1)];
    for (const session::TakeInfo& take : state.takes) {
        if (take.id == now.take)
            return "the line shows take " + std::to_string(take.number) + " now";
    }
    return "the line is not rendered now; render makes it again";
}

// Forgets a take; a project that names it as the one to be shown goes back to the newest one.
int removeTake(const TakeOptions& options, session::Session& session, const session::TakeInfo& take,
               const session::ProjectState& before, Interrupts& interrupts)
{
    const std::string name = nameOf(options.line, take.number);
    if (take.pinned)
        return options.output.complain(
            Error(ErrorCode::InvalidArgument,
                  "Pinned, so it is kept: " + name + ". To forget it anyway, first: loquor-cli project unpin-take " +
                      platform::quotedPath(options.file) + ' ' + std::to_string(options.line) + ' ' +
                      std::to_string(take.number)));
    const OpenOutcome opened = openForEditing(options.file, options.output);
    if (!opened.project)
        return opened.exitCode;
    project::Document document = opened.project->loaded.document;
    const auto place = project::findLine(document, options.line);
    if (place && document.scenes[place->scene].lines[place->line].chosenTake == take.id) {
        document = withTake(std::move(document), options.line, 0);
        if (const auto saved = project::saveProject(document, options.file, opened.project->loaded.fingerprint); !saved)
            return options.output.complain(saved.error());
    }
    const bool wasShown = before.lines[static_cast<std::size_t>(options.line - 1)].take == take.id;
    const session::CommandId change = session.removeTake(take.id);
    const auto state = ask(session, session.inspectProject(document), interrupts, change);
    if (!state)
        return options.output.complain(state.error());
    options.output.print(Json{{"removed", project::idText(take.id)}, {"takes", takesJson(*state, options.line)}},
                         "Forgot " + name + (wasShown ? ", which was shown; " + shownNow(*state, options.line) + "." : "."));
    return kSuccess;
}

int takes(const TakeOptions& options, Interrupts& interrupts)
{
    const auto loaded = project::loadProject(options.file);
    if (!loaded)
        return options.output.complain(loaded.error());
    auto session = openSession();
    if (!session)
        return options.output.complain(session.error());
    if (options.action == TakeOptions::Action::Choose)
        return chooseTake(options, **session, interrupts);
    auto state = ask(**session, (*session)->inspectProject(loaded->document), interrupts);
    if (!state)
        return options.output.complain(state.error());
    if (options.action == TakeOptions::Action::List) {
        if (options.line < 0 || options.line > static_cast<int>(state->lines.size()))
            return options.output.complain(noSuchLine(options.line));
        const Json list = takesJson(*state, options.line);
        options.output.print(Json{{"takes", list}}, takesText(list, options.line));
        return kSuccess;
    }
    const auto take = takeOf(*state, options.line, options.take);
    if (!take)
        return options.output.complain(take.error());
    if (options.action == TakeOptions::Action::Remove)
        return removeTake(options, **session, *take, *state, interrupts);
    const session::CommandId change = (*session)->pinTake(take->id, options.action == TakeOptions::Action::Pin);
    state = ask(**session, (*session)->inspectProject(loaded->document), interrupts, change);
    if (!state)
        return options.output.complain(state.error());
    const Json list = takesJson(*state, options.line);
    options.output.print(Json{{"takes", list}}, takesText(list, options.line));
    return kSuccess;
}

} // namespace

Result<session::ProjectState> projectState(const project::Document& document, Interrupts& interrupts, int captionsOf)
{
    LQ_TRY(const std::unique_ptr<session::Session> session, openSession());
    return ask(*session, session->inspectCaptions(document, captionsOf), interrupts);
}

void addProjectRender(CommandLine group)
{
    auto options = std::make_shared<RenderOptions>();
    CLI::App* app = group.app.add_subcommand("render", "Make what is new or changed; goes on where it was");
    app->add_option("FILE", options->files, "The project (.loquor); several are made one after the other");
    app->add_flag("--queue", options->queue, "First what a program was making, or had waiting, when it ended");
    app->add_flag("--all", options->everything, "Also lines that are fresh, so that each continues the one before");
    app->add_option("--report", options->report, "Write a report (JSON)");
    app->add_option("--trace", options->trace, "Write what took how long (Chrome trace JSON)");
    app->add_flag("-q,--quiet", options->quiet, "No progress");
    app->add_flag("--json", options->output.json, "Machine-readable");
    app->callback([group, options] { group.action = [group, options] { return render(*options, group.interrupts); }; });
}

void addProjectExport(CommandLine group)
{
    auto options = std::make_shared<ExportOptions>();
    CLI::App* app = group.app.add_subcommand("export", "Put the rendered project together as a video");
    app->add_option("FILE", options->file, "The project (.loquor)")->required();
    app->add_option("-o,--output", options->output, "The video (MP4)")->required()->check(someName());
    options->captions = addCaptionOptions(*app);
    app->add_option("--size", options->size, "Another size, WxH: encodes again");
    app->add_option("--quality", options->quality, "CRF of another encoding, 1 (best) to 51")
        ->check(CLI::Range(1, 51));
    options->label = addLabelOptions(*app);
    app->add_option("--report", options->report, "Write a report (JSON)");
    app->add_option("--trace", options->trace, "Write what took how long (Chrome trace JSON)");
    app->add_flag("--overwrite", options->overwrite, "Replace the output file if it exists");
    app->add_flag("-q,--quiet", options->quiet, "No progress");
    app->add_flag("--json", options->print.json, "Machine-readable");
    app->callback(
        [group, options] { group.action = [group, options] { return exportVideo(*options, group.interrupts); }; });
}

void addProjectTakes(CommandLine group)
{
    const auto add = [group](const char* name, const char* help, TakeOptions::Action action) {
        auto options = std::make_shared<TakeOptions>();
        options->action = action;
        CLI::App* app = group.app.add_subcommand(name, help);
        app->add_option("FILE", options->file, "The project (.loquor)")->required();
        auto* line = app->add_option("LINE", options->line, "Number of the line, from 1")->check(numberOf("a line"));
        if (action != TakeOptions::Action::List) {
            line->required();
            app->add_option("TAKE", options->take, "Number of the take, from 1")
                ->required()
                ->check(numberOf("a take"));
        }
        app->add_flag("--json", options->output.json, "Machine-readable");
        app->callback(
            [group, options] { group.action = [group, options] { return takes(*options, group.interrupts); }; });
    };
    add("takes", "List the takes of the lines, or of one line", TakeOptions::Action::List);
    add("choose-take", "Show another take of a line", TakeOptions::Action::Choose);
    add("pin-take", "Never let a take be evicted from the store", TakeOptions::Action::Pin);
    add("unpin-take", "Allow a take to be evicted again", TakeOptions::Action::Unpin);
    add("remove-take", "Forget a take and its chunks", TakeOptions::Action::Remove);
}

} // namespace loquor::cli
