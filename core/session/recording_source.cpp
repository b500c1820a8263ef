#include "core/session/recording_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/random.h"
#include "core/platform/paths.h"
#include "core/session/speech_check.h"
#include "core/speech/script.h"

namespace loquor::session {

namespace {

constexpr int kAlignRate = 16000;

// Rates that AAC in an MP4 can carry and every player knows.
int outputRate(int fileRate)
{
    constexpr std::array kRates{8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000};
    return std::find(kRates.begin(), kRates.end(), fileRate) != kRates.end() ? fileRate : 48000;
}

std::vector<float> monoOf(const AudioBlock& block)
{
    const auto channels = static_cast<std::size_t>(block.channels);
    std::vector<float> out(static_cast<std::size_t>(block.frames()));
    for (std::size_t i = 0; i < out.size(); ++i) {
        for (std::size_t c = 0; c < channels; ++c)
            out[i] += block.samples[i * channels + c];
    }
    return out;
}

// Moves what begins before `end` from the front of one list to the back of the other.
template<class T, class Start>
void moveBefore(std::vector<T>& from, std::vector<T>& to, double end, Start start)
{
    const auto stop = std::find_if(from.begin(), from.end(), [&](const T& item) { return start(item) >= end; });
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(stop));
    from.erase(from.begin(), stop);
}

} // namespace

RecordingSource::RecordingSource(SpeechInput input, Rational fps, std::shared_ptr<VoiceShelf> voices,
                                 RecordingShape shape)
    : m_input(std::move(input)), m_fps(fps), m_voices(std::move(voices)), m_shape(std::move(shape))
{
}

Result<SpeechFacts> RecordingSource::open(const CancelToken& cancel)
{
    LQ_CHECKED(refuseSilence(m_input.audioFile, m_input.import, cancel));
    LQ_TRY(m_sound, m_voices->imports()->get(m_input.audioFile, m_input.import, cancel));
    media::AudioReadOptions options = m_sound.reading(0, 0);
    {
        LQ_TRY(const media::AudioReader probe, media::AudioReader::open(m_sound.file, options, cancel));
        options.sampleRate = m_shape.sampleRate > 0 ? m_shape.sampleRate : outputRate(probe.fileSampleRate());
        options.channels = m_shape.channels > 0 ? m_shape.channels : std::min(2, probe.channels());
    }
    LQ_TRY(m_reader, media::AudioReader::open(m_sound.file, options, cancel));
    m_pending = {m_reader->sampleRate(), m_reader->channels(), {}};
    SpeechFacts facts;
    facts.sampleRate = m_reader->sampleRate();
    facts.channels = m_reader->channels();
    facts.estimatedSeconds = estimatedSeconds();
    facts.script = m_input.text;
    LQ_CHECKED(openAlignment(facts, cancel));
    facts.audioOnly = !m_stream && m_timing.phonemes.empty();
    return facts;
}

// What the file claims of the part that is used.
double RecordingSource::estimatedSeconds() const
{
    const double all = m_reader->info().estimatedSeconds;
    const double from = std::chrono::duration<double>(m_sound.part.from).count();
    const double to = std::chrono::duration<double>(m_sound.part.to).count();
    return std::max(0.0, (to > 0 ? (all > 0 ? std::min(all, to) : to) : all) - from);
}

Result<void> RecordingSource::openAlignment(SpeechFacts& facts, const CancelToken& cancel)
{
    if (m_input.text.find_first_not_of(" \t\r\n") == std::string::npos)
        return {};
    LQ_TRY(const speech::Pronunciations user, speech::readPronunciations(speech::userPronunciationsFile(platform::configFolder())));
    m_how.pronunciations = std::make_shared<const speech::Pronunciations>(speech::mergedPronunciations(m_shape.pronunciations, user));
    m_how.language = m_input.language;
    if (const auto script = speech::parseScript(m_input.text, m_input.language))
        readTags(*script);
    auto begun = [&]() -> Result<void> {
        LQ_TRY(m_stream, m_voices->alignStream(m_input.text, m_how));
        LQ_TRY(m_listener, media::AudioReader::open(m_sound.file, m_sound.reading(kAlignRate, 1), cancel));
        return {};
    }();
    if (begun || begun.error().isCancelled())
        return begun;
    m_stream.reset();
    facts.warnings.push_back("The text could not be matched with the recording, so the lips follow the "
                             "sound alone: " +
                             begun.error().message());
    return {};
}

