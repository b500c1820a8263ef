// What lies between two stages: a bounded queue when they run side by side, a buffer that may spill
// when they run one after the other over a window of chunks.
#pragma once

#include <concepts>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "core/base/live_count.h"
#include "core/base/queue.h"
#include "core/pipeline/rolling_state.h"
#include "core/pipeline/spill.h"

namespace loquor::pipeline {

// A value on its way, or (without one) the mark that its chunk is complete. The mark carries the state
// that the stages so far left behind the chunk, when somebody keeps it.
template<class T>
struct Packet
{
    ChunkSpec chunk;
    std::optional<T> value;
    std::shared_ptr<StateParts> state;
    LiveTag live;
};

// Weight of a value in a queue: its cost() when it has one.
template<class T>
ItemCost packetCost(const T& value)
{
    if constexpr (requires { { value.cost() } -> std::convertible_to<ItemCost>; })
        return value.cost();
    else
        return {sizeof(T), std::chrono::microseconds{0}};
}

// Memory of one window, shared by the buffers between all stages.
struct WindowMemory
{
    std::size_t limit = 0; // bytes, 0 = no limit
    std::size_t used = 0;
    std::shared_ptr<Spill> spill; // may be null
};

// First in, first out; beyond the limit values go to the spill. One thread.
template<class T>
class WindowBuffer
{
public:
    explicit WindowBuffer(std::shared_ptr<WindowMemory> memory) : m_memory(std::move(memory)) {}
    ~WindowBuffer() { m_memory->used -= m_used; }
    WindowBuffer(const WindowBuffer&) = delete;
    WindowBuffer& operator=(const WindowBuffer&) = delete;

    Result<void> push(Packet<T> packet, const ItemCost& cost)
    {
        Slot slot{std::move(packet), {}, 0};
        const bool fits = m_memory->limit == 0 || m_memory->used + cost.bytes <= m_memory->limit;
        if (fits || !slot.packet.value) {
            slot.bytes = cost.bytes;
            m_used += cost.bytes;
            m_memory->used += cost.bytes;
        } else {
            LQ_CHECKED(spill(slot));
        }
        m_slots.push_back(std::move(slot));
        return {};
    }

    Result<std::optional<Packet<T>>> pop()
    {
        if (m_slots.empty())
            return std::optional<Packet<T>>{};
        Slot slot = std::move(m_slots.front());
        m_slots.pop_front();
        m_used -= slot.bytes;
        m_memory->used -= slot.bytes;
        if (slot.where)
            LQ_CHECKED(unspill(slot));
        return std::optional<Packet<T>>(std::move(slot.packet));
    }

private:
    struct Slot
    {
        Packet<T> packet;
        std::optional<SpillSlot> where;
        std::size_t bytes = 0; // held in memory
    };

    Result<void> spill(Slot& slot)
    {
        if constexpr (Spillable<T>) {
            if (m_memory->spill) {
                ByteWriter out;
                SpillTraits<T>::write(*slot.packet.value, out);
                LQ_TRY(slot.where, m_memory->spill->append(out.take()));
                slot.packet.value.reset();
                slot.packet.live.resize(0);
                return {};
            }
        }
        return fail(ErrorCode::OutOfMemory,
                    "The results of a window of chunks need more than the " +
                        std::to_string(m_memory->limit >> 20) +
                        " MB allowed. Choose a smaller window or a smaller picture size.");
    }

    Result<void> unspill(Slot& slot)
    {
        if constexpr (Spillable<T>) {
            LQ_TRY(const std::vector<std::uint8_t> bytes, m_memory->spill->read(*slot.where));
            ByteReader in(bytes);
            LQ_TRY(slot.packet.value, SpillTraits<T>::read(in));
            slot.packet.live.resize(packetCost(*slot.packet.value).bytes);
        }
        return {};
    }

    std::shared_ptr<WindowMemory> m_memory;
    std::deque<Slot> m_slots;
    std::size_t m_used = 0;
};

// Opened for one of the two executors before the run. push() and pop() as the executor calls them: from
// one thread each (queue) or from one thread (window).
template<class T>
class Edge
{
public:
    explicit Edge(QueueLimits limits) : m_limits(limits) {}

    void openQueue() { m_queue = std::make_unique<BoundedQueue<Packet<T>>>(m_limits); }
    void openWindow(std::shared_ptr<WindowMemory> memory)
    {
        m_window = std::make_unique<WindowBuffer<T>>(std::move(memory));
    }

    // False when the run ends early; a reason of its own is then in takeError().
    bool push(Packet<T> packet, const ItemCost& cost = {})
    {
        if (m_queue)
            return m_queue->push(std::move(packet), cost);
        auto pushed = m_window->push(std::move(packet), cost);
        if (pushed)
            return true;
        m_error = std::move(pushed).error();
        return false;
    }
    Result<std::optional<Packet<T>>> pop()
    {
        if (m_queue)
            return m_queue->pop();
        return m_window->pop();
    }
    // Only ever set by a window, whose pusher and reader are one thread.
    std::optional<Error> takeError() { return std::exchange(m_error, std::nullopt); }

    void close()
    {
        if (m_queue)
            m_queue->close();
    }
    void abort()
    {
        if (m_queue)
            m_queue->abort();
    }

private:
    const QueueLimits m_limits;
    std::unique_ptr<BoundedQueue<Packet<T>>> m_queue;
    std::unique_ptr<WindowBuffer<T>> m_window;
    std::optional<Error> m_error;
};

} // namespace loquor::pipeline
