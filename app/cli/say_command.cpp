// say: text -> WAV, with times.
#include <cstdio>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "app/cli/outputs.h"
#include "core/base/cancel.h"
#include "core/media/audio_writer.h"
#include "core/platform/paths.h"
#include "core/speech/line_speaker.h"
#include "core/speech/script.h"
#include "core/speech/timing.h"
#include "core/speech/timing_json.h"
#include "core/speech/voice.h"

namespace loquor::cli {

namespace {

struct Options
{
    std::string text, script, voice, language, output, timingOut;
    bool overwrite = false;
};

class Speaker
{
public:
    Speaker(speech::Voice& voice, media::WavWriter writer) : m_voice(voice), m_writer(std::move(writer)) {}

    Result<void> say(const speech::ScriptLine& line, const CancelToken& cancel)
    {
        speech::LineSpeaker speaker(m_voice, line);
        for (;;) {
            LQ_TRY(std::optional<speech::SpokenClause> clause, speaker.next(cancel));
            if (!clause)
                break;
            for (const std::string& note : clause->sound.notes) {
                if (m_notes.insert(note).second) // told once
                    std::fprintf(stderr, "warning: %s\n", note.c_str());
            }
            speech::appendTiming(m_timing, clause->sound.timing, seconds(), static_cast<std::int32_t>(line.sourceBegin));
            LQ_CHECKED(write(clause->sound.audio.samples));
        }
        const auto pause = static_cast<std::size_t>(line.pauseAfter * m_voice.description().sampleRate);
        return write(std::vector<float>(pause)); // becomes silence when the next line is appended
    }
    Result<speech::Timing> finish()
    {
        LQ_CHECKED(m_writer.finish());
        m_timing.durationSeconds = seconds();
        return m_timing;
    }

private:
    double seconds() const { return static_cast<double>(m_samples) / m_voice.description().sampleRate; }
    Result<void> write(const std::vector<float>& samples)
    {
        m_samples += static_cast<SampleIndex>(samples.size());
        return m_writer.write(samples.data(), static_cast<SampleIndex>(samples.size()));
    }
    speech::Voice& m_voice;
    media::WavWriter m_writer;
    speech::Timing m_timing;
    SampleIndex m_samples = 0;
    std::set<std::string> m_notes;
};

Result<void> say(const Options& options, const CancelToken& cancel)
{
    const platform::IfExists rule = ifExists(options.overwrite);
    LQ_CHECKED(checkOutputs({{OutputKind::Sound, options.output, rule}, {OutputKind::Timing, options.timingOut, rule}}, {options.script}));
    std::string text = options.text;
    if (!options.script.empty()) {
        LQ_TRY(text, speech::readScriptFile(options.script));
    }
    LQ_TRY(const speech::Script script, speech::parseScript(text, options.language));
    for (const speech::ScriptIssue& issue : script.issues)
        std::fprintf(stderr, "warning: line %d, column %d: %s\n", issue.line, issue.column, issue.message.c_str());
    LQ_TRY(const speech::VoiceChoice choice,
           speech::chooseVoice(speech::listVoices(platform::dataFolder()), options.voice, options.language,
                               script.source));
    if (!choice.note.empty())
        std::fprintf(stderr, "warning: %s\n", choice.note.c_str());
    LQ_TRY(const std::unique_ptr<speech::Voice> voice,
           speech::openVoice(choice.voice, std::make_shared<speech::PhonemeClient>(), cancel));
    LQ_TRY(media::WavWriter writer,
           media::WavWriter::create(options.output, choice.voice.sampleRate, 1, media::WavFormat::Int16, rule));
    Speaker speaker(*voice, std::move(writer));
    for (const speech::ScriptLine& line : script.lines)
        LQ_CHECKED(speaker.say(line, cancel));
    LQ_TRY(speech::Timing timing, speaker.finish());
    if (options.timingOut.empty())
        return {};
    return speech::writeTimingFile(options.timingOut, {std::move(timing), script.source});
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
    app->add_option("--timing-out", options->timingOut, "Write words and phonemes with times (JSON)");
    app->add_flag("--overwrite", options->overwrite, "Replace the output file if it exists");
    app->add_option("-o,--output", options->output, "The sound (WAV)")->required();
    const auto hasText = [text, script] {
        if (text->count() + script->count() == 0)
            throw CLI::RequiredError("One of --text or --script");
    };
    runCancellable(*app, line, hasText, [options](const CancelToken& cancel) { return say(*options, cancel); });
}

} // namespace loquor::cli
