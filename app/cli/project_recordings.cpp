// project add-recording, relink: lines that are parts of a recording.
#include <algorithm>
#include <cstdio>

#include "app/cli/import_options.h"
#include "app/cli/job_follower.h"
#include "app/cli/line_warnings.h"
#include "app/cli/option_values.h"
#include "app/cli/progress.h"
#include "app/cli/project_commands.h"
#include "app/cli/transcribing.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"
#include "core/project/line_edits.h"
#include "core/project/recording_edits.h"
#include "core/session/file_names.h"
#include "core/speech/script.h"

namespace loquor::cli {

namespace fs = std::filesystem;

namespace {

using project::Document;

struct RecordingOptions
{
    std::string file, audio, text, script, language, prompt, pause;
    int number = 0;
    bool quiet = false;
    std::shared_ptr<media::SoundImport> import;
    bool withoutWords = false; // an empty text was given: the lips follow the sound
    ProjectOutput output;
};

Result<session::RecordedLines> cut(const session::RecordingRequest& request, bool quiet, Interrupts& interrupts)
{
    Progress progress(Progress::styleFor(quiet));
    LQ_TRY(const std::unique_ptr<session::Session> session, openSession());
    const session::CommandId command = session->cutRecording(request);
    Result<session::RecordedLines> out = fail(ErrorCode::Cancelled, "Interrupted.");
    SessionLoop loop(*session, interrupts);
    loop.run({
        [&](session::Event& event) {
            if (event.command != command)
                return true;
            if (event.lines)
                out = std::move(*event.lines);
            else if (event.error)
                out = fail(std::move(*event.error));
            return false;
        },
        [&] {
            const session::Snapshot now = session->snapshot();
            if (now.copying >= 0 || (now.job == command && !now.activity.empty()))
                progress.show(now);
        },
        [&] {
            session->cancel(command);
            return true; // the answer follows
        },
    });
    progress.finish();
    return out;
}

Result<std::string> textOf(const RecordingOptions& options)
{
    if (options.script.empty())
        return textOrInput(options.text);
    LQ_TRY(speech::ImportedScript script, speech::importScriptFile(options.script));
    warnAbout(script.issues);
    return std::move(script.text);
}

// A project that speaks one recording as a whole becomes one of lines; its transcript is used when nothing else
// is said.
Document withLinesAllowed(const Document& document, const std::string& audio, std::string& text)
{
    Document out = document;
    const auto isText = [](const project::Scene& scene) { return scene.speech.mode == project::SpeechMode::Text; };
    if (std::any_of(out.scenes.begin(), out.scenes.end(), isText) || out.scenes.empty())
        return out;
    project::Speech& speech = out.scenes.back().speech;
    if (text.empty() && platform::isSameFile(speech.audioFile, audio))
        text = speech.transcript;
    speech.mode = project::SpeechMode::Text;
    speech.audioFile.clear();
    speech.transcript.clear();
    speech.import = {};
    out.scenes.back().lines.clear();
    return out;
}

// What a pack recognizes, when one is installed: nothing where it hears no words.
Result<std::string> heardText(const RecordingOptions& options, const std::string& language, Interrupts& interrupts)
{
    CancelSource cancel;
    interrupts.setHandler([&cancel] { cancel.cancel(); });
    auto heard = transcribeFile({options.audio, language, {}, options.quiet || options.output.json, *options.import}, cancel.token());
    interrupts.setHandler({});
    if (!heard && heard.error().code() == ErrorCode::EmptyInput)
        return std::string();
    if (!heard)
        return fail(std::move(heard).error());
    if (!options.quiet)
        std::fprintf(stderr, "The words were recognized by the pack '%s'; correct them with set-line.\n", heard->transcript.pack.c_str());
    std::string text = heard->transcript.text();
    std::replace(text.begin(), text.end(), '\n', ' '); // where its lines end is for the pauses to say
    return text;
}

Result<Document> withRecording(const RecordingOptions& options, const Document& before, Interrupts& interrupts,
                               int& first, int& count)
{
    LQ_TRY(std::string text, textOf(options));
    const Document document = withLinesAllowed(before, options.audio, text);
    first = options.number > 0 ? options.number : project::lineCount(document) + 1;
    LQ_CHECKED(session::refuseText(options.audio, "a recording"));
    LQ_CHECKED(project::withLinesInserted(document, first, {})); // says what is wrong before the work
    std::optional<double> pause;
    if (!options.pause.empty()) {
        LQ_TRY(pause, pauseFrom(options.pause));
    }
    const std::string language = options.language.empty() ? document.scenes.back().speech.language : options.language;
    if (text.empty() && !options.withoutWords && speech::packFor(language, platform::dataFolder())) {
        LQ_TRY(text, heardText(options, language, interrupts));
    }
    LQ_TRY(session::RecordedLines lines, cut({options.audio, text, language, document.output.fps, document.pronunciations, *options.import}, options.quiet, interrupts));
    options.output.warn(lines.warnings);
    options.output.warn(promptWarnings(options.prompt));
    for (project::Line& line : lines.lines)
        line.prompt = options.prompt;
    lines.lines.back().pauseAfter = pause;
    count = static_cast<int>(lines.lines.size());
    return project::withLinesInserted(document, first, std::move(lines.lines));
}

int addRecording(const RecordingOptions& options, Interrupts& interrupts)
{
    int first = 0, count = 0;
    return editProject(
        options.file, options.output,
        [&](const Document& document) { return withRecording(options, document, interrupts, first, count); },
        [&](const Document& document) {
            Json changed = Json::array();
            std::string text;
            char place[80];
            for (int number = first; number < first + count; ++number) {
                const auto where = project::findLine(document, number);
                const project::Scene& scene = document.scenes[where->scene];
                changed.push_back(lineToJson(scene, where->line, number));
                const Json& part = changed.back().at("recording");
                std::snprintf(place, sizeof place, "Added line %d: %.2f to %.2f s", number, part.at("from").get<double>(),
                              part.at("to").get<double>());
                const std::string words = scene.lines[where->line].text;
                text += (text.empty() ? "" : "\n") + std::string(place) + (words.empty() ? "" : "  ") + shortText(words);
            }
            return Description{Json{{"lines", project::lineCount(document)}, {"changed", changed}}, text};
        });
}

int relink(const RecordingOptions& options)
{
    int count = 0;
    const std::string name = platform::quotedPath(options.audio);
    return editProject(
        options.file, options.output,
        [&](const Document& document) -> Result<Document> {
            LQ_TRY(const std::string hash, platform::sha256File(options.audio));
            Document out = document;
            std::error_code ignored;
            count = project::relinkRecording(out, hash, fs::absolute(options.audio, ignored).lexically_normal());
            if (count == 0)
                return fail(ErrorCode::InvalidArgument,
                            name + " is none of the recordings this project was made of: its content is another. "
                                   "To use it, add it (project add-recording) and remove the lines of the old one.");
            return out;
        },
        [&](const Document& document) {
            return Description{Json{{"lines", project::lineCount(document)}, {"relinked", count}},
                               std::to_string(count) + (count == 1 ? " line is" : " lines are") + " linked to " + name + " now."};
        });
}

struct TakingOptions
{
    std::string file, from, to, loudness, denoise;
    int number = 0, stream = -1;
    ProjectOutput output;
};

// What is not said stays.
media::SoundImport changedImport(const TakingOptions& options, media::SoundImport import)
{
    if (options.stream >= 0)
        import.stream = options.stream;
    if (!options.from.empty())
        import.from = timeOf(options.from);
    if (!options.to.empty())
        import.to = options.to == "end" ? std::chrono::microseconds(0) : timeOf(options.to);
    if (!options.loudness.empty())
        import.loudness = options.loudness == "on";
    if (!options.denoise.empty())
        import.denoise = options.denoise == "on";
    return import;
}

// How long the sound is that an import gives, in samples of the project; processing changes no length.
Result<SampleIndex> lengthOf(const fs::path& file, media::SoundImport import, const CancelToken& cancel)
{
    LQ_TRY(media::AudioReader reader, media::AudioReader::open(file, import.reading(project::kRecordingRate, 1), cancel));
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, reader.read(project::kRecordingRate));
        if (block.samples.empty())
            return reader.position();
    }
}

