#include "core/session/line_assembler.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/pipeline/line_grid.h"

namespace loquor::session {

LineAssembler::LineAssembler(int sampleRate, int channels, Rational fps)
    : m_fps(fps), m_pending{sampleRate, channels, {}}
{
    LOQUOR_CHECK(sampleRate > 0 && channels > 0 && fps.num > 0, "rates must be positive");
}

void LineAssembler::add(const AudioBlock& audio)
{
    LOQUOR_CHECK(audio.sampleRate == m_pending.sampleRate && audio.channels == m_pending.channels,
                 "all sound of a run has one shape");
    m_pending.samples.insert(m_pending.samples.end(), audio.samples.begin(), audio.samples.end());
}

void LineAssembler::addSilence(double seconds)
{
    const auto samples = static_cast<std::size_t>(std::llround(std::max(0.0, seconds) * m_pending.sampleRate));
    m_pending.samples.resize(m_pending.samples.size() +
                             samples * static_cast<std::size_t>(m_pending.channels));
}

void LineAssembler::padToFrame()
{
    if (end() == 0)
        return;
    const SampleIndex pad = pipeline::paddingToFrame(0, end(), m_pending.sampleRate, m_fps);
    m_pending.samples.resize(m_pending.samples.size() +
                             static_cast<std::size_t>(pad * m_pending.channels));
}

AudioBlock LineAssembler::takeWhole()
{
    const FrameIndex frame = frameOf(end(), m_pending.sampleRate, m_fps);
    return take(std::max<SampleIndex>(0, firstSampleOf(frame, m_pending.sampleRate, m_fps) - m_start));
}

AudioBlock LineAssembler::takeAll()
{
    return take(m_pending.frames());
}

AudioBlock LineAssembler::take(SampleIndex samples)
{
    const auto values = static_cast<std::ptrdiff_t>(samples * m_pending.channels);
    AudioBlock out{m_pending.sampleRate, m_pending.channels, {m_pending.samples.begin(), m_pending.samples.begin() + values}};
    m_pending.samples.erase(m_pending.samples.begin(), m_pending.samples.begin() + values);
    m_start += samples;
    return out;
}

} // namespace loquor::session