Result<void> RecordingSource::alignUntil(double seconds, const CancelToken& cancel)
{
    while (m_stream && m_alignedUntil < seconds) {
        while (!m_heardAll && m_stream->wantsSound()) {
            LQ_TRY(const AudioBlock block, m_listener->read(1 << 16));
            m_heardAll = block.samples.empty();
            m_stream->add(block.samples);
        }
        LQ_TRY(const speech::AlignedStretch stretch, m_voices->alignNext(*m_stream, m_heardAll, cancel));
        keepTimes(stretch.timing);
        m_alignedUntil = stretch.end;
        for (std::string& warning : m_stream->takeWarnings())
            m_warnings.push_back(std::move(warning));
        if (m_stream->isOver()) {
            m_stream.reset();
            m_listener.reset();
        }
    }
    return {};
}

// Directions of the transcript, in order, and what of it cannot be read.
void RecordingSource::readTags(const speech::Script& script)
{
    for (std::string& issue : speech::issueTexts(script.issues))
        m_warnings.push_back(std::move(issue));
    for (const speech::ScriptLine& line : script.lines) {
        for (speech::ScriptTag tag : line.tags) {
            if (tag.name == "pause") // a recording has its own
                continue;
            tag.textEnd += static_cast<std::int32_t>(line.sourceBegin);
            m_tags.push_back(std::move(tag));
        }
    }
}

// Directions happen when the word behind them begins.
void RecordingSource::keepTimes(const speech::Timing& timing)
{
    m_timing.source = timing.source;
    m_timing.language = timing.language;
    for (const speech::Word& word : timing.words) {
        for (; m_nextTag < m_tags.size() && m_tags[m_nextTag].textEnd <= word.textBegin; ++m_nextTag)
            m_cues.push_back({m_tags[m_nextTag].name, word.start, m_tags[m_nextTag].value});
        m_timing.words.push_back(word);
        m_lastWordEnd = word.end;
    }
    m_timing.phonemes.insert(m_timing.phonemes.end(), timing.phonemes.begin(), timing.phonemes.end());
}

// Marks behind a word are its own, up to the next space or word.
std::size_t RecordingSource::endOfMarks(const speech::Word& word) const
{
    const std::string& text = m_input.text;
    const std::size_t most = m_timing.words.empty() ? text.size() : static_cast<std::size_t>(m_timing.words.front().textBegin);
    auto end = static_cast<std::size_t>(word.textEnd);
    while (end < std::min(most, text.size()) && text[end] != '[' && std::string_view(" \t\r\n").find(text[end]) == std::string_view::npos)
        ++end;
    return end;
}

// The times that begin within [start, end) of the recording.
void RecordingSource::takeTimes(double start, double end, SpokenLine& line)
{
    line.timing.source = m_timing.source;
    line.timing.language = m_timing.language;
    moveBefore(m_timing.words, line.timing.words, end, [](const speech::Word& w) { return w.start; });
    moveBefore(m_timing.phonemes, line.timing.phonemes, end, [](const speech::Phoneme& p) { return p.start; });
    if (line.isLast) { // directions behind the last word
        for (; m_nextTag < m_tags.size(); ++m_nextTag)
            m_cues.push_back({m_tags[m_nextTag].name, m_lastWordEnd, m_tags[m_nextTag].value});
    }
    moveBefore(m_cues, line.cues, end, [](const comm::LineCue& cue) { return cue.time; });
    if (line.timing.words.empty())
        return;
    const auto begin = static_cast<std::size_t>(line.timing.words.front().textBegin);
    line.text = m_input.text.substr(begin, endOfMarks(line.timing.words.back()) - begin);
    line.textBegin = static_cast<std::int64_t>(begin);
    for (speech::Word& word : line.timing.words) {
        word.textBegin -= static_cast<std::int32_t>(begin);
        word.textEnd -= static_cast<std::int32_t>(begin);
    }
    line.timing.durationSeconds = end - start;
}

