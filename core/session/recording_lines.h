// Makes the lines of a project out of a recording, on a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/cancel.h"
#include "core/session/session.h"
#include "core/session/voice_shelf.h"

namespace loquor::session {

// Blocks: reads the recording once for its hash and once for its pauses, bit by bit; with a text it is matched
// with the sound. Lines last 4 to 15 seconds (the last one 2 to 17), are cut at
// pauses on frame boundaries and never inside a word that was found; together they are the whole recording and
// the whole text. `progress` is told the frames that are done and how many there are about. Errors: those of the
// file, EmptyInput (silent, no sound).
using CutProgress = std::function<void(FrameIndex done, FrameIndex total)>;
Result<RecordedLines> cutIntoLines(const RecordingRequest& request, std::shared_ptr<VoiceShelf> voices,
                                   const CancelToken& cancel, const CutProgress& progress = {});

// Asked from the engine thread; `done` is called on its own, in order. Destruction cancels and joins.
class RecordingDesk
{
public:
    using Done = std::function<void(CommandId id, Result<RecordedLines> lines)>;
    using Told = std::function<void(CommandId id, FrameIndex done, FrameIndex total)>; // on its own thread
    RecordingDesk(std::shared_ptr<VoiceShelf> voices, Done done, Told told);
    ~RecordingDesk();
    void ask(CommandId id, RecordingRequest request);
    // Nothing for others; the answer is Cancelled.
    void cancel(CommandId id);

private:
    struct Work
    {
        CommandId id = 0;
        RecordingRequest request;
        CancelSource cancel;
    };
    void run();

    const std::shared_ptr<VoiceShelf> m_voices;
    const Done m_done;
    const Told m_told;
    std::mutex m_mutex; // guards the two below
    std::deque<std::shared_ptr<Work>> m_asked; // the first is being worked on
    bool m_quit = false;
    std::condition_variable m_changed;
    std::thread m_thread;
};

} // namespace loquor::session
