// say: text -> WAV, with times.
#include <cstdio>
#include <memory>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "app/cli/line_warnings.h"
#include "app/cli/outputs.h"
#include "core/base/cancel.h"
#include "core/base/json.h"
#include "core/media/audio_writer.h"
#include "core/platform/paths.h"
#include "core/speech/pronunciations.h"
#include "core/speech/script.h"
#include "core/speech/speech_commands.h"
#include "core/speech/timing_json.h"

namespace loquor::cli {

namespace {

struct Options
{
    std::string text, script, voice, language, output, timingOut;
    double speed = 1;
    bool overwrite = false, json = false;
};

Result<void> say(const Options& options, const CancelToken& cancel)
{
    const platform::IfExists rule = ifExists(options.overwrite);
    LQ_CHECKED(checkOutputs({{OutputKind::Sound, options.output, rule}, {OutputKind::Timing, options.timingOut, rule}}, {options.script}));
    LQ_TRY(const speech::ImportedScript given,
           options.script.empty() ? speech::importScript(options.text) : speech::importScriptFile(options.script));
    warnAbout(given.issues);
    speech::SayOptions how;
    how.voice = options.voice;
    how.language = options.language.empty() ? given.language : options.language;
    LQ_TRY(how.pronunciations, speech::readPronunciations(speech::userPronunciationsFile(platform::configFolder())));
    how.speech.speed = options.speed;
    how.cache = std::make_shared<speech::SegmentCache>(platform::cacheFolder() / "speech");
    std::optional<media::WavWriter> writer;
    const auto write = [&](const AudioBlock& piece) -> Result<void> {
        if (!writer) {
            LQ_TRY(writer, media::WavWriter::create(options.output, piece.sampleRate, 1, media::WavFormat::Int16, rule));
        }
        return writer->write(piece.samples.data(), piece.frames());
    };
    LQ_TRY(const speech::SaidScript said,
           speech::sayScript(given.text, how, platform::dataFolder(), std::make_shared<speech::PhonemeClient>(), write, cancel));
    for (const std::string& warning : said.warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
    LQ_CHECKED(writer->finish());
    if (!options.timingOut.empty())
        LQ_CHECKED(speech::writeTimingFile(options.timingOut, said.document));
    if (options.json) {
        const nlohmann::ordered_json report{{"file", options.output},
                                            {"voice", said.voice.id},
                                            {"language", said.document.timing.language},
                                            {"sample_rate", said.voice.sampleRate},
                                            {"samples", said.samples},
                                            {"seconds", static_cast<double>(said.samples) / said.voice.sampleRate},
                                            {"words", said.document.timing.words.size()},
                                            {"warnings", said.warnings}};
        std::printf("%s\n", report.dump(2).c_str());
    }
    return {};
}

} // namespace

void addSay(CommandLine line)
{
    auto options = std::make_shared<Options>();
    CLI::App* app = line.app.add_subcommand("say", "Speak a text into a WAV file");
    auto* text = app->add_option("-t,--text", options->text, "What is said");
    auto* script = app->add_option("--script", options->script, "Text file with what is said")->excludes(text);
    app->add_option("--voice", options->voice, "Voice id (see: loquor-cli voices)");
    app->add_option("--language", options->language, "Language of the text");
    app->add_option("--speed", options->speed, "How fast: 1 = as the voice speaks, 0.5 to 2")->check(CLI::Range(speech::kSlowest, speech::kFastest));
    app->add_option("--timing-out", options->timingOut, "Write words and phonemes with times (JSON)");
    app->add_flag("--overwrite", options->overwrite, "Replace the output file if it exists");
    app->add_option("-o,--output", options->output, "The sound (WAV)")->required();
    app->add_flag("--json", options->json, "Print what was made (machine-readable)");
    const auto hasText = [text, script] {
        if (text->count() + script->count() == 0)
            throw CLI::RequiredError("One of --text or --script");
    };
    runCancellable(*app, line, hasText, [options](const CancelToken& cancel) { return say(*options, cancel); });
}

} // namespace loquor::cli