// Holds at least as much as a cut needs to see.
Result<void> RecordingSource::fill(const CancelToken& cancel)
{
    const auto wanted = static_cast<SampleIndex>(m_shape.limits.maxSeconds * m_pending.sampleRate) + 1;
    while (!m_ended && m_pending.frames() < wanted) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, m_reader->read(m_pending.sampleRate));
        m_ended = block.samples.empty();
        m_pending.samples.insert(m_pending.samples.end(), block.samples.begin(), block.samples.end());
    }
    return {};
}

SampleIndex RecordingSource::betweenWords(SampleIndex cut) const
{
    constexpr double kEdge = .03; // seconds by which the times of words may be wrong
    const double rate = m_pending.sampleRate;
    const double at = static_cast<double>(m_start + cut) / rate;
    const double first = static_cast<double>(m_start) / rate + m_shape.limits.minSeconds;
    const double last = static_cast<double>(m_start) / rate + m_shape.limits.maxSeconds;
    const std::vector<speech::Word>& words = m_timing.words;
    const bool inWord = std::any_of(words.begin(), words.end(), [&](const speech::Word& word) {
        return word.start + kEdge < at && at < word.end - kEdge;
    });
    if (!inWord)
        return cut;
    double longest = -1, middle = at;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const double gap = words[i].start - words[i - 1].end;
        const double centre = (words[i].start + words[i - 1].end) / 2;
        if (centre >= first && centre <= last && gap > longest) {
            longest = gap;
            middle = centre;
        }
    }
    const auto sample = static_cast<SampleIndex>(std::llround(middle * rate));
    const FrameIndex frame = frameOf(sample, m_pending.sampleRate, m_fps);
    const SampleIndex below = firstSampleOf(frame, m_pending.sampleRate, m_fps);
    const SampleIndex above = firstSampleOf(frame + 1, m_pending.sampleRate, m_fps);
    const SampleIndex nearest = (sample - below <= above - sample ? below : above) - m_start;
    return nearest > 0 && nearest < m_pending.frames() ? nearest : cut;
}

Result<std::optional<SpokenLine>> RecordingSource::next(const CancelToken& cancel)
{
    if (m_finished)
        return std::nullopt;
    LQ_CHECKED(fill(cancel));
    SampleIndex cut =
        pipeline::cutAtPause(monoOf(m_pending), m_start, m_pending.sampleRate, m_fps, m_shape.limits);
    if (m_shape.wholeWords && cut < m_pending.frames()) {
        LQ_CHECKED(alignUntil(static_cast<double>(m_start) / m_pending.sampleRate + m_shape.limits.maxSeconds, cancel));
        cut = betweenWords(cut);
    }
    SpokenLine line;
    line.number = ++m_number;
    line.id = mixSeed(0, static_cast<std::uint64_t>(m_number));
    line.isLast = m_finished = m_ended && cut == m_pending.frames();
    const auto values = static_cast<std::ptrdiff_t>(cut * m_pending.channels);
    line.audio = {m_pending.sampleRate, m_pending.channels, {m_pending.samples.begin(), m_pending.samples.begin() + values}};
    m_pending.samples.erase(m_pending.samples.begin(), m_pending.samples.begin() + values);
    line.timing.source = speech::TimingSource::Audio;
    line.timing.language = m_input.language;
    const double rate = m_pending.sampleRate;
    line.timing.durationSeconds = static_cast<double>(cut) / rate;
    const double end = static_cast<double>(m_start + cut) / rate;
    LQ_CHECKED(alignUntil(line.isLast ? std::numeric_limits<double>::max() : end, cancel));
    if (!m_timing.phonemes.empty() || !m_cues.empty())
        takeTimes(static_cast<double>(m_start) / rate, line.isLast ? std::numeric_limits<double>::max() : end, line);
    m_start += cut;
    return line;
}

std::vector<std::string> RecordingSource::takeWarnings()
{
    std::vector<std::string> out = std::exchange(m_warnings, {});
    if (!m_reader)
        return out;
    const std::vector<std::string>& all = m_reader->warnings();
    out.insert(out.end(), all.begin() + static_cast<std::ptrdiff_t>(m_warningsTaken), all.end());
    m_warningsTaken = all.size();
    return out;
}

} // namespace loquor::session
