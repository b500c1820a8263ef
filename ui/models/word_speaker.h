// Says something to be heard at once: a word of a dictionary.
#pragma once

#include <QObject>
#include <QString>

#include "core/audio/playback.h"
#include "ui/bridge/session_bridge.h"

namespace loquor::ui {

// UI thread; returns at once. What is asked for last is heard, what came before is given up. Sounds on the default output,
// beside the preview.
class WordSpeaker : public QObject
{
    Q_OBJECT

public:
    // The devices outlive this.
    WordSpeaker(SessionBridge& bridge, audio::AudioBackend& sound, audio::AudioBackend& silence, QObject* parent = nullptr);

    void say(session::SayRequest request);
    // Something that is there already.
    void play(std::shared_ptr<const AudioBlock> sound);
    void stop();
    bool isWaiting() const { return m_asked != 0; }
    bool isPlaying() const { return m_sound.isPlaying(); }

Q_SIGNALS:
    void changed(); // waits or not
    void failed(const QString& message);

private:
    SessionBridge& m_bridge;
    audio::Playback m_sound;
    CommandId m_asked = 0; // 0 = nothing is waited for
};

} // namespace loquor::ui
