#include "core/portrait/worker_pool.h"

#include <system_error>
#include <utility>

#include "core/base/guarded_thread.h"
#include "core/base/log.h"

namespace loquor::portrait {

WorkerPool::WorkerPool(int threads)
{
    try {
        for (int i = 1; i < threads; ++i)
            m_threads.push_back(guardedThread("working on a picture", [this] { workerLoop(); }));
    } catch (const std::system_error& error) { // fewer threads do the same work
        log(LogLevel::Info, "portrait", std::string("no more threads: ") + error.what());
    }
}

WorkerPool::~WorkerPool()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
}

void WorkerPool::drain()
{
    for (;;) {
        const std::size_t i = m_next.fetch_add(1, std::memory_order_relaxed);
        if (i >= m_count)
            return;
        try {
            (*m_work)(i);
        } catch (...) {
            m_next.store(m_count, std::memory_order_relaxed); // the other pieces are not wanted any more
            const std::lock_guard lock(m_mutex);
            if (!m_failure)
                m_failure = std::current_exception();
        }
    }
}

void WorkerPool::workerLoop()
{
    std::uint64_t seen = 0;
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_wake.wait(lock, [&] { return m_stop || m_round != seen; });
        if (m_stop)
            return;
        seen = m_round;
        lock.unlock();
        drain();
        lock.lock();
        if (--m_busy == 0)
            m_done.notify_one();
    }
}

void WorkerPool::run(std::size_t count, const std::function<void(std::size_t)>& work)
{
    m_work = &work;
    m_count = count;
    m_next.store(0, std::memory_order_relaxed);
    const bool alone = m_threads.empty() || count < 2;
    if (!alone) {
        const std::lock_guard lock(m_mutex);
        m_busy = static_cast<int>(m_threads.size());
        ++m_round;
    }
    if (!alone)
        m_wake.notify_all();
    drain();
    std::unique_lock lock(m_mutex);
    m_done.wait(lock, [&] { return m_busy == 0; });
    if (const std::exception_ptr failure = std::exchange(m_failure, nullptr))
        std::rethrow_exception(failure);
}

} // namespace loquor::portrait
