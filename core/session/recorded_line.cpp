#include "core/session/recorded_line.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/media/audio_convert.h"
#include "core/platform/atomic_file.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"
#include "core/speech/script.h"

namespace loquor::session {

namespace {

// Bump when the same part gives other samples, or the same text other times.
constexpr const char* kCutVersion = "cut 1";
constexpr const char* kRecordedVersion = "recorded 1";
constexpr int kAlignRate = 16000;
constexpr SampleIndex kContext = static_cast<SampleIndex>(kContextSeconds * kProjectRate);
static_assert(kProjectRate == project::kRecordingRate, "parts of recordings are counted at the project's rate");

std::string hashOf(std::initializer_list<std::string> parts)
{
    platform::Sha256 hash;
    for (const std::string& part : parts)
        hash.update(std::to_string(part.size()) + ':' + part);
    return hash.finish();
}

bool isBlank(const std::string& text)
{
    return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// What is said for words of the text, by its tags and the dictionaries; "" where all is said as written.
std::string saidInstead(const LineWish& wish)
{
    auto script = speech::parseScript(wish.text, wish.language);
    if (!script)
        return {};
    if (wish.pronunciations)
        speech::applyPronunciations(*script, *wish.pronunciations, script->language);
    std::string out;
    for (const speech::ScriptLine& line : script->lines) {
        for (const speech::SpokenSpan& span : line.spans) {
            if (span.kind == speech::SpanKind::Alias || span.kind == speech::SpanKind::Ipa)
                out += '\n' + std::to_string(line.sourceBegin + span.textBegin) + ' ' + std::to_string(static_cast<int>(span.kind)) + ' ' + span.text;
        }
    }
    return out;
}

// Directions happen when the word behind them begins, at the end of the last word, or at the start when
// nobody knows where the words are.
void addCues(const std::string& text, LineSound& line)
{
    const auto script = speech::parseScript(text);
    if (!script)
        return;
    for (const speech::ScriptIssue& issue : script->issues)
        line.warnings.push_back("Column " + std::to_string(issue.column) + ": " + issue.message);
    const std::vector<speech::Word>& words = line.timing.words;
    for (const speech::ScriptLine& sentence : script->lines) {
        for (const speech::ScriptTag& tag : sentence.tags) {
            if (tag.name == "pause") // a recording has its own
                continue;
            const auto end = tag.textEnd + sentence.sourceBegin;
            const auto next = std::find_if(words.begin(), words.end(),
                                           [&](const speech::Word& word) { return word.textBegin >= end; });
            const double last = words.empty() ? 0 : words.back().end;
            line.cues.push_back({tag.name, next == words.end() ? last : next->start, tag.value});
        }
    }
}

} // namespace

std::string cutKey(const project::Recording& part)
{
    const std::string first = std::to_string(part.first), samples = std::to_string(part.samples);
    return part.import.isPlain() ? hashOf({kCutVersion, part.sha256, first, samples})
                                 : hashOf({kCutVersion, part.sha256, first, samples, media::importKey(part.import)});
}

std::string recordedKey(const LineWish& wish)
{
    return hashOf({kRecordedVersion, cutKey(*wish.recording), wish.text, wish.language, wish.fps.toString(),
                   std::to_string(std::llround(wish.pauseAfter * 1e6)) + saidInstead(wish)});
}

std::string cutFacts(const CutShape& shape)
{
    return nlohmann::json{{"before", shape.before}, {"samples", shape.samples}, {"after", shape.after}}.dump();
}

Result<CutShape> readCutFacts(const std::string& json)
{
    try {
        const auto j = nlohmann::json::parse(json);
        const CutShape out{j.at("before"), j.at("samples"), j.at("after")};
        if (out.before < 0 || out.samples <= 0 || out.after < 0)
            return fail(ErrorCode::Corrupt, "What is stored about a part of a recording is damaged: impossible numbers.");
        return out;
    } catch (const std::exception& exception) {
        return fail(ErrorCode::Corrupt,
                    "What is stored about a part of a recording is damaged: " + jsonProblem(exception));
    }
}

RecordingCutter::RecordingCutter(std::shared_ptr<ImportShelf> imports) : m_imports(std::move(imports))
{
}

Result<void> RecordingCutter::open(const project::Recording& part, const CancelToken& cancel)
{
    m_reader.reset();
    m_samples.clear();
    m_start = 0;
    m_ended = false;
    const std::string name = platform::quotedPath(part.file);
    if (m_sha256 != part.sha256) {
        m_sha256.clear();
        if (const auto there = platform::openForReading(part.file); !there)
            return fail(there.error().code(), "Its recording " + name + " cannot be read (" + there.error().message() +
                                                  "). Put it back, or tell the project where it is now: project relink.");
        LQ_TRY(const std::string hash, platform::sha256File(part.file, cancel));
        if (hash != part.sha256)
            return fail(ErrorCode::Corrupt,
                        "Its recording " + name + " is not the file that was added any more: its content has changed. Put the "
                                                  "old one back or tell the project where it is (project relink), or add the new one as lines of its own.");
        m_sha256 = hash;
    }
    LQ_TRY(const ImportedSound sound, m_imports->get(part.file, part.import, cancel, m_sha256));
    LQ_TRY(m_reader, media::AudioReader::open(sound.file, sound.reading(kProjectRate, 1), cancel));
    m_import = part.import;
    return {};
}

Result<void> RecordingCutter::readUntil(SampleIndex end, SampleIndex keepFrom, const CancelToken& cancel)
{
    const auto have = [&] { return m_start + static_cast<SampleIndex>(m_samples.size()); };
    while (!m_ended && have() < end) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, m_reader->read(kProjectRate));
        m_ended = block.samples.empty();
        m_samples.insert(m_samples.end(), block.samples.begin(), block.samples.end());
        const SampleIndex drop = std::min(keepFrom, have()) - m_start;
        if (drop > 0) {
            m_samples.erase(m_samples.begin(), m_samples.begin() + drop);
            m_start += drop;
        }
    }
    return {};
}

