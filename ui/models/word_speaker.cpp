#include "ui/models/word_speaker.h"

#include <algorithm>
#include <utility>

namespace loquor::ui {

WordSpeaker::WordSpeaker(SessionBridge& bridge, audio::AudioBackend& sound, audio::AudioBackend& silence, QObject* parent)
    : QObject(parent), m_bridge(bridge), m_sound(sound, silence)
{
    connect(&m_bridge, &SessionBridge::said, this, [this](CommandId id, const std::shared_ptr<const AudioBlock>& said) {
        if (id == m_asked)
            play(said);
    });
    connect(&m_bridge, &SessionBridge::commandFailed, this, [this](CommandId id, const Error& error) {
        if (id != m_asked)
            return;
        m_asked = 0;
        Q_EMIT changed();
        if (!error.isCancelled())
            Q_EMIT failed(QString::fromStdString(error.message()));
    });
}

void WordSpeaker::say(session::SayRequest request)
{
    stop();
    m_asked = m_bridge.session().say(std::move(request));
    Q_EMIT changed();
}

void WordSpeaker::stop()
{
    m_sound.stop();
    if (m_asked == 0)
        return;
    m_bridge.session().cancel(std::exchange(m_asked, 0));
    Q_EMIT changed();
}

void WordSpeaker::play(std::shared_ptr<const AudioBlock> sound)
{
    m_asked = 0;
    const auto read = [sound](std::int64_t from, float* out, std::size_t count) {
        const auto size = static_cast<std::int64_t>(sound->samples.size());
        const auto begin = std::clamp<std::int64_t>(from, 0, size);
        const std::size_t there = std::min(count, static_cast<std::size_t>(size - begin));
        std::copy_n(sound->samples.begin() + begin, there, out);
        return there;
    };
    m_sound.play(read, sound->sampleRate, 0);
    Q_EMIT changed();
}

} // namespace loquor::ui
