// align: recording + text -> times; without text, what a pack recognizes, or where the lines are.
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "app/cli/import_options.h"
#include "app/cli/line_warnings.h"
#include "app/cli/outputs.h"
#include "app/cli/progress.h"
#include "app/cli/transcribing.h"
#include "core/base/cancel.h"
#include "core/platform/paths.h"
#include "core/session/file_names.h"
#include "core/speech/align.h"
#include "core/speech/denoise.h"
#include "core/speech/script.h"
#include "core/speech/timing_json.h"

namespace loquor::cli {

namespace {

struct Options
{
    std::string audio, text, script, language, output;
    bool overwrite = false, json = false;
    std::shared_ptr<media::SoundImport> import;
};

// As JSON on stdout, into the file, or both.
Result<void> give(const speech::TimingDocument& timing, const Options& options)
{
    if (options.json)
        std::printf("%s", speech::writeTimingJson(timing).c_str());
    return options.output.empty() ? Result<void>() : speech::writeTimingFile(options.output, timing);
}

// Where somebody speaks is all that is known without text and pack: the times of lines, on stdout.
Result<void> writeLines(const HeardRecording& heard, const Options& options)
{
    for (const speech::TranscriptLine& line : heard.transcript.lines)
        std::fprintf(options.json ? stderr : stdout, "%8.2f %8.2f\n", line.start, line.end);
    speech::TimingDocument document;
    document.timing.language = heard.transcript.language;
    document.timing.source = speech::TimingSource::Audio;
    document.timing.durationSeconds = heard.sound.seconds();
    return give(document, options);
}

Result<void> align(const Options& options, const CancelToken& cancel)
{
    if (!options.output.empty())
        LQ_CHECKED(checkOutputs({{OutputKind::Timing, options.output, ifExists(options.overwrite)}}, {options.audio, options.script}));
    LQ_CHECKED(session::refuseText(options.audio, "a recording"));
    std::string text;
    AudioBlock audio;
    std::string language = options.language;
    if (!options.text.empty() || !options.script.empty()) {
        LQ_TRY(speech::ImportedScript given, options.script.empty() ? speech::importScript(options.text) : speech::importScriptFile(options.script));
        warnAbout(given.issues);
        text = std::move(given.text);
        if (language.empty())
            language = given.language;
    }
    if (text.empty() && options.script.empty()) {
        LQ_TRY(HeardRecording heard, transcribeFile({options.audio, options.language, {}, true, *options.import}, cancel));
        if (heard.transcript.pack.empty())
            return writeLines(heard, options);
        std::fprintf(stderr, "The words were recognized by the pack '%s'.\n", heard.transcript.pack.c_str());
        text = heard.transcript.text();
        language = heard.transcript.language;
        audio = std::move(heard.sound);
    } else {
        LQ_TRY(audio, readImported(options.audio, *options.import, 16000, cancel, copyProgress(Progress::styleFor(false))));
    }
    speech::Aligner aligner(platform::dataFolder() / "deps" / "pocketsphinx" / "model",
                            std::make_shared<speech::PhonemeClient>(),
                            speech::denoiserModelFile(platform::dataFolder()));
    speech::AlignOptions how;
    how.language = language;
    LQ_TRY(speech::Pronunciations user, speech::readPronunciations(speech::userPronunciationsFile(platform::configFolder())));
    how.pronunciations = std::make_shared<const speech::Pronunciations>(std::move(user));
    if (const auto script = speech::parseScript(text, language))
        warnAbout(script->issues);
    LQ_TRY(speech::Alignment alignment, aligner.align(audio, text, how, cancel));
    for (const std::string& warning : alignment.warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
    return give({std::move(alignment.timing), text}, options);
}

} // namespace

void addAlign(CommandLine line)
{
    auto options = std::make_shared<Options>();
    CLI::App* app = line.app.add_subcommand("align", "Find when each word of a text is said in a recording");
    app->add_option("AUDIO,-a,--audio", options->audio, "The recording")->required();
    auto* text = app->add_option("-t,--text", options->text, "What is said in it");
    app->add_option("--script", options->script, "Text file with what is said in it; without text and script it is recognized")->excludes(text);
    app->add_option("--language", options->language, "Language of the text");
    options->import = addImportOptions(*app);
    app->add_flag("--overwrite", options->overwrite, "Replace the output file if it exists");
    app->add_option("-o,--output", options->output, "The times (JSON)");
    app->add_flag("--json", options->json, "Print the times (JSON)");
    const auto hasSomeText = [text, options] {
        if (text->count() > 0 && options->text.empty())
            throw CLI::ValidationError("--text", "the text is empty");
        if (options->output.empty() && !options->json)
            throw CLI::RequiredError("--output, or --json");
    };
    runCancellable(*app, line, hasSomeText, [options](const CancelToken& cancel) { return align(*options, cancel); });
}

} // namespace loquor::cli
