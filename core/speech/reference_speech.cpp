#include "core/speech/reference_speech.h"

#include <algorithm>

#include "core/speech/espeak_voice.h"
#include "core/speech/segments.h"
#include "core/speech/styled_speech.h"

namespace loquor::speech {

namespace {

constexpr double kPause = 0.1; // between sentences, short as in the match

Result<SpokenSound> reading(Voice& voice, const ScriptLine& line, const CancelToken& cancel)
{
    Utterance utterance{line.spoken, static_cast<std::int32_t>(line.sourceBegin), true};
    auto segments = spokenSegments(line);
    for (SpokenSegment& segment : segments) // how fast and loud it was said the recording says itself
        segment.style = {};
    const bool isPlain = std::none_of(segments.begin(), segments.end(), [](const SpokenSegment& s) { return s.isReplaced; });
    return isPlain ? voice.synthesize(utterance, {}, cancel) : speakStyled(voice, std::move(utterance), segments, {}, cancel);
}

} // namespace

Result<bool> ReferenceSpeech::addLine(SpokenSound& all, const CancelToken& cancel)
{
    if (!m_voice) {
        const auto description = espeakDescription("espeak-" + m_script.language);
        LQ_TRY(m_voice, openVoice(*description, m_client, cancel));
    }
    while (m_line < m_script.lines.size()) {
        const ScriptLine& line = m_script.lines[m_line++];
        if (!line.hasWords)
            continue;
        auto said = reading(*m_voice, line, cancel);
        if (!said && said.error().code() == ErrorCode::EmptyInput)
            continue;
        if (!said)
            return fail(std::move(said).error());
        all.audio.sampleRate = said->audio.sampleRate;
        all.audio.channels = 1;
        const double start = all.audio.seconds();
        all.audio.samples.insert(all.audio.samples.end(), said->audio.samples.begin(), said->audio.samples.end());
        appendTiming(all.timing, said->timing, start, 0);
        all.audio.samples.insert(all.audio.samples.end(), static_cast<std::size_t>(kPause * all.audio.sampleRate), 0.0f);
        return true;
    }
    return false;
}

} // namespace loquor::speech
