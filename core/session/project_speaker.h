// The thread that speaks the lines of a project, or cuts them out of recordings, one at a time and only when asked.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/cancel.h"
#include "core/session/recorded_line.h"

namespace loquor::session {

// Asked from the engine thread; `done` is called on the speaker's own. Destruction cancels and joins.
class ProjectSpeaker
{
public:
    // `cut`: of a recorded line, when it was not given.
    using Done = std::function<void(std::size_t item, Result<LineSound> sound, std::optional<RecordingCut> cut)>;
    // What was said of the line that is being spoken, on the speaker's own thread.
    using Progress = std::function<void(std::size_t item, SpokenSoFar soFar)>;
    ProjectSpeaker(std::shared_ptr<VoiceShelf> voices, Done done, Progress progress);
    ~ProjectSpeaker();

    // Requests are served in order. `cut`: the sound of a recorded line, where it is known already; else it is
    // read from the recording.
    void ask(std::size_t item, LineWish wish, std::optional<RecordingCut> cut = std::nullopt);
    double cpuSeconds() const;

private:
    struct Wish
    {
        std::size_t item = 0;
        LineWish line;
        std::optional<RecordingCut> cut;
    };
    struct Spoken
    {
        LineSound sound;
        std::optional<RecordingCut> cut;
    };
    void run();
    Result<Spoken> speak(Wish wish);

    const std::shared_ptr<VoiceShelf> m_voices;
    const Done m_done;
    const Progress m_progress;
    CancelSource m_cancel;
    mutable std::mutex m_mutex; // guards the three below
    std::deque<Wish> m_wishes;
    double m_cpuSeconds = 0;
    bool m_quit = false;
    std::condition_variable m_changed;
    RecordingCutter m_cutter; // its own thread only
    std::thread m_thread;
};

} // namespace loquor::session
