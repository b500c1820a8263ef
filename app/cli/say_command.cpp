// say: text -> sound, in a file or aloud, with times.
#include <atomic>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "app/cli/line_warnings.h"
#include "app/cli/option_values.h"
#include "app/cli/outputs.h"
#include "app/cli/spoken_player.h"
#include "core/base/cancel.h"
#include "core/base/guarded_thread.h"
#include "core/base/json.h"
#include "core/media/sound_writer.h"
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
    bool overwrite = false, json = false, play = false;
};

// Where the sound goes: into a file, to the ear, or both.
class SpeechSinks
{
public:
    Result<void> open(const Options& options)
    {
        m_file = options.output;
        m_ifExists = ifExists(options.overwrite);
        if (options.play) {
            LQ_TRY(m_player, SpokenPlayer::open());
        }
        return {};
    }
    Result<void> add(const AudioBlock& piece)
    {
        if (!m_file.empty() && !m_writer) {
            LQ_TRY(m_writer, media::SoundWriter::create(m_file, piece.sampleRate, 1, m_ifExists));
        }
        if (m_writer)
            LQ_CHECKED(m_writer->write(piece.samples.data(), piece.frames()));
        if (m_player)
            m_player->add(piece);
        return {};
    }
    Result<void> finish()
    {
        if (m_player)
            m_player->end();
        return m_writer ? m_writer->finish() : Result<void>();
    }
    SpokenPlayer* player() const { return m_player.get(); }

private:
    std::string m_file;
    platform::IfExists m_ifExists = platform::IfExists::Refuse;
    std::optional<media::SoundWriter> m_writer;
    std::unique_ptr<SpokenPlayer> m_player;
};

Result<speech::SaidScript> speak(const speech::ImportedScript& given, const Options& options, SpeechSinks& sinks,
                                 const CancelToken& cancel)
{
    speech::SayOptions how;
    how.voice = options.voice;
    how.language = options.language.empty() ? given.language : options.language;
    LQ_TRY(how.pronunciations, speech::readPronunciations(speech::userPronunciationsFile(platform::configFolder())));
    how.speech.speed = options.speed;
    how.cache = std::make_shared<speech::SegmentCache>(platform::cacheFolder() / "speech");
    const auto write = [&sinks](const AudioBlock& piece) { return sinks.add(piece); };
    LQ_TRY(speech::SaidScript said, speech::sayScript(given.text, how, platform::dataFolder(),
                                                      std::make_shared<speech::PhonemeClient>(), write, cancel));
    LQ_CHECKED(sinks.finish());
    return said;
}

// The voice works on a thread of its own while it is heard: an interrupt ends the sound at once, whatever the voice is
// doing.
Result<speech::SaidScript> speakAloud(const speech::ImportedScript& given, const Options& options, SpeechSinks& sinks,
                                      const CancelToken& cancel)
{
    constexpr int kLook = 20; // milliseconds
    SpokenPlayer& player = *sinks.player();
    Result<speech::SaidScript> said = fail(ErrorCode::Internal, "Nothing was said.");
    CancelSource ending(cancel);
    std::atomic<bool> isSaid{false};
    std::thread voice = guardedThread(
        "speaking",
        [&] {
            said = speak(given, options, sinks, ending.token());
            isSaid = true;
        },
        [&](const Error& error) {
            said = fail(error);
            isSaid = true;
        });
    std::optional<Error> fault;
    while (!cancel.waitFor(kLook) && !fault) {
        const bool couldFail = isSaid; // what it has written is seen
        if (couldFail && !said)
            break;
        const auto over = player.isOver();
        if (!over)
            fault = over.error();
        else if (*over)
            break;
    }
    player.stop();
    if (fault)
        ending.cancel();
    voice.join();
    if (cancel.isCancelled())
        return cancelled();
    if (fault)
        return fail(std::move(*fault));
    return said;
}

void printReport(const Options& options, const speech::SaidScript& said)
{
    using nlohmann::ordered_json;
    const ordered_json report{{"file", options.output.empty() ? ordered_json(nullptr) : ordered_json(options.output)},
                              {"voice", said.voice.id},
                              {"language", said.document.timing.language},
                              {"sample_rate", said.voice.sampleRate},
                              {"samples", said.samples},
                              {"seconds", static_cast<double>(said.samples) / said.voice.sampleRate},
                              {"words", said.document.timing.words.size()},
                              {"warnings", said.warnings}};
    std::printf("%s\n", report.dump(2).c_str());
}

Result<void> say(const Options& options, const CancelToken& cancel)
{
    const platform::IfExists rule = ifExists(options.overwrite);
    LQ_CHECKED(checkOutputs({{OutputKind::Sound, options.output, rule}, {OutputKind::Timing, options.timingOut, rule}}, {options.script}));
    LQ_TRY(const speech::ImportedScript given,
           options.script.empty() ? speech::importScript(options.text) : speech::importScriptFile(options.script));
    warnAbout(given.issues);
    SpeechSinks sinks;
    LQ_CHECKED(sinks.open(options));
    LQ_TRY(const speech::SaidScript said, sinks.player() != nullptr ? speakAloud(given, options, sinks, cancel)
                                                                    : speak(given, options, sinks, cancel));
    for (const std::string& warning : said.warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
    if (!options.timingOut.empty())
        LQ_CHECKED(speech::writeTimingFile(options.timingOut, said.document));
    if (options.json)
        printReport(options, said);
    return {};
}

} // namespace

void addSay(CommandLine line)
{
    auto options = std::make_shared<Options>();
    CLI::App* app = line.app.add_subcommand("say", "Speak a text into a file, or aloud");
    auto* text = app->add_option("-t,--text", options->text, "What is said");
    auto* script = app->add_option("--script", options->script, "Text file with what is said")->excludes(text);
    app->add_option("--voice", options->voice, "Voice id (see: loquor-cli voices)");
    app->add_option("--language", options->language, "Language of the text");
    app->add_option("--speed", options->speed, "How fast: 1 = as the voice speaks, 0.5 to 2")->check(CLI::Range(speech::kSlowest, speech::kFastest));
    app->add_option("--timing-out", options->timingOut, "Write words and phonemes with times (JSON)");
    app->add_flag("--overwrite", options->overwrite, "Replace the output file if it exists");
    auto* output = app->add_option("-o,--output", options->output, "The sound: .wav, .flac or .mp3")->check(someName());
    auto* play = app->add_flag("--play", options->play, "Play it; Ctrl-C ends it");
    app->add_flag("--json", options->json, "Print what was made (machine-readable)");
    const auto hasText = [text, script, output, play] {
        if (text->count() + script->count() == 0)
            throw CLI::RequiredError("One of --text or --script");
        if (output->count() + play->count() == 0)
            throw CLI::RequiredError("--output, or --play");
    };
    runCancellable(*app, line, hasText, [options](const CancelToken& cancel) { return say(*options, cancel); });
}

} // namespace loquor::cli
