#include "core/session/project_speaker.h"

#include "core/base/guarded_thread.h"
#include "core/base/trace.h"

namespace loquor::session {

ProjectSpeaker::ProjectSpeaker(std::shared_ptr<VoiceShelf> voices, Done done)
    : m_voices(std::move(voices)), m_done(std::move(done))
{
    m_thread = guardedThread("speaking lines", [this] { run(); });
}

ProjectSpeaker::~ProjectSpeaker()
{
    m_cancel.cancel();
    {
        std::lock_guard lock(m_mutex);
        m_quit = true;
    }
    m_changed.notify_one();
    m_thread.join();
}

void ProjectSpeaker::ask(std::size_t item, LineWish wish)
{
    {
        std::lock_guard lock(m_mutex);
        m_wishes.emplace_back(item, std::move(wish));
    }
    m_changed.notify_one();
}

double ProjectSpeaker::cpuSeconds() const
{
    std::lock_guard lock(m_mutex);
    return m_cpuSeconds;
}

void ProjectSpeaker::run()
{
    for (;;) {
        std::pair<std::size_t, LineWish> next;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_quit || !m_wishes.empty(); });
            if (m_quit)
                return;
            next = std::move(m_wishes.front());
            m_wishes.pop_front();
        }
        Result<LineSound> sound = fail(ErrorCode::Internal, "nothing was spoken");
        const auto speak = [&] { sound = speakLine(next.second, *m_voices, m_cancel.token()); };
        if (auto error = caught("making the speech", speak))
            sound = fail(std::move(*error));
        {
            std::lock_guard lock(m_mutex);
            m_cpuSeconds = threadCpuSeconds();
        }
        m_done(next.first, std::move(sound));
    }
}

} // namespace loquor::session
