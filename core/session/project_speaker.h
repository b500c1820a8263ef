// The thread that speaks the lines of a project, one at a time and only when asked.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/cancel.h"
#include "core/session/line_speech.h"

namespace loquor::session {

// Asked from the engine thread; `done` is called on the speaker's own. Destruction cancels and joins.
class ProjectSpeaker
{
public:
    using Done = std::function<void(std::size_t item, Result<LineSound> sound)>;
    ProjectSpeaker(std::shared_ptr<VoiceShelf> voices, Done done);
    ~ProjectSpeaker();

    // Requests are served in order.
    void ask(std::size_t item, LineWish wish);
    double cpuSeconds() const;

private:
    void run();

    const std::shared_ptr<VoiceShelf> m_voices;
    const Done m_done;
    CancelSource m_cancel;
    mutable std::mutex m_mutex; // guards the three below
    std::deque<std::pair<std::size_t, LineWish>> m_wishes;
    double m_cpuSeconds = 0;
    bool m_quit = false;
    std::condition_variable m_changed;
    std::thread m_thread;
};

} // namespace loquor::session
