// transcribe: recording -> lines of a script.
#include <cstdio>

#include <unistd.h>

#include "app/cli/commands.h"
#include "app/cli/import_options.h"
#include "app/cli/outputs.h"
#include "app/cli/progress.h"
#include "app/cli/transcribing.h"
#include "core/base/json.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/session/file_names.h"

using nlohmann::ordered_json;

namespace loquor::cli {

namespace {

struct Options
{
    TranscribeRequest request;
    std::shared_ptr<media::SoundImport> import;
    std::string output;
    bool overwrite = false, json = false;
};

ordered_json toJson(const HeardRecording& heard)
{
    ordered_json lines = ordered_json::array();
    for (const speech::TranscriptLine& line : heard.transcript.lines)
        lines.push_back({{"start", line.start}, {"end", line.end}, {"text", line.text}});
    return {{"language", heard.transcript.language},
            {"pack", heard.transcript.pack},
            {"seconds", heard.sound.seconds()},
            {"lines", std::move(lines)}};
}

Result<void> transcribe(const Options& options, const CancelToken& cancel)
{
    const platform::IfExists rule = ifExists(options.overwrite);
    if (!options.output.empty()) {
        const std::filesystem::path input[] = {options.request.audio};
        LQ_CHECKED(platform::refuseInputAsOutput(options.output, input));
        LQ_CHECKED(platform::checkWritable(options.output, rule));
    }
    TranscribeRequest request = options.request;
    request.import = *options.import;
    LQ_TRY(const HeardRecording heard, transcribeFile(request, cancel));
    if (options.json) {
        std::printf("%s\n", toJson(heard).dump(2).c_str());
    } else if (options.output.empty()) {
        for (const speech::TranscriptLine& line : heard.transcript.lines)
            std::printf("%8.2f %8.2f  %s\n", line.start, line.end, line.text.c_str());
    }
    if (options.output.empty())
        return {};
    if (heard.transcript.pack.empty())
        return fail(ErrorCode::NotFound, "There are no words to write into " + platform::quotedPath(options.output) + '.');
    return platform::writeFile(options.output, heard.transcript.text(), rule);
}

} // namespace

Result<HeardRecording> transcribeFile(const TranscribeRequest& request, const CancelToken& cancel)
{
    LQ_CHECKED(session::refuseText(request.audio, "a recording"));
    HeardRecording out;
    LQ_TRY(out.sound, readImported(request.audio, request.import, 16000, cancel,
                                   copyProgress(Progress::styleFor(request.quiet))));
    speech::TranscribeOptions how;
    how.language = request.language;
    how.pack = request.pack;
    const bool onTerminal = ::isatty(STDERR_FILENO) == 1;
    if (!request.quiet)
        how.progress = [onTerminal](double done) {
            std::fprintf(stderr, onTerminal ? "\rlistening: %3.0f %%%s" : "listening: %.0f %%%s\n", 100 * done,
                         onTerminal && done > 0.999 ? "\n" : "");
        };
    LQ_TRY(out.transcript, speech::transcribe(out.sound, how, platform::dataFolder(), cancel));
    for (const std::string& warning : out.transcript.warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
    return out;
}

void addTranscribe(CommandLine line)
{
    auto options = std::make_shared<Options>();
    CLI::App* app = line.app.add_subcommand("transcribe", "Write down what is said in a recording");
    app->add_option("AUDIO", options->request.audio, "The recording: sound, or a video with sound")->required();
    app->add_option("--language", options->request.language, "Its language; default: heard, where the pack can");
    app->add_option("--pack", options->request.pack, "What recognizes it (see: loquor-cli packs list)");
    options->import = addImportOptions(*app);
    app->add_option("-o,--output", options->output, "Write the text into a file (a script)");
    app->add_flag("--overwrite", options->overwrite, "Replace the output file if it exists");
    app->add_flag("-q,--quiet", options->request.quiet, "No progress");
    app->add_flag("--json", options->json, "Machine-readable, with times");
    runCancellable(*app, line, [] {}, [options](const CancelToken& cancel) { return transcribe(*options, cancel); });
}

} // namespace loquor::cli
