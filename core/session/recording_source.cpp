#include "core/session/recording_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "core/pipeline/line_grid.h"
#include "core/platform/paths.h"
#include "core/speech/script.h"

namespace loquor::session {

namespace {

constexpr double kLongestAligned = 2 * 3600; // seconds; 460 MB while it is being aligned
constexpr float kSilencePeak = .002f; // -54 dB: nothing anybody said

// Rates that AAC in an MP4 can carry and every player knows.
int outputRate(int fileRate)
{
    constexpr std::array kRates{8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000};
    return std::find(kRates.begin(), kRates.end(), fileRate) != kRates.end() ? fileRate : 48000;
}

float peakOf(const AudioBlock& block)
{
    float peak = 0;
    for (const float sample : block.samples)
        peak = std::max(peak, std::abs(sample));
    return peak;
}

// Reads ahead until something is heard.
Result<void> refuseSilence(const std::filesystem::path& file, const CancelToken& cancel)
{
    LQ_TRY(media::AudioReader reader, media::AudioReader::open(file));
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, reader.read(1 << 16));
        if (block.samples.empty())
            return fail(ErrorCode::EmptyInput, "The recording " + platform::quotedPath(file) +
                                                   " is silent: nobody can be heard in it.");
        if (peakOf(block) > kSilencePeak)
            return {};
    }
}

// Directions of the transcript at the times of the words behind them.
std::vector<comm::LineCue> cuesOf(const std::string& text, const speech::Timing& timing)
{
    std::vector<comm::LineCue> out;
    const auto script = speech::parseScript(text);
    if (!script || timing.words.empty())
        return out;
    for (const speech::ScriptLine& line : script->lines) {
        for (const speech::ScriptTag& tag : line.tags) {
            if (tag.name == "pause") // a recording has its own
                continue;
            const std::int64_t place = line.sourceBegin + tag.textEnd;
            const auto next = std::find_if(timing.words.begin(), timing.words.end(),
                                           [&](const speech::Word& word) { return word.textBegin >= place; });
            const double time = next == timing.words.end() ? timing.words.back().end : next->start;
            out.push_back({tag.name, time, tag.value});
        }
    }
    return out;
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

} // namespace

RecordingSource::RecordingSource(SpeechInput input, Rational fps, std::shared_ptr<VoiceShelf> voices)
    : m_input(std::move(input)), m_fps(fps), m_voices(std::move(voices))
{
}

Result<SpeechFacts> RecordingSource::open(const CancelToken& cancel)
{
    LQ_CHECKED(refuseSilence(m_input.audioFile, cancel));
    media::AudioReadOptions options;
    options.channels = 0;
    {
        LQ_TRY(const media::AudioReader probe, media::AudioReader::open(m_input.audioFile, options));
        options.sampleRate = outputRate(probe.fileSampleRate());
        options.channels = std::min(2, probe.channels());
    }
    LQ_TRY(m_reader, media::AudioReader::open(m_input.audioFile, options));
    m_pending = {m_reader->sampleRate(), m_reader->channels(), {}};
    SpeechFacts facts;
    facts.sampleRate = m_reader->sampleRate();
    facts.channels = m_reader->channels();
    facts.estimatedSeconds = m_reader->info().estimatedSeconds;
    facts.script = m_input.text;
    LQ_TRY(const bool aligned, align(facts, cancel));
    facts.audioOnly = !aligned;
    return facts;
}

Result<bool> RecordingSource::align(SpeechFacts& facts, const CancelToken& cancel)
{
    if (m_input.text.find_first_not_of(" \t\r\n") == std::string::npos)
        return false;
    media::AudioReadOptions options;
    options.sampleRate = 16000;
    auto alignment = [&]() -> Result<speech::Alignment> {
        LQ_TRY(const AudioBlock audio,
               media::readAudio(m_input.audioFile, options, kLongestAligned, cancel));
        return m_voices->align(audio, m_input.text, m_input.language, cancel);
    }();
    if (!alignment) {
        if (alignment.error().isCancelled())
            return fail(std::move(alignment).error());
        facts.warnings.push_back("The text could not be matched with the recording, so the lips follow the "
                                 "sound alone: " +
                                 alignment.error().message());
        return false;
    }
    for (std::string& warning : alignment->warnings)
        facts.warnings.push_back(std::move(warning));
    m_timing = std::move(alignment->timing);
    m_cues = cuesOf(m_input.text, m_timing);
    return true;
}

// The times that begin within [start, end) of the recording.
void RecordingSource::takeTimes(double start, double end, SpokenLine& line)
{
    line.timing.source = m_timing.source;
    line.timing.language = m_timing.language;
    for (; m_nextWord < m_timing.words.size() && m_timing.words[m_nextWord].start < end; ++m_nextWord)
        line.timing.words.push_back(m_timing.words[m_nextWord]);
    for (; m_nextPhoneme < m_timing.phonemes.size() && m_timing.phonemes[m_nextPhoneme].start < end;
         ++m_nextPhoneme)
        line.timing.phonemes.push_back(m_timing.phonemes[m_nextPhoneme]);
    for (; m_nextCue < m_cues.size() && m_cues[m_nextCue].time < end; ++m_nextCue)
        line.cues.push_back(m_cues[m_nextCue]);
    if (line.timing.words.empty())
        return;
    const auto begin = static_cast<std::size_t>(line.timing.words.front().textBegin);
    const auto stop = static_cast<std::size_t>(line.timing.words.back().textEnd);
    line.text = m_input.text.substr(begin, stop - begin);
    line.timing.durationSeconds = end - start;
}

// Holds at least as much as a cut needs to see.
Result<void> RecordingSource::fill(const CancelToken& cancel)
{
    const auto wanted = static_cast<SampleIndex>(pipeline::CutLimits{}.maxSeconds * m_pending.sampleRate) + 1;
    while (!m_ended && m_pending.frames() < wanted) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, m_reader->read(m_pending.sampleRate));
        m_ended = block.samples.empty();
        m_pending.samples.insert(m_pending.samples.end(), block.samples.begin(), block.samples.end());
    }
    return {};
}

Result<std::optional<SpokenLine>> RecordingSource::next(const CancelToken& cancel)
{
    if (m_finished)
        return std::nullopt;
    LQ_CHECKED(fill(cancel));
    const SampleIndex cut =
        pipeline::cutAtPause(monoOf(m_pending), m_start, m_pending.sampleRate, m_fps);
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
    if (!m_timing.phonemes.empty())
        takeTimes(static_cast<double>(m_start) / rate,
                  line.isLast ? std::numeric_limits<double>::max() : static_cast<double>(m_start + cut) / rate,
                  line);
    m_start += cut;
    return line;
}

std::vector<std::string> RecordingSource::takeWarnings()
{
    if (!m_reader)
        return {};
    const std::vector<std::string>& all = m_reader->warnings();
    std::vector<std::string> out(all.begin() + static_cast<std::ptrdiff_t>(m_warningsTaken), all.end());
    m_warningsTaken = all.size();
    return out;
}

} // namespace loquor::session
