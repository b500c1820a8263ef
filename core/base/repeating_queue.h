// The queue of a live output: it never blocks and never shifts time. What is missing is replaced by a
// repeat of the value before, and every repeat is counted.
#pragma once

#include <concepts>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/queue.h"

namespace loquor {

// One producer and one consumer that both go by a clock, one value a tick. Values are cheap to copy
// (shared pointers).
template<std::copy_constructible T>
class RepeatingQueue
{
public:
    explicit RepeatingQueue(QueueLimits limits) : m_limits(limits) {}
    RepeatingQueue(const RepeatingQueue&) = delete;
    RepeatingQueue& operator=(const RepeatingQueue&) = delete;

    // When full the value is let go and the newest one inside stands in for it, so that the number of
    // values that come out stays right. False when the queue was closed.
    bool push(T value, ItemCost cost = {})
    {
        std::lock_guard lock(m_mutex);
        if (m_closed)
            return false;
        if (!fitsLimits(m_limits, m_items.size(), m_held, cost)) {
            ++m_items.back().repeats;
            ++m_overflows;
            return true;
        }
        m_held.bytes += cost.bytes;
        m_held.duration += cost.duration;
        m_items.push_back({std::move(value), cost, 0});
        return true;
    }

    // The value of this tick: the next one, or the last one again while there is none. Nothing before
    // the first value and once the queue is closed and empty.
    std::optional<T> next()
    {
        std::lock_guard lock(m_mutex);
        if (m_items.empty()) {
            if (m_closed || !m_last)
                return std::nullopt;
            ++m_underflows;
            return m_last;
        }
        Item& front = m_items.front();
        if (front.repeats > 0) {
            --front.repeats;
            return front.value;
        }
        m_held.bytes -= front.cost.bytes;
        m_held.duration -= front.cost.duration;
        m_last = std::move(front.value);
        m_items.pop_front();
        return m_last;
    }

    void close()
    {
        std::lock_guard lock(m_mutex);
        m_closed = true;
    }

    std::size_t size() const
    {
        std::lock_guard lock(m_mutex);
        return m_items.size();
    }
    // Repeats because the reader was late, and because the producer was.
    std::uint64_t overflows() const
    {
        std::lock_guard lock(m_mutex);
        return m_overflows;
    }
    std::uint64_t underflows() const
    {
        std::lock_guard lock(m_mutex);
        return m_underflows;
    }

private:
    struct Item
    {
        T value;
        ItemCost cost;
        std::uint64_t repeats = 0;
    };

    const QueueLimits m_limits;
    mutable std::mutex m_mutex; // guards all below
    std::deque<Item> m_items;
    ItemCost m_held;
    std::optional<T> m_last;
    std::uint64_t m_overflows = 0, m_underflows = 0;
    bool m_closed = false;
};

} // namespace loquor
