#include "core/speech/reference_windows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/speech/audio_features.h"
#include "core/speech/denoise.h"
#include "core/speech/reference_aligner.h"

namespace loquor::speech {

namespace {

constexpr int kRate = 16000;
constexpr int kShortestPause = 20;          // frames
constexpr double kSlowPace = .6, kFastPace = 2.2; // pace
constexpr double kSpare = 1.6;              // times as much reading as the pace asks for

// Where the window ends: in the middle of the longest pause within the limits, or between two words there.
double windowEnd(const AudioBlock& sound, const Timing& timing, WindowLimits limits)
{
    double longest = 0, end = 0;
    for (const FrameRange& pause : silentRuns(silentFrames(frameEnergies(sound)), kShortestPause)) {
        const double middle = (pause.begin + pause.end) * kFrameSeconds / 2;
        if (middle < limits.shortest || middle > limits.longest || pause.length() * kFrameSeconds <= longest)
            continue;
        longest = pause.length() * kFrameSeconds;
        end = middle;
    }
    if (end > 0)
        return end;
    double gap = -1;
    end = limits.longest;
    for (std::size_t i = 1; i < timing.words.size(); ++i) {
        const double from = timing.words[i - 1].end, to = timing.words[i].start;
        if (from < limits.shortest || to > limits.longest || to - from <= gap)
            continue;
        gap = to - from;
        end = (from + to) / 2;
    }
    return end;
}

// What is before `end`; a word belongs where its middle is.
void cutAt(Timing& timing, double end)
{
    const auto later = std::find_if(timing.words.begin(), timing.words.end(), [end](const Word& w) { return (w.start + w.end) / 2 >= end; });
    timing.words.erase(later, timing.words.end());
    if (!timing.words.empty())
        timing.words.back().end = std::min(timing.words.back().end, end);
    std::erase_if(timing.phonemes, [end](const Phoneme& p) { return p.start >= end - 1e-9; });
    if (!timing.phonemes.empty())
        timing.phonemes.back().end = end;
    timing.durationSeconds = end;
}

// Without the lines that end before that place.
Script linesFrom(Script script, std::int32_t textBegin)
{
    std::erase_if(script.lines, [textBegin](const ScriptLine& line) {
        return static_cast<std::int64_t>(line.sourceBegin) + static_cast<std::int64_t>(line.text.size()) <= textBegin;
    });
    return script;
}

} // namespace

ReferenceWindows::ReferenceWindows(Script script, std::shared_ptr<PhonemeClient> phonemes, Denoiser* denoiser, std::int32_t textBegin)
    : m_script(linesFrom(std::move(script), textBegin)), m_reader(m_script, std::move(phonemes)), m_denoiser(denoiser), m_textBegin(textBegin)
{
}

WindowPlan ReferenceWindows::plan(int number) const
{
    if (number == 0)
        return {{4, 10}, 8};
    if (number == 1)
        return {{8, 20}, 12};
    return {{18, 40}, 20};
}

Result<void> ReferenceWindows::haveReading(double seconds, const CancelToken& cancel)
{
    while (!m_allRead && (m_reading.timing.words.empty() || m_reading.audio.seconds() < seconds)) {
        LQ_TRY(const bool more, m_reader.addLine(m_reading, cancel));
        m_allRead = !more;
        if (m_textBegin > 0 && !m_reading.timing.words.empty())
            takeReading(std::exchange(m_textBegin, 0));
    }
    return {};
}

Result<bool> ReferenceWindows::hasWords(const CancelToken& cancel)
{
    LQ_CHECKED(haveReading(0, cancel));
    return !m_reading.timing.words.empty();
}

// The reading goes on with the word at this place of the text.
void ReferenceWindows::takeReading(std::int32_t textBegin)
{
    Timing& timing = m_reading.timing;
    const auto next = std::find_if(timing.words.begin(), timing.words.end(), [=](const Word& w) { return w.textBegin >= textBegin; });
    if (next == timing.words.end()) {
        m_reading = {};
        return;
    }
    const double from = next == timing.words.begin() ? 0 : (std::prev(next)->end + next->start) / 2;
    const auto samples = std::min(static_cast<std::size_t>(std::llround(from * m_reading.audio.sampleRate)), m_reading.audio.samples.size());
    m_reading.audio.samples.erase(m_reading.audio.samples.begin(), m_reading.audio.samples.begin() + static_cast<std::ptrdiff_t>(samples));
    const double shift = static_cast<double>(samples) / m_reading.audio.sampleRate;
    timing.words.erase(timing.words.begin(), next);
    for (Word& word : timing.words) {
        word.start -= shift;
        word.end -= shift;
    }
    std::erase_if(timing.phonemes, [shift](const Phoneme& p) { return p.end <= shift + 1e-6; });
    for (Phoneme& phoneme : timing.phonemes) {
        phoneme.start = std::max(0.0, phoneme.start - shift);
        phoneme.end -= shift;
    }
    timing.durationSeconds -= shift;
}

Result<AlignWindow> ReferenceWindows::next(const AudioBlock& sound, const WindowPlan& plan, bool isLast, const CancelToken& cancel)
{
    AudioBlock quiet;
    const bool noisy = m_denoiser != nullptr && isNoisy(sound);
    if (noisy) {
        LQ_TRY(quiet, m_denoiser->run(sound, cancel));
        if (!std::exchange(m_noisy, true))
            m_warnings.push_back(kNoisyNote);
    }
    const AudioBlock& heard = noisy ? quiet : sound;
    LQ_CHECKED(haveReading(sound.seconds() / m_pace * kSpare + 2, cancel));
    WarpRange range;
    range.pace = m_pace;
    range.isOpen = !(isLast && m_allRead);
    range.mayEndEarly = m_allRead;
    range.isFirst = std::exchange(m_first, false);
    LQ_TRY(WarpedWindow warped, warpWindow(m_reading.audio, m_reading.timing, heard, range, cancel));
    AlignWindow out;
    const double end = isLast ? sound.seconds() : windowEnd(heard, warped.timing, plan.limits);
    Timing& timing = warped.timing;
    if (!isLast)
        cutAt(timing, end);
    out.samples = isLast ? sound.samples.size() : std::min(sound.samples.size(), static_cast<std::size_t>(std::llround(end * kRate)));
    if (!timing.words.empty()) {
        const std::int32_t textEnd = timing.words.back().textEnd;
        out.words = static_cast<std::size_t>(std::count_if(m_reading.timing.words.begin(), m_reading.timing.words.end(),
                                                           [=](const Word& w) { return w.textBegin < textEnd; }));
        takeReading(textEnd);
        m_pace = std::clamp(warped.pace, kSlowPace, kFastPace);
    }
    out.timing = std::move(timing);
    return out;
}

std::vector<std::string> ReferenceWindows::takeWarnings()
{
    return std::exchange(m_warnings, {});
}

} // namespace loquor::speech
