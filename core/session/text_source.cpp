#include "core/session/text_source.h"

#include <utility>

#include "core/base/random.h"
#include "core/platform/paths.h"
#include "core/speech/clauses.h"
#include "core/speech/pronunciations.h"

namespace loquor::session {

TextSource::TextSource(SpeechInput input, Rational fps, std::shared_ptr<VoiceShelf> voices)
    : m_input(std::move(input)), m_fps(fps), m_voices(std::move(voices))
{
}

Result<SpeechFacts> TextSource::open(const CancelToken& cancel)
{
    LQ_TRY(m_script, speech::parseScript(m_input.text, m_input.language));
    LQ_TRY(const speech::VoiceChoice choice,
           speech::chooseVoice(m_voices->list(), m_input.voice, m_input.language, m_script.source));
    LQ_TRY(const speech::Pronunciations user, speech::readPronunciations(speech::userPronunciationsFile(platform::configFolder())));
    speech::applyPronunciations(m_script, user, choice.language);
    LQ_TRY(m_voice, m_voices->get(choice.voice, cancel));
    m_language = choice.language;
    SpeechFacts facts;
    facts.sampleRate = choice.voice.sampleRate;
    facts.channels = 1;
    facts.voice = choice.voice.id;
    facts.script = m_script.source;
    if (!choice.note.empty())
        facts.warnings.push_back(choice.note);
    for (std::string& issue : speech::issueTexts(m_script.issues))
        facts.warnings.push_back(std::move(issue));
    for (const speech::ScriptLine& line : m_script.lines)
        facts.estimatedSeconds += speech::estimateSeconds(line.spoken) + line.pauseAfter;
    m_assembler.emplace(facts.sampleRate, facts.channels, m_fps);
    return facts;
}

// Identity of a line: its text, and which of several equal ones it is.
std::uint64_t TextSource::lineId(const std::string& text)
{
    return mixSeed(mixSeed(0, text), static_cast<std::uint64_t>(m_seen[text]++));
}

Result<std::optional<SpokenLine>> TextSource::next(const CancelToken& cancel)
{
    while (m_line < m_script.lines.size()) {
        if (cancel.isCancelled())
            return cancelled();
        if (!m_speaker) {
            const speech::ScriptLine& line = m_script.lines[m_line];
            m_speaker = std::make_unique<speech::LineSpeaker>(*m_voice, line);
            m_id = lineId(line.text);
            m_continues = false;
        }
        LQ_TRY(std::optional<SpokenLine> line, speakClause(cancel));
        if (line)
            return line;
    }
    return std::nullopt;
}

// One clause; nothing when it gave no whole frame yet.
Result<std::optional<SpokenLine>> TextSource::speakClause(const CancelToken& cancel)
{
    const speech::ScriptLine& line = m_script.lines[m_line];
    LQ_TRY(std::optional<speech::SpokenClause> clause, m_speaker->next(cancel));
    for (const std::string& note : clause ? clause->sound.notes : std::vector<std::string>()) {
        if (m_told.insert(note).second)
            m_warnings.push_back(note);
    }
    const double start = static_cast<double>(m_assembler->end()) / m_voice->description().sampleRate;
    const bool lineEnds = !clause || clause->isLast;
    SpokenLine out = clause ? piece(*clause, start) : piece({}, start);
    if (clause)
        m_assembler->add(clause->sound.audio);
    const bool runEnds = lineEnds && m_line + 1 == m_script.lines.size();
    if (lineEnds && !runEnds)
        addPause(line.pauseAfter, out.timing);
    out.audio = runEnds ? m_assembler->takeAll() : m_assembler->takeWhole();
    out.isLast = runEnds;
    if (lineEnds) {
        m_speaker.reset();
        ++m_line;
    }
    const bool empty = out.audio.samples.empty();
    m_continues = true;
    if (empty && runEnds)
        return fail(ErrorCode::EmptyInput, "The text gave no sound.");
    if (empty)
        return std::nullopt;
    return out;
}

std::vector<std::string> TextSource::takeWarnings()
{
    return std::exchange(m_warnings, {});
}

// Silence behind a line, up to a frame boundary.
void TextSource::addPause(double seconds, speech::Timing& timing)
{
    const double rate = m_voice->description().sampleRate;
    const double start = static_cast<double>(m_assembler->end()) / rate;
    m_assembler->addSilence(seconds);
    m_assembler->padToFrame();
    const double end = static_cast<double>(m_assembler->end()) / rate;
    if (end > start)
        timing.phonemes.push_back({"", start, end, 1.0f, false});
}

SpokenLine TextSource::piece(const speech::SpokenClause& clause, double start)
{
    const speech::ScriptLine& line = m_script.lines[m_line];
    SpokenLine out;
    out.id = m_id;
    out.number = static_cast<int>(m_line) + 1;
    out.continues = m_continues;
    out.text = line.text;
    out.textBegin = line.sourceBegin;
    out.timing = clause.sound.timing;
    for (speech::Word& word : out.timing.words) {
        word.start += start;
        word.end += start;
    }
    for (speech::Phoneme& phoneme : out.timing.phonemes) {
        phoneme.start += start;
        phoneme.end += start;
    }
    for (const speech::TimedTag& tag : clause.cues)
        out.cues.push_back({tag.name, tag.seconds + start, tag.strength});
    return out;
}

} // namespace loquor::session
