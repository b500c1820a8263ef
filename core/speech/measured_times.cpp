#include "core/speech/measured_times.h"

#include <algorithm>

#include "core/base/log.h"
#include "core/speech/espeak_voice.h"
#include "core/speech/speech_commands.h"

namespace loquor::speech {

namespace {

constexpr float kGuess = 0.2f; // confidence of times that nothing was heard for

// The text as a script, with what is said in place of its words.
Result<Script> scriptOf(const Utterance& utterance, const std::string& language)
{
    LQ_TRY(Script script, parseScript(utterance.text, language));
    for (ScriptLine& line : script.lines) {
        const auto from = static_cast<std::int32_t>(line.sourceBegin), to = from + static_cast<std::int32_t>(line.text.size());
        for (const Replacement& r : utterance.replacements) {
            if (r.begin >= from && r.end <= to)
                line.spans.push_back({r.isSounds ? SpanKind::Ipa : SpanKind::Alias, 0, r.text, r.begin - from, r.end - from});
        }
    }
    return script;
}

// espeak-ng's times of the text, stretched to the sound.
Result<Timing> spreadTimes(const AudioBlock& audio, const Utterance& utterance, const std::string& language,
                           std::shared_ptr<PhonemeClient> phonemes, const CancelToken& cancel)
{
    LQ_TRY(const auto voice, openVoice(*espeakDescription("espeak-" + language), std::move(phonemes), cancel));
    LQ_TRY(SpokenSound spoken, voice->synthesize(utterance, {}, cancel));
    Timing out = std::move(spoken.timing);
    const double scale = audio.seconds() / out.durationSeconds;
    for (Word& w : out.words) {
        w.start *= scale;
        w.end *= scale;
        w.confidence = kGuess;
    }
    for (Phoneme& p : out.phonemes) {
        p.start *= scale;
        p.end *= scale;
        p.confidence = kGuess;
    }
    out.durationSeconds = audio.seconds();
    if (!out.phonemes.empty())
        out.phonemes.back().end = out.durationSeconds;
    return out;
}

} // namespace

Result<Timing> MeasuredTimes::measure(const AudioBlock& audio, const Utterance& utterance, const std::string& language,
                                      const CancelToken& cancel)
{
    if (!m_aligner)
        m_aligner = std::make_unique<Aligner>(acousticModelFolder(m_dataFolder), m_phonemes);
    LQ_TRY(const Script script, scriptOf(utterance, language));
    auto aligned = m_aligner->align(audio, script, AlignMethod::None, cancel);
    Timing out;
    if (aligned) {
        out = std::move(aligned->timing);
        for (Word& w : out.words) {
            w.textBegin += utterance.textBegin;
            w.textEnd += utterance.textBegin;
        }
    } else if (aligned.error().isCancelled()) {
        return fail(std::move(aligned).error());
    } else {
        log(LogLevel::Info, "speech", "times are spread evenly: " + aligned.error().logText());
        LQ_TRY(out, spreadTimes(audio, utterance, language, m_phonemes, cancel));
    }
    out.language = language;
    out.source = TimingSource::Alignment;
    return out;
}

} // namespace loquor::speech
