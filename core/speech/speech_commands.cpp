#include "core/speech/speech_commands.h"
#include "core/speech/denoise.h"

#include <algorithm>
#include <cmath>

#include "core/speech/line_speaker.h"

namespace loquor::speech {

namespace {

Result<void> sayLine(Voice& voice, const ScriptLine& line, const SpeechOptions& options, const SoundSink& sink,
                     const CancelToken& cancel, SaidScript& out)
{
    const int rate = voice.description().sampleRate;
    LineSpeaker speaker(voice, line, options);
    for (;;) {
        LQ_TRY(const auto clause, speaker.next(cancel));
        if (!clause)
            break;
        const double start = static_cast<double>(out.samples) / rate;
        for (const std::string& note : clause->sound.notes) { // told once
            if (std::find(out.warnings.begin(), out.warnings.end(), note) == out.warnings.end())
                out.warnings.push_back(note);
        }
        LQ_CHECKED(sink(clause->sound.audio));
        appendTiming(out.document.timing, clause->sound.timing, start, static_cast<std::int32_t>(line.sourceBegin));
        for (TimedTag cue : clause->cues) {
            cue.seconds += start;
            out.cues.push_back(std::move(cue));
        }
        out.samples += clause->sound.audio.frames();
    }
    const auto pause = static_cast<std::size_t>(std::lround(line.pauseAfter * rate));
    if (pause > 0) {
        LQ_CHECKED(sink(AudioBlock{rate, 1, std::vector<float>(pause, 0.0f)}));
        out.samples += static_cast<std::int64_t>(pause);
    }
    return {};
}

} // namespace

std::filesystem::path acousticModelFolder(const std::filesystem::path& dataFolder)
{
    return dataFolder / "deps" / "pocketsphinx" / "model";
}

Result<SaidScript> sayScript(std::string_view text, const SayOptions& options, const std::filesystem::path& dataFolder,
                             const std::shared_ptr<PhonemeClient>& phonemes, const SoundSink& sink, const CancelToken& cancel)
{
    LQ_TRY(const Script guessed, parseScript(text, options.language));
    LQ_TRY(const VoiceChoice choice,
           chooseVoice(listVoices(dataFolder), options.voice, options.language, guessed.source));
    // The voice may speak another language than was guessed: sentences end by its rules.
    LQ_TRY(Script script, parseScript(text, choice.language));
    applyPronunciations(script, options.pronunciations, choice.language);
    SaidScript out;
    out.voice = choice.voice;
    if (!choice.note.empty())
        out.warnings.push_back(choice.note);
    for (auto& issue : issueTexts(script.issues))
        out.warnings.push_back(std::move(issue));
    LQ_TRY(auto opened, openVoice(choice.voice, phonemes, cancel));
    LQ_TRY(const std::string version, phonemes->engineVersion(cancel));
    const auto voice = withCache(std::move(opened), options.cache, version);
    out.document.text = script.source;
    for (const ScriptLine& line : script.lines) {
        if (auto said = sayLine(*voice, line, options.speech, sink, cancel, out); !said)
            return fail(std::move(said).error().addContext("saying line " + std::to_string(line.number)));
    }
    if (out.document.timing.words.empty())
        return fail(ErrorCode::EmptyInput, "The voice " + choice.voice.id + " cannot say any of this text.");
    out.document.timing.language = choice.voice.language;
    return out;
}

Result<AlignedRecording> alignRecording(const AudioBlock& audio, std::string_view text, const AlignOptions& options,
                                        const std::filesystem::path& dataFolder,
                                        std::shared_ptr<PhonemeClient> phonemes, const CancelToken& cancel)
{
    Aligner aligner(acousticModelFolder(dataFolder), std::move(phonemes), denoiserModelFile(dataFolder));
    LQ_TRY(Alignment alignment, aligner.align(audio, text, options, cancel));
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    AlignedRecording out;
    out.document.timing = std::move(alignment.timing);
    out.document.text = text;
    out.warnings = std::move(alignment.warnings);
    return out;
}

} // namespace loquor::speech