Result<RecordingCut> RecordingCutter::cut(const project::Recording& part, const CancelToken& cancel)
{
    const SampleIndex from = std::max<SampleIndex>(0, part.first - kContext);
    const SampleIndex end = part.first + part.samples;
    if (!m_reader || m_sha256 != part.sha256 || m_import != part.import || from < m_start)
        LQ_CHECKED(open(part, cancel));
    LQ_CHECKED(readUntil(end + kContext + 1, from, cancel)); // a sample more: see soundOfCut()
    const SampleIndex known = m_start + static_cast<SampleIndex>(m_samples.size());
    if (known < end)
        return fail(ErrorCode::InvalidArgument, "Its part of the recording " + platform::quotedPath(part.file) +
                                                    " lies beyond the end of the recording.");
    const SampleIndex until = std::min(known, end + kContext + 1);
    RecordingCut out;
    out.before = part.first - from;
    out.after = until - end;
    out.audio = {kProjectRate, 1, {m_samples.begin() + (from - m_start), m_samples.begin() + (until - m_start)}};
    return out;
}

LineSound soundOfCut(const RecordingCut& cut, double pauseAfter, Rational fps)
{
    const auto pause = static_cast<SampleIndex>(std::llround(pauseAfter * kProjectRate));
    const SampleIndex own = cut.samples();
    const bool goesOn = pause == 0 && cut.after > 0;
    LineSound out;
    out.contextBefore = cut.before;
    // A part that was cut on the grid of its recording may have a sample more than the line's own grid holds.
    out.frames = framesCovering(goesOn ? std::max<SampleIndex>(1, own - 1) : own + pause, kProjectRate, fps);
    const SampleIndex wanted = firstSampleOf(out.frames, kProjectRate, fps);
    const bool onGrid = goesOn && wanted <= own + 1;
    const SampleIndex taken = onGrid ? wanted : std::min(own, wanted);
    const SampleIndex behind = onGrid ? std::min(cut.audio.frames() - cut.before - taken, kContext) : 0;
    const auto begin = cut.audio.samples.begin();
    out.audio = {kProjectRate, 1, {begin, begin + cut.before + taken}};
    out.audio.samples.resize(static_cast<std::size_t>(cut.before + wanted), 0.f);
    out.audio.samples.insert(out.audio.samples.end(), begin + cut.before + taken, begin + cut.before + taken + behind);
    out.contextAfter = behind;
    return out;
}

SampleIndex heardSamples(const CutShape& cut, double pauseAfter)
{
    return cut.samples + (pauseAfter <= 0 && cut.after > 0 ? 1 : 0);
}

Result<void> addRecordedTiming(const LineWish& wish, const RecordingCut& cut, VoiceShelf& voices, LineSound& line,
                               const CancelToken& cancel)
{
    const double seconds = static_cast<double>(line.audio.frames() - line.contextBefore - line.contextAfter) / kProjectRate;
    line.timing.source = speech::TimingSource::Audio;
    line.timing.language = wish.language;
    line.timing.durationSeconds = seconds;
    if (isBlank(wish.text))
        return {};
    const auto begin = cut.audio.samples.begin() + cut.before;
    auto aligned = [&]() -> Result<speech::Alignment> {
        LQ_TRY(const AudioBlock sound, media::converted({kProjectRate, 1, {begin, begin + cut.samples()}}, kAlignRate));
        speech::AlignOptions options;
        options.language = wish.language;
        options.pronunciations = wish.pronunciations;
        return voices.align(sound, wish.text, options, cancel);
    }();
    if (!aligned && aligned.error().isCancelled())
        return fail(std::move(aligned).error());
    if (aligned) {
        line.warnings.insert(line.warnings.end(), aligned->warnings.begin(), aligned->warnings.end());
        line.timing = std::move(aligned->timing);
        if (!line.timing.phonemes.empty() && seconds > line.timing.durationSeconds) {
            line.timing.phonemes.push_back({"", line.timing.durationSeconds, seconds, 1.f, false});
            line.timing.durationSeconds = seconds;
        }
    } else {
        line.warnings.push_back("The text could not be matched with the recording, so the lips follow the sound alone: " +
                                aligned.error().message());
    }
    addCues(wish.text, line);
    return {};
}

} // namespace loquor::session
