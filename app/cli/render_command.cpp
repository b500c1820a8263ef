// render: photo + speech -> MP4.
#include <cstdio>
#include <optional>

#include "app/cli/caption_options.h"
#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "app/cli/import_options.h"
#include "app/cli/job_follower.h"
#include "app/cli/label_options.h"
#include "app/cli/line_warnings.h"
#include "app/cli/option_values.h"
#include "app/cli/outputs.h"
#include "app/cli/picture_options.h"
#include "core/packs/pack_finder.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/session/output_file.h"
#include "core/session/report_json.h"
#include "core/session/speech_check.h"
#include "core/speech/script.h"

namespace loquor::cli {

namespace {

struct Options
{
    std::string reference, pack = "portrait", text, script, audio, voice, language, size, fps = "25", aspect,
                           framing = "fill", background, prompt, seed, report, timingOut, trace, output;
    int face = 0;
    bool overwrite = false, quiet = false;
    std::shared_ptr<media::PictureLabel> label;
    std::shared_ptr<media::SoundImport> import;
    std::shared_ptr<CaptionOptions> captions;
};

Result<session::SpeechInput> speechOf(const Options& options)
{
    session::SpeechInput out;
    out.voice = options.voice;
    out.language = options.language;
    out.audioFile = options.audio;
    out.import = *options.import;
    LQ_TRY(const speech::ImportedScript script,
           options.script.empty() ? speech::importScript(options.text) : speech::importScriptFile(options.script));
    warnAbout(script.issues);
    out.text = script.text;
    if (out.language.empty())
        out.language = script.language;
    return out;
}

Result<session::RenderRequest> requestOf(const Options& options)
{
    session::RenderRequest out;
    out.reference = options.reference;
    LQ_TRY(const PictureSize size, chosenSize(options.size, options.aspect));
    out.settings.width = size.width;
    out.settings.height = size.height;
    // A folder is found wherever the engine process runs.
    out.settings.pack = options.pack.find('/') == std::string::npos ? options.pack : std::filesystem::absolute(options.pack).string();
    LQ_TRY(const packs::PackManifest pack, packs::findPack(out.settings.pack, packs::packFolders(platform::dataFolder())));
    if (options.size.empty() && options.aspect.empty()) {
        out.settings.width = pack.defaultWidth;
        out.settings.height = pack.defaultHeight;
    }
    LQ_TRY(out.settings.fps, chosenRate(options.fps));
    if (!options.seed.empty()) {
        LQ_TRY(out.settings.seed, chosenSeed(options.seed));
    }
    LQ_TRY(out.settings.background, chosenBackground(options.background));
    out.settings.framing = options.framing == "fit" ? session::Framing::Fit : session::Framing::Fill;
    out.settings.prompt = options.prompt;
    out.settings.faceIndex = options.face;
    LQ_CHECKED(packs::checkSettings(pack, out.settings));
    LQ_TRY(out.speech, speechOf(options));
    out.output = options.output;
    out.timingOut = options.timingOut;
    out.overwrite = options.overwrite;
    out.label = *options.label;
    out.captions = options.captions->kind;
    out.captionStyle = options.captions->style;
    out.captionFile = options.captions->file;
    out.trace = options.trace;
    return out;
}

// Everything that can be said before the engine is started.
Result<void> checkFirst(const Options& options, const session::RenderRequest& request, const CancelToken& cancel)
{
    const bool isPicture = !options.background.empty() && options.background[0] != '#';
    LQ_CHECKED(checkCaptions(*options.captions));
    if (options.captions->kind != session::Captions::None && options.text.empty() && options.script.empty())
        return fail(ErrorCode::InvalidArgument, "Captions need the words: say with --text or --script what the recording says.");
    const platform::IfExists rule = ifExists(options.overwrite);
    const bool hasFile = session::hasCaptionFile(options.captions->kind);
    LQ_CHECKED(checkOutputs({{OutputKind::Video, options.output, rule},
                             {OutputKind::Timing, options.timingOut, rule},
                             {OutputKind::Captions, hasFile ? session::captionFile(request).string() : "", rule},
                             {OutputKind::Report, options.report, platform::IfExists::Replace},
                             {OutputKind::Trace, options.trace, platform::IfExists::Replace}},
                            {options.reference, options.audio, options.script, isPicture ? options.background : ""}));
    return session::checkSpeech(request.speech, platform::dataFolder(), cancel);
}

Result<session::RenderRequest> checkedRequest(const Options& options, Interrupts& interrupts)
{
    LQ_TRY(session::RenderRequest request, requestOf(options));
    CancelSource cancel;
    interrupts.setHandler([&cancel] { cancel.cancel(); });
    auto fine = checkFirst(options, request, cancel.token());
    interrupts.setHandler({});
    LQ_CHECKED(std::move(fine));
    return request;
}

// How fast it was is told of runs that are longer than their own start.
std::string speedText(const session::RenderReport& report)
{
    constexpr double kEnough = 2; // seconds of video
    char text[40];
    std::snprintf(text, sizeof text, " (%.1f x real time)", report.realtimeFactor);
    return report.durationSeconds < kEnough ? std::string() : text;
}

void printSummary(const session::RenderReport& report, bool quiet)
{
    if (quiet)
        return;
    std::fprintf(stderr, "%s: %lld frames, %.2f s, made in %.1f s%s, first frame after %.2f s, "
                         "%.0f MB of memory\n",
                 report.output.c_str(), static_cast<long long>(report.frames), report.durationSeconds,
                 report.totalSeconds, speedText(report).c_str(), report.firstFrameSeconds, report.peakRssMb);
}

int render(const Options& options, Interrupts& interrupts)
{
    auto request = checkedRequest(options, interrupts);
    if (!request)
        return complain(request.error());
    auto session = openSession();
    if (!session)
        return complain(session.error());
    const JobEnding ending =
        followJob(**session, (*session)->render(std::move(*request)), options.quiet, interrupts);
    if (ending.error)
        return complain(*ending.error);
    if (!ending.report) {
        std::fprintf(stderr, "loquor-cli: interrupted; nothing was written.\n");
        return kInterrupted;
    }
    const session::RenderReport& report = *ending.report;
    printSummary(report, options.quiet);
    if (!options.report.empty()) {
        if (auto written = platform::writeFile(options.report, session::toJson(report)); !written)
            return complain(written.error());
    }
    return kSuccess;
}

} // namespace

void addRender(CommandLine line)
{
    auto options = std::make_shared<Options>();
    CLI::App* app = line.app.add_subcommand("render", "Make a talking video");
    app->add_option("-r,--reference", options->reference, "Photo or clip of the person")->required();
    app->add_option("--pack", options->pack, "Engine pack: id or folder")->capture_default_str();
    auto* text = app->add_option("-t,--text", options->text, "What is said; with --audio: its transcript");
    auto* script = app->add_option("--script", options->script, "Text file with what is said")->excludes(text);
    auto* audio = app->add_option("-a,--audio", options->audio, "Recording of the speech");
    options->import = addImportOptions(*app, audio);
    app->add_option("--voice", options->voice, "Voice id (see: loquor-cli voices)")->excludes(audio);
    app->add_option("--language", options->language, "Language of the text (en-us, es, vi, zh ...)");
    app->add_option("--size", options->size, "Size of the video, WxH (1280x720)");
    app->add_option("--aspect", options->aspect, "Shape of the video: 16:9, 9:16, 1:1 or 4:5");
    app->add_option("--framing", options->framing, "fill: cut the photo to the shape; fit: show all of it")
        ->check(oneOf({"fill", "fit"}))
        ->capture_default_str();
    app->add_option("--fps", options->fps, "Frames per second")->capture_default_str();
    app->add_option("--background", options->background, "#rrggbb or a picture file instead of the photo's own");
    app->add_option("--prompt", options->prompt, "How the person moves: \"calm, smiling\"");
    app->add_option("--face", options->face, "Which face, when the photo shows several (1 = biggest)")
        ->check(numberOf("a face", kAnyNumber));
    app->add_option("--seed", options->seed, "Whole number; the same seed gives the same video");
    app->add_option("--report", options->report, "Write a report (JSON)");
    options->label = addLabelOptions(*app);
    options->captions = addCaptionOptions(*app);
    app->add_option("--trace", options->trace, "Write what took how long (Chrome trace JSON)");
    app->add_option("--timing-out", options->timingOut, "Write words and phonemes with times (JSON)");
    app->add_flag("--overwrite", options->overwrite, "Replace the output file if it exists");
    app->add_flag("-q,--quiet", options->quiet, "No progress");
    app->add_option("-o,--output", options->output, "The video (MP4)")->required()->check(someName());
    app->callback([line, options, text, script, audio] {
        if (text->count() + script->count() + audio->count() == 0)
            throw CLI::RequiredError("One of --text, --script or --audio");
        line.action = [line, options] { return render(*options, line.interrupts); };
    });
}

} // namespace loquor::cli
