#include "core/session/project_speaker.h"

#include "core/base/guarded_thread.h"
#include "core/base/trace.h"

namespace loquor::session {

ProjectSpeaker::ProjectSpeaker(std::shared_ptr<VoiceShelf> voices, Done done, Progress progress)
    : m_voices(std::move(voices)), m_done(std::move(done)), m_progress(std::move(progress)), m_cutter(m_voices->imports())
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

void ProjectSpeaker::ask(std::size_t item, LineWish wish, std::optional<RecordingCut> cut)
{
    {
        std::lock_guard lock(m_mutex);
        m_wishes.push_back({item, std::move(wish), std::move(cut)});
    }
    m_changed.notify_one();
}

double ProjectSpeaker::cpuSeconds() const
{
    std::lock_guard lock(m_mutex);
    return m_cpuSeconds;
}

Result<ProjectSpeaker::Spoken> ProjectSpeaker::speak(Wish wish)
{
    Spoken out;
    if (!wish.line.recording) {
        const auto tell = [&](SpokenSoFar soFar) { m_progress(wish.item, std::move(soFar)); };
        LQ_TRY(out.sound, speakLine(wish.line, *m_voices, m_cancel.token(), tell));
        return out;
    }
    if (!wish.cut) {
        LQ_TRY(out.cut, m_cutter.cut(*wish.line.recording, m_cancel.token()));
    }
    const RecordingCut& cut = out.cut ? *out.cut : *wish.cut;
    out.sound = soundOfCut(cut, wish.line.pauseAfter, wish.line.fps);
    LQ_CHECKED(addRecordedTiming(wish.line, cut, *m_voices, out.sound, m_cancel.token()));
    return out;
}

void ProjectSpeaker::run()
{
    for (;;) {
        Wish next;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_quit || !m_wishes.empty(); });
            if (m_quit)
                return;
            next = std::move(m_wishes.front());
            m_wishes.pop_front();
        }
        const std::size_t item = next.item;
        Result<Spoken> spoken = fail(ErrorCode::Internal, "nothing was spoken");
        if (auto error = caught("making the speech", [&] { spoken = speak(std::move(next)); }))
            spoken = fail(std::move(*error));
        {
            std::lock_guard lock(m_mutex);
            m_cpuSeconds = threadCpuSeconds();
        }
        if (spoken)
            m_done(item, std::move(spoken->sound), std::move(spoken->cut));
        else
            m_done(item, fail(std::move(spoken).error()), std::nullopt);
    }
}

} // namespace loquor::session
