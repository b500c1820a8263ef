#include "core/session/line_speech.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/media/audio_convert.h"
#include "core/platform/hash.h"
#include "core/speech/line_speaker.h"
#include "core/speech/script.h"
#include "core/speech/timing_json.h"

namespace loquor::session {

namespace {

constexpr const char* kSpeechVersion = "speech 1"; // bump when the same wish gives other sound

constexpr const char* kPacedClauses = "clauses by their pace";

// Whether words are said slower or faster than the voice says them: its clauses are cut by that.
bool hasOwnPace(const std::string& text)
{
    if (text.find('[') == std::string::npos)
        return false;
    const auto script = speech::parseScript(text);
    return script && std::ranges::any_of(script->lines, [](const speech::ScriptLine& line) {
               return std::ranges::any_of(line.spans, [](const speech::SpokenSpan& span) {
                   return span.kind == speech::SpanKind::Rate || span.kind == speech::SpanKind::Emphasis;
               });
           });
}

// A line that is being said, at the project's rate.
class GrowingLine
{
public:
    explicit GrowingLine(int voiceRate) : m_voiceRate(voiceRate) { m_line.audio = {kProjectRate, 1, {}}; }

    // What a clause says, in seconds of the line.
    Result<void> add(const speech::SpokenClause& clause)
    {
        if (m_line.timing.source == speech::TimingSource::None)
            m_line.timing.source = clause.sound.timing.source;
        const double start = static_cast<double>(m_said) / m_voiceRate;
        for (const speech::TimedTag& tag : clause.cues)
            m_line.cues.push_back({tag.name, tag.seconds + start, tag.strength});
        for (const std::string& note : clause.sound.notes) { // told once
            if (std::ranges::find(m_line.warnings, note) == m_line.warnings.end())
                m_line.warnings.push_back(note);
        }
        speech::appendTiming(m_line.timing, clause.sound.timing, start, 0);
        return push(clause.sound.audio.samples);
    }
    Result<void> addSilence(double seconds)
    {
        return push(std::vector<float>(static_cast<std::size_t>(std::llround(seconds * m_voiceRate))));
    }
    // Filled with silence up to the next frame boundary.
    Result<LineSound> finish(Rational fps)
    {
        if (m_converter)
            LQ_CHECKED(m_converter->finish(m_line.audio.samples));
        m_line.frames = framesCovering(m_line.audio.frames(), kProjectRate, fps);
        m_line.audio.samples.resize(static_cast<std::size_t>(firstSampleOf(m_line.frames, kProjectRate, fps)), 0.f);
        const double end = static_cast<double>(m_line.audio.frames()) / kProjectRate;
        if (end > m_line.timing.durationSeconds) {
            m_line.timing.phonemes.push_back({"", m_line.timing.durationSeconds, end, 1.f, false});
            m_line.timing.durationSeconds = end;
        }
        return std::move(m_line);
    }
    // Telling copies all that was said: whoever tells each time a quarter has come to it copies a line five times, not
    // once for each of its clauses.
    bool isWorthTelling() const { return m_line.audio.frames() >= m_told + m_told / 4; }
    Result<SpokenSoFar> soFar()
    {
        m_told = m_line.audio.frames();
        SpokenSoFar out;
        speech::TimingDocument timing{m_line.timing, {}};
        timing.timing.words.clear();
        // Rounded as in the store.
        LQ_TRY(timing, speech::readTimingJson(speech::writeTimingJson(timing)));
        out.known = timing.timing.durationSeconds;
        auto& phonemes = timing.timing.phonemes;
        if (!phonemes.empty() && phonemes.back().symbol.empty()) { // silence that follows will make it longer
            out.known = phonemes.back().start;
            phonemes.pop_back();
        }
        out.sound.audio = m_line.audio;
        out.sound.timing = std::move(timing.timing);
        out.sound.cues = m_line.cues;
        return out;
    }
    bool isSilent() const { return m_said == 0; }
    LineSound& line() { return m_line; }

private:
    Result<void> push(const std::vector<float>& samples)
    {
        m_said += static_cast<SampleIndex>(samples.size());
        if (m_voiceRate == kProjectRate) {
            m_line.audio.samples.insert(m_line.audio.samples.end(), samples.begin(), samples.end());
            return {};
        }
        if (!m_converter) {
            LQ_TRY(m_converter, media::AudioConverter::create(m_voiceRate, 1, kProjectRate, 1));
        }
        return m_converter->push(samples.data(), static_cast<SampleIndex>(samples.size()), m_line.audio.samples);
    }