int setRecording(const TakingOptions& options, Interrupts& interrupts)
{
    project::TakenIn taken;
    const auto edit = [&](const Document& document) -> Result<Document> {
        LQ_TRY(const project::LinePlace place, project::findLine(document, options.number));
        media::SoundImport import;
        SampleIndex samples = 0;
        if (const auto& part = document.scenes[place.scene].lines[place.line].recording) {
            import = changedImport(options, part->import);
            CancelSource cancel;
            interrupts.setHandler([&cancel] { cancel.cancel(); });
            const auto length = lengthOf(part->file, import, cancel.token());
            interrupts.setHandler({});
            if (!length)
                return fail(length.error());
            samples = *length;
        }
        LQ_TRY(taken, project::withImport(document, options.number, import, samples));
        return taken.document;
    };
    return editProject(options.file, options.output, edit, [&](const Document& document) {
        Json changed = Json::array();
        for (const int number : taken.lines) {
            const auto where = project::findLine(document, number);
            changed.push_back(lineToJson(document.scenes[where->scene], where->line, number));
        }
        std::string text = std::to_string(taken.lines.size()) + (taken.lines.size() == 1 ? " line is" : " lines are") +
                           " made of the recording in this way now.";
        for (const int number : taken.shortened)
            text += "\nLine " + std::to_string(number) + " is shorter: check its text (set-line).";
        return Description{Json{{"lines", project::lineCount(document)}, {"changed", changed}, {"shortened", taken.shortened}}, text};
    });
}

