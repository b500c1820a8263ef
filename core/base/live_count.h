// Counts what is alive: objects and bytes, registered by the payload types themselves. Cheap enough to
// be always on; shows that nothing stays behind a chunk.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace loquor {

struct LiveNumbers
{
    std::int64_t objects = 0;
    std::int64_t bytes = 0;

    friend bool operator==(const LiveNumbers&, const LiveNumbers&) = default;
};

// One per run, shared by what it counts. Any thread.
class LiveCount
{
public:
    void add(std::size_t bytes)
    {
        raise(m_peakObjects, m_objects.fetch_add(1, std::memory_order_relaxed) + 1);
        const auto more = static_cast<std::int64_t>(bytes);
        raise(m_peakBytes, m_bytes.fetch_add(more, std::memory_order_relaxed) + more);
    }
    void remove(std::size_t bytes)
    {
        m_objects.fetch_sub(1, std::memory_order_relaxed);
        m_bytes.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
    }
    LiveNumbers now() const { return {m_objects.load(), m_bytes.load()}; }
    // The most of each there ever was, not necessarily at one time.
    LiveNumbers peak() const { return {m_peakObjects.load(), m_peakBytes.load()}; }

private:
    static void raise(std::atomic<std::int64_t>& peak, std::int64_t value)
    {
        std::int64_t seen = peak.load(std::memory_order_relaxed);
        while (value > seen && !peak.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
        }
    }

    std::atomic<std::int64_t> m_objects{0}, m_bytes{0};
    std::atomic<std::int64_t> m_peakObjects{0}, m_peakBytes{0};
};

// A member of a payload: counted from construction to destruction. A copy counts again, a move hands
// the registration on. A default-constructed tag counts nothing.
class LiveTag
{
public:
    LiveTag() = default;
    LiveTag(std::shared_ptr<LiveCount> count, std::size_t bytes)
        : m_count(std::move(count)), m_bytes(bytes)
    {
        if (m_count)
            m_count->add(m_bytes);
    }
    LiveTag(const LiveTag& other) : LiveTag(other.m_count, other.m_bytes) {}
    LiveTag(LiveTag&& other) noexcept
        : m_count(std::exchange(other.m_count, nullptr)), m_bytes(other.m_bytes)
    {
    }
    LiveTag& operator=(LiveTag other) noexcept
    {
        std::swap(m_count, other.m_count);
        std::swap(m_bytes, other.m_bytes);
        return *this;
    }
    // The payload has grown or shrunk.
    void resize(std::size_t bytes)
    {
        if (m_count) {
            m_count->add(bytes);
            m_count->remove(m_bytes);
        }
        m_bytes = bytes;
    }
    ~LiveTag()
    {
        if (m_count)
            m_count->remove(m_bytes);
    }

private:
    std::shared_ptr<LiveCount> m_count;
    std::size_t m_bytes = 0;
};

} // namespace loquor
