// align: recording + text -> times.
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "app/cli/outputs.h"
#include "core/base/cancel.h"
#include "core/media/audio_reader.h"
#include "core/platform/paths.h"
#include "core/session/file_names.h"
#include "core/speech/align.h"
#include "core/speech/script.h"
#include "core/speech/timing_json.h"

namespace loquor::cli {

namespace {

struct Options
{
    std::string audio, text, script, language, output;
    bool overwrite = false;
};

Result<void> align(const Options& options, const CancelToken& cancel)
{
    LQ_CHECKED(checkOutputs({{OutputKind::Timing, options.output, ifExists(options.overwrite)}}, {options.audio, options.script}));
    LQ_CHECKED(session::refuseText(options.audio, "a recording"));
    std::string text = options.text;
    if (!options.script.empty()) {
        LQ_TRY(text, speech::readScriptFile(options.script));
    }
    media::AudioReadOptions reading;
    reading.sampleRate = 16000;
    LQ_TRY(const AudioBlock audio, media::readAudio(options.audio, reading, 2 * 3600.0, cancel));
    speech::Aligner aligner(platform::dataFolder() / "deps" / "pocketsphinx" / "model",
                            std::make_shared<speech::PhonemeClient>());
    speech::AlignOptions how;
    how.language = options.language;
    LQ_TRY(speech::Alignment alignment, aligner.align(audio, text, how, cancel));
    for (const std::string& warning : alignment.warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
    return speech::writeTimingFile(options.output, {std::move(alignment.timing), text});
}

} // namespace

void addAlign(CommandLine line)
{
    auto options = std::make_shared<Options>();
    CLI::App* app = line.app.add_subcommand("align", "Find when each word of a text is said in a recording");
    app->add_option("-a,--audio", options->audio, "The recording")->required();
    auto* text = app->add_option("-t,--text", options->text, "What is said in it");
    auto* script = app->add_option("--script", options->script, "Text file with what is said in it")->excludes(text);
    app->add_option("--language", options->language, "Language of the text");
    app->add_flag("--overwrite", options->overwrite, "Replace the output file if it exists");
    app->add_option("-o,--output", options->output, "The times (JSON)")->required();
    const auto hasText = [text, script] {
        if (text->count() + script->count() == 0)
            throw CLI::RequiredError("One of --text or --script");
    };
    runCancellable(*app, line, hasText, [options](const CancelToken& cancel) { return align(*options, cancel); });
}

} // namespace loquor::cli
