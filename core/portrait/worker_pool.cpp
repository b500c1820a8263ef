#include "core/portrait/worker_pool.h"

namespace loquor::portrait {

WorkerPool::WorkerPool(int threads)
{
    for (int i = 1; i < threads; ++i)
        m_threads.emplace_back([this] { workerLoop(); });
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
        (*m_work)(i);
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
    if (m_threads.empty() || count < 2) {
        drain();
        return;
    }
    {
        const std::lock_guard lock(m_mutex);
        m_busy = static_cast<int>(m_threads.size());
        ++m_round;
    }
    m_wake.notify_all();
    drain();
    std::unique_lock lock(m_mutex);
    m_done.wait(lock, [&] { return m_busy == 0; });
}

} // namespace loquor::portrait
