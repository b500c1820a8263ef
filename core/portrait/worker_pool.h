// A few threads that share numbered pieces of work. The caller works too and returns when all is done.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace loquor::portrait {

class WorkerPool
{
public:
    explicit WorkerPool(int threads); // the caller's included
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    // Calls work(i) once for each i < count, in any order and on any thread. What work throws comes out here
    // once no thread works any more (the first of several); pieces not begun by then are left out.
    void run(std::size_t count, const std::function<void(std::size_t)>& work);

private:
    void workerLoop();
    void drain();

    std::mutex m_mutex; // guards m_round, m_busy, m_stop, m_failure
    std::condition_variable m_wake, m_done;
    std::uint64_t m_round = 0;
    int m_busy = 0;
    bool m_stop = false;
    std::exception_ptr m_failure;
    // Written by run() before a round begins, read by workers within it.
    const std::function<void(std::size_t)>* m_work = nullptr;
    std::size_t m_count = 0;
    std::atomic<std::size_t> m_next{0};
    std::vector<std::thread> m_threads;
};

} // namespace loquor::portrait