    const int m_voiceRate;
    LineSound m_line;
    SampleIndex m_said = 0; // at the voice's rate
    SampleIndex m_told = 0; // at the project's rate
    std::optional<media::AudioConverter> m_converter;
};

// One sentence. `wholeEnds`: nothing follows it in the line.
Result<void> saySentence(speech::Voice& voice, const speech::ScriptLine& sentence, bool wholeEnds, GrowingLine& out,
                         const CancelToken& cancel, const SayProgress& onClause)
{
    speech::LineSpeaker speaker(voice, sentence);
    std::vector<speech::Word>& words = out.line().timing.words;
    const std::size_t firstWord = words.size();
    for (;;) {
        LQ_TRY(std::optional<speech::SpokenClause> clause, speaker.next(cancel));
        if (!clause)
            break;
        const bool more = !clause->isLast || !wholeEnds;
        LQ_CHECKED(out.add(*clause));
        if (!more || !onClause || !out.isWorthTelling())
            continue;
        LQ_TRY(SpokenSoFar soFar, out.soFar());
        onClause(std::move(soFar));
    }
    for (std::size_t i = firstWord; i < words.size(); ++i) {
        words[i].textBegin += static_cast<std::int32_t>(sentence.sourceBegin);
        words[i].textEnd += static_cast<std::int32_t>(sentence.sourceBegin);
    }
    return out.addSilence(sentence.pauseAfter); // 0 behind the last sentence
}

} // namespace

Result<speech::VoiceChoice> voiceOf(const LineWish& wish, const VoiceShelf& voices)
{
    return speech::chooseVoice(voices.list(), wish.voice, wish.language, wish.text);
}

std::string speechKey(const LineWish& wish, const speech::VoiceChoice& voice)
{
    platform::Sha256 hash;
    const auto add = [&hash](const std::string& part) {
        hash.update(std::to_string(part.size()) + ':');
        hash.update(part);
    };
    add(kSpeechVersion);
    add(wish.text);
    add(voice.voice.id);
    add(voice.language);
    add(wish.fps.toString());
    add(std::to_string(std::llround(wish.pauseAfter * 1e6)));
    if (hasOwnPace(wish.text))
        add(kPacedClauses);
    if (wish.pronunciations && !wish.pronunciations->empty()) {
        const std::string used = speech::pronunciationsUsed(wish.text, *wish.pronunciations, voice.language);
        if (!used.empty())
            add(used);
    }
    return hash.finish();
}

Result<LineSound> speakLine(const LineWish& wish, VoiceShelf& voices, const CancelToken& cancel,
                            const SayProgress& onClause)
{
    LQ_TRY(const speech::VoiceChoice choice, voiceOf(wish, voices));
    LQ_TRY(speech::Script script, speech::parseScript(wish.text, choice.language));
    if (wish.pronunciations && !wish.pronunciations->empty())
        speech::applyPronunciations(script, *wish.pronunciations, choice.language);
    LQ_TRY(const std::shared_ptr<speech::Voice> voice, voices.get(choice.voice, cancel));
    GrowingLine out(choice.voice.sampleRate);
    out.line().voice = choice.voice.id;
    if (!choice.note.empty())
        out.line().warnings.push_back(choice.note);
    for (const speech::ScriptIssue& issue : script.issues)
        out.line().warnings.push_back("Column " + std::to_string(issue.column) + ": " + issue.message);
    out.line().timing.language = choice.language;
    for (const speech::ScriptLine& sentence : script.lines)
        LQ_CHECKED(saySentence(*voice, sentence, &sentence == &script.lines.back(), out, cancel, onClause));
    if (out.isSilent())
        return fail(ErrorCode::EmptyInput, "The text gave no sound.");
    LQ_CHECKED(out.addSilence(wish.pauseAfter));
    return out.finish(wish.fps);
}

std::string lineFacts(const LineSound& sound)
{
    nlohmann::json cues = nlohmann::json::array();
    for (const comm::LineCue& cue : sound.cues)
        cues.push_back({cue.tag, cue.time, cue.strength});
    return nlohmann::json{{"frames", sound.frames},
                          {"samples", sound.audio.frames()},
                          {"voice", sound.voice},
                          {"cues", cues},
                          {"warnings", sound.warnings}}
        .dump();
}

Result<LineSound> readLineFacts(const std::string& json)
{
    try {
        const auto j = nlohmann::json::parse(json);
        LineSound out;
        j.at("frames").get_to(out.frames);
        j.at("voice").get_to(out.voice);
        j.at("warnings").get_to(out.warnings);
        for (const auto& cue : j.at("cues"))
            out.cues.push_back({cue.at(0), cue.at(1), cue.at(2)});
        const bool isFinite = std::ranges::all_of(out.cues, [](const comm::LineCue& cue) {
            return std::isfinite(cue.time) && std::isfinite(cue.strength);
        });
        if (out.frames <= 0 || !isFinite)
            return fail(ErrorCode::Corrupt, "What is stored about the sound of a line is damaged: impossible numbers.");
        return out;
    } catch (const std::exception& exception) {
        return fail(ErrorCode::Corrupt,
                    std::string("What is stored about the sound of a line is damaged: ") + exception.what());
    }
}

} // namespace loquor::session
