#include "core/speech/line_speaker.h"

#include <algorithm>
#include <cmath>

#include "core/speech/styled_speech.h"

namespace loquor::speech {

namespace {

// Silence around a clause, in whole samples.
void addPauses(SpokenSound& sound, double before, double after)
{
    const auto samplesOf = [&](double seconds) {
        return static_cast<std::size_t>(std::lround(seconds * sound.audio.sampleRate));
    };
    const std::size_t front = samplesOf(before), back = samplesOf(after);
    if (front == 0 && back == 0)
        return;
    Timing shifted;
    appendTiming(shifted, sound.timing, static_cast<double>(front) / sound.audio.sampleRate, 0);
    shifted.language = sound.timing.language;
    shifted.source = sound.timing.source;
    auto& samples = sound.audio.samples;
    samples.insert(samples.begin(), front, 0.0f);
    samples.insert(samples.end(), back, 0.0f);
    shifted.durationSeconds = sound.audio.seconds();
    if (back > 0 || shifted.phonemes.empty()) {
        const double end = shifted.phonemes.empty() ? 0.0 : shifted.phonemes.back().end;
        if (!shifted.phonemes.empty() && shifted.phonemes.back().symbol.empty()) {
            shifted.phonemes.back().end = shifted.durationSeconds;
        } else if (end < shifted.durationSeconds) {
            Phoneme silence;
            silence.start = end;
            silence.end = shifted.durationSeconds;
            shifted.phonemes.push_back(silence);
        }
    }
    sound.timing = std::move(shifted);
}

} // namespace

LineSpeaker::LineSpeaker(Voice& voice, const ScriptLine& line, SpeechOptions options, ClauseLimits limits)
    : m_voice(voice), m_line(line), m_options(options),
      m_clauses(planClauses(line, voice.description().language, limits)),
      m_segments(line.spans.empty() ? std::vector<SpokenSegment>() : spokenSegments(line))
{
}

Result<std::optional<SpokenClause>> LineSpeaker::next(const CancelToken& cancel)
{
    if (cancel.isCancelled())
        return cancelled();
    if (m_next >= m_clauses.size())
        return std::optional<SpokenClause>();
    const Clause& clause = m_clauses[m_next++];
    SpokenClause out;
    out.start = m_start;
    out.isLast = m_next == m_clauses.size();
    if (clause.end > clause.begin) {
        Utterance utterance;
        utterance.text = m_line.spoken.substr(static_cast<std::size_t>(clause.begin),
                                              static_cast<std::size_t>(clause.end - clause.begin));
        utterance.textBegin = clause.begin;
        utterance.endsSentence = clause.endsSentence;
        const auto segments = segmentsWithin(m_segments, clause.begin, clause.end);
        const bool isPlain = std::all_of(segments.begin(), segments.end(),
                                         [](const SpokenSegment& s) { return !s.isReplaced && s.style.isPlain(); });
        auto sound = isPlain ? m_voice.synthesize(utterance, m_options, cancel)
                             : speakStyled(m_voice, std::move(utterance), segments, m_options, cancel);
        if (!sound) {
            if (sound.error().code() != ErrorCode::EmptyInput)
                return fail(std::move(sound).error());
            // Characters that the voice has no sound for: nothing is heard, and nothing else breaks.
            sound = SpokenSound{};
        }
        out.sound = std::move(*sound);
    }
    if (out.sound.audio.sampleRate == 0) {
        out.sound.audio.sampleRate = m_voice.description().sampleRate;
        out.sound.audio.channels = 1;
        out.sound.timing.language = m_voice.description().language;
        out.sound.timing.source = TimingSource::Synthesis;
    }
    addPauses(out.sound, clause.pauseBefore, clause.pauseAfter);
    for (; m_nextTag < m_line.tags.size(); ++m_nextTag) {
        const ScriptTag& tag = m_line.tags[m_nextTag];
        if (tag.name == "pause")
            continue;
        const auto& words = out.sound.timing.words;
        const auto word = std::find_if(words.begin(), words.end(),
                                       [&](const Word& w) { return w.textBegin >= tag.textEnd; });
        if (word == words.end() && !out.isLast)
            break; // its word comes with a later clause
        const double seconds = word != words.end() ? word->start
                               : words.empty()     ? 0.0
                                                   : words.back().end;
        out.cues.push_back({tag.name, tag.value, seconds});
    }
    m_start += out.sound.audio.seconds();
    return std::optional<SpokenClause>(std::move(out));
}

} // namespace loquor::speech
