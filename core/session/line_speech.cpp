#include "core/session/line_speech.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/media/audio_convert.h"
#include "core/platform/hash.h"
#include "core/speech/line_speaker.h"
#include "core/speech/script.h"

namespace loquor::session {

namespace {

constexpr const char* kSpeechVersion = "speech 1"; // bump when the same wish gives other sound

void addSilence(AudioBlock& audio, double seconds)
{
    const auto count = static_cast<std::size_t>(std::llround(seconds * audio.sampleRate));
    audio.samples.insert(audio.samples.end(), count, 0.f);
}

// Appends what a clause says to the line, in seconds of the line.
void appendClause(speech::SpokenClause clause, LineSound& line)
{
    const double start = static_cast<double>(line.audio.frames()) / line.audio.sampleRate;
    for (const speech::TimedTag& tag : clause.cues)
        line.cues.push_back({tag.name, tag.seconds + start, tag.strength});
    line.audio.samples.insert(line.audio.samples.end(), clause.sound.audio.samples.begin(),
                              clause.sound.audio.samples.end());
    speech::appendTiming(line.timing, clause.sound.timing, start, 0);
}

// At the project's rate, filled with silence up to the next frame boundary.
Result<void> finishSound(LineSound& line, Rational fps)
{
    LQ_TRY(line.audio, media::converted(line.audio, kProjectRate));
    line.frames = framesCovering(line.audio.frames(), kProjectRate, fps);
    line.audio.samples.resize(static_cast<std::size_t>(firstSampleOf(line.frames, kProjectRate, fps)), 0.f);
    const double end = static_cast<double>(line.audio.frames()) / kProjectRate;
    if (end > line.timing.durationSeconds) {
        line.timing.phonemes.push_back({"", line.timing.durationSeconds, end, 1.f, false});
        line.timing.durationSeconds = end;
    }
    return {};
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
    return hash.finish();
}

Result<LineSound> speakLine(const LineWish& wish, VoiceShelf& voices, const CancelToken& cancel)
{
    LQ_TRY(const speech::VoiceChoice choice, voiceOf(wish, voices));
    LQ_TRY(const speech::Script script, speech::parseScript(wish.text, choice.language));
    LQ_TRY(const std::shared_ptr<speech::Voice> voice, voices.get(choice.voice, cancel));
    LineSound out;
    out.voice = choice.voice.id;
    if (!choice.note.empty())
        out.warnings.push_back(choice.note);
    for (const speech::ScriptIssue& issue : script.issues)
        out.warnings.push_back("Column " + std::to_string(issue.column) + ": " + issue.message);
    out.audio.sampleRate = choice.voice.sampleRate;
    out.audio.channels = 1;
    out.timing.language = choice.language;
    for (const speech::ScriptLine& line : script.lines) {
        speech::LineSpeaker speaker(*voice, line);
        const std::size_t firstWord = out.timing.words.size();
        for (;;) {
            LQ_TRY(std::optional<speech::SpokenClause> clause, speaker.next(cancel));
            if (!clause)
                break;
            if (out.timing.source == speech::TimingSource::None)
                out.timing.source = clause->sound.timing.source;
            appendClause(std::move(*clause), out);
        }
        for (std::size_t i = firstWord; i < out.timing.words.size(); ++i) {
            out.timing.words[i].textBegin += static_cast<std::int32_t>(line.sourceBegin);
            out.timing.words[i].textEnd += static_cast<std::int32_t>(line.sourceBegin);
        }
        addSilence(out.audio, line.pauseAfter); // 0 behind the last sentence
    }
    if (out.audio.samples.empty())
        return fail(ErrorCode::EmptyInput, "The text gave no sound.");
    addSilence(out.audio, wish.pauseAfter);
    LQ_CHECKED(finishSound(out, wish.fps));
    return out;
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
