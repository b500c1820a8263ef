// A bounded queue between two threads that says what happens when it is full.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace loquor {

// What push() does when a limit is reached. The third policy, repeat and count, keeps a clock instead
// of an order and is a class of its own: RepeatingQueue.
enum class QueuePolicy {
    Block = 1,  // export: the producer waits
    DropOldest, // preview: the newest matters; drops are counted
};

// Limits; zero means "no limit of this kind". At least one item is always admitted, so that one
// item larger than maxBytes cannot block for ever.
struct QueueLimits
{
    std::size_t maxItems = 0;
    std::size_t maxBytes = 0;
    std::chrono::microseconds maxDuration{0};
};

// What one item weighs against the limits.
struct ItemCost
{
    std::size_t bytes = 0;
    std::chrono::microseconds duration{0};
};

// Whether `cost` may join what a queue holds.
inline bool fitsLimits(const QueueLimits& limits, std::size_t items, const ItemCost& held,
                       const ItemCost& cost)
{
    if (items == 0)
        return true;
    return (limits.maxItems == 0 || items < limits.maxItems) &&
           (limits.maxBytes == 0 || held.bytes + cost.bytes <= limits.maxBytes) &&
           (limits.maxDuration.count() == 0 || held.duration + cost.duration <= limits.maxDuration);
}

// Any number of producers and consumers. close() wakes everybody: push then returns false, pop
// drains what is left and then returns nothing. abort() also throws away what is left.
template<class T>
class BoundedQueue
{
public:
    explicit BoundedQueue(QueueLimits limits, QueuePolicy policy = QueuePolicy::Block)
        : m_limits(limits), m_policy(policy)
    {
    }
    BoundedQueue(const BoundedQueue&) = delete;
    BoundedQueue& operator=(const BoundedQueue&) = delete;

    // False when the queue was closed; the item is then gone.
    bool push(T item, ItemCost cost = {})
    {
        std::unique_lock lock(m_mutex);
        if (m_policy == QueuePolicy::Block) {
            m_changed.wait(lock, [&] { return m_closed || fits(cost); });
        } else {
            while (!m_items.empty() && !fits(cost)) {
                removeFront();
                ++m_dropped;
            }
        }
        if (m_closed)
            return false;
        m_bytes += cost.bytes;
        m_duration += cost.duration;
        m_items.emplace_back(std::move(item), cost);
        lock.unlock();
        m_changed.notify_all();
        return true;
    }

    // Waits for an item; nothing once the queue is closed and empty.
    std::optional<T> pop()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_closed || !m_items.empty(); });
        return take(lock);
    }

    std::optional<T> tryPop()
    {
        std::unique_lock lock(m_mutex);
        return take(lock);
    }

    void close()
    {
        {
            std::lock_guard lock(m_mutex);
            m_closed = true;
        }
        m_changed.notify_all();
    }

    void abort()
    {
        std::deque<std::pair<T, ItemCost>> dead; // destroyed outside the lock
        {
            std::lock_guard lock(m_mutex);
            m_closed = true;
            dead.swap(m_items);
            m_bytes = 0;
            m_duration = {};
        }
        m_changed.notify_all();
    }

    std::size_t size() const
    {
        std::lock_guard lock(m_mutex);
        return m_items.size();
    }
    std::size_t bytes() const
    {
        std::lock_guard lock(m_mutex);
        return m_bytes;
    }
    std::chrono::microseconds duration() const
    {
        std::lock_guard lock(m_mutex);
        return m_duration;
    }
    std::uint64_t dropped() const
    {
        std::lock_guard lock(m_mutex);
        return m_dropped;
    }

private:
    bool fits(const ItemCost& cost) const
    {
        return fitsLimits(m_limits, m_items.size(), {m_bytes, m_duration}, cost);
    }
    void removeFront()
    {
        m_bytes -= m_items.front().second.bytes;
        m_duration -= m_items.front().second.duration;
        m_items.pop_front();
    }
    std::optional<T> take(std::unique_lock<std::mutex>& lock)
    {
        if (m_items.empty())
            return std::nullopt;
        std::optional<T> out(std::move(m_items.front().first));
        removeFront();
        lock.unlock();
        m_changed.notify_all();
        return out;
    }

    const QueueLimits m_limits;
    const QueuePolicy m_policy;
    mutable std::mutex m_mutex; // guards all below
    std::condition_variable m_changed;
    std::deque<std::pair<T, ItemCost>> m_items;
    std::size_t m_bytes = 0;
    std::chrono::microseconds m_duration{0};
    std::uint64_t m_dropped = 0;
    bool m_closed = false;
};

} // namespace loquor
