// Works off what is asked, one after the other, on a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/cancel.h"
#include "core/base/error.h"

namespace loquor::session {

// ask() and cancel() return at once; one thread. Destruction cancels everything and joins.
class WorkDesk
{
public:
    using Id = std::uint64_t;
    // Runs on the desk's thread and gives its answer itself; what it returns is why there is none.
    using Work = std::function<Result<void>(const CancelToken& cancel)>;
    using Failed = std::function<void(Id id, Error error)>; // on the desk's thread

    // `name`: of the thread, for the log.
    WorkDesk(const char* name, Failed failed);
    ~WorkDesk();
    WorkDesk(const WorkDesk&) = delete;
    WorkDesk& operator=(const WorkDesk&) = delete;

    void ask(Id id, Work work);
    // Nothing for work that is not here; else it fails as cancelled, also before it began.
    void cancel(Id id);

private:
    struct Asked
    {
        Id id = 0;
        Work work;
        CancelSource cancel;
    };
    void run();
    void workOff(const Asked& asked) const;

    const Failed m_failed;
    std::mutex m_mutex; // guards the two below
    std::deque<std::shared_ptr<Asked>> m_asked; // the first is being worked on
    bool m_quit = false;
    std::condition_variable m_changed;
    std::thread m_thread;
};

} // namespace loquor::session