void addSetRecording(CommandLine group)
{
    auto taking = std::make_shared<TakingOptions>();
    CLI::App* app = group.app.add_subcommand("set-recording", "Take a recording in another way; its lines keep their places in it");
    app->add_option("FILE", taking->file, "The project (.loquor)")->required();
    app->add_option("N", taking->number, "Number of one of its lines (1 = first)")->required()->check(numberOf("a line"));
    const CLI::Validator endOrEnd([](std::string& text) { return text == "end" ? std::string() : someEnd()(text); }, "");
    CLI::Option* const changes[] = {
        app->add_option("--stream", taking->stream, "Which sound stream, from 1")->check(numberOf("a sound stream")),
        app->add_option("--in", taking->from, "Use it from here on: seconds or h:mm:ss.ms; 0 = from the start")->check(someTime()),
        app->add_option("--out", taking->to, "Use it up to here, or to its end: end")->check(endOrEnd),
        app->add_option("--loudness", taking->loudness, "Bring it to -16 LUFS: on or off")->check(oneOf({"on", "off"})),
        app->add_option("--denoise", taking->denoise, "Take steady noise out of it: on or off")->check(oneOf({"on", "off"}))};
    app->add_flag("--json", taking->output.json, "Machine-readable");
    const std::vector<CLI::Option*> all(std::begin(changes), std::end(changes));
    app->callback([group, taking, all] {
        if (std::none_of(all.begin(), all.end(), [](const CLI::Option* option) { return option->count() > 0; }))
            throw CLI::RequiredError("One of --stream, --in, --out, --loudness, --denoise");
        group.action = [group, taking] { return setRecording(*taking, group.interrupts); };
    });
}

} // namespace

void addProjectRecordings(CommandLine group)
{
    auto adding = std::make_shared<RecordingOptions>();
    CLI::App* app = group.app.add_subcommand("add-recording", "Add a recording; cut at its pauses it becomes lines");
    app->add_option("FILE", adding->file, "The project (.loquor)")->required();
    app->add_option("AUDIO", adding->audio, "The recording: sound, or a video with sound")->required();
    auto* text = app->add_option("-t,--text", adding->text, "What is said in it; - reads standard input; \"\" = nothing that is known");
    app->add_option("--script", adding->script, "Text file with what is said in it")->excludes(text);
    adding->import = addImportOptions(*app);
    app->add_option("--language", adding->language, "Language of the text; default: the project's");
    app->add_option("--at", adding->number, "Number the first new line gets (1 = first); default: at the end")
        ->check(numberOf("a line"));
    app->add_option("--prompt", adding->prompt, "How the person moves in these lines; \"\" = as in the project");
    app->add_option("--pause", adding->pause, "Seconds of silence behind the recording");
    app->add_flag("-q,--quiet", adding->quiet, "No progress");
    app->add_flag("--json", adding->output.json, "Machine-readable");
    app->callback([group, adding, text] {
        adding->withoutWords = text->count() > 0 && adding->text.empty();
        group.action = [group, adding] { return addRecording(*adding, group.interrupts); };
    });

    addSetRecording(group);

    auto linking = std::make_shared<RecordingOptions>();
    app = group.app.add_subcommand("relink", "Tell the project where a recording is now; its content must be the same");
    app->add_option("FILE", linking->file, "The project (.loquor)")->required();
    app->add_option("AUDIO", linking->audio, "The recording where it is now")->required();
    app->add_flag("--json", linking->output.json, "Machine-readable");
    app->callback([group, linking] { group.action = [linking] { return relink(*linking); }; });
}

} // namespace loquor::cli
