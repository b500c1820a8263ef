// Puts results into playback order: drops the frames that a join replaces and holds the rest of their
// chunk back until the join, which is made after it, has passed.
#pragma once

#include <algorithm>
#include <deque>
#include <string>

#include "core/pipeline/edge.h"

namespace loquor::pipeline {

// How frames are dropped from a payload: from members of these names, or specialise.
template<class T>
struct PlaybackTraits
{
    // Frames in the value.
    static int frames(const T& value) { return value.frameCount(); }
    // Drops the first `count` of them; false when nothing worth passing on is left.
    static bool dropFront(T& value, int count) { return value.dropFront(count); }
};

// Packets in execution order in, packets in playback order out. Holds the results of at most one chunk
// and never more than `maxBytes` of them (0 = no limit). One thread.
template<class T>
class Reorder
{
public:
    explicit Reorder(std::size_t maxBytes) : m_maxBytes(maxBytes) {}

    // False when `out` ends early.
    Result<bool> pass(Packet<T> packet, Edge<T>& out)
    {
        const ChunkSpec chunk = packet.chunk;
        if (chunk.kind == ChunkKind::I) {
            if (chunk.rightChunk != m_chunk)
                return fail(ErrorCode::Internal, "A join came without the chunk at its right.");
            const bool complete = !packet.value;
            if (!send(std::move(packet), out))
                return false;
            return complete ? release(out) : true;
        }
        if (m_chunk >= 0 && m_chunk != chunk.index)
            return fail(ErrorCode::Internal, "The join in front of the last chunk was not made.");
        if (chunk.joinFrames == 0)
            return send(std::move(packet), out);
        return hold(std::move(packet));
    }

private:
    static bool send(Packet<T> packet, Edge<T>& out)
    {
        const ItemCost cost = packet.value ? packetCost(*packet.value) : ItemCost{};
        return out.push(std::move(packet), cost);
    }

    Result<bool> hold(Packet<T> packet)
    {
        if (m_chunk < 0) {
            m_chunk = packet.chunk.index;
            m_toDrop = packet.chunk.joinFrames;
        }
        if (packet.value) {
            const int dropped = std::min(m_toDrop, PlaybackTraits<T>::frames(*packet.value));
            m_toDrop -= dropped;
            if (dropped > 0 && !PlaybackTraits<T>::dropFront(*packet.value, dropped))
                return true;
            m_bytes += packetCost(*packet.value).bytes;
            if (m_maxBytes > 0 && m_bytes > m_maxBytes)
                return fail(ErrorCode::OutOfMemory,
                            "The frames that wait for a join need more than the " +
                                std::to_string(m_maxBytes >> 20) +
                                " MB allowed. Choose a smaller picture size.");
        }
        m_held.push_back(std::move(packet));
        return true;
    }

    bool release(Edge<T>& out)
    {
        m_chunk = -1;
        m_bytes = 0;
        while (!m_held.empty()) {
            Packet<T> packet = std::move(m_held.front());
            m_held.pop_front();
            if (!send(std::move(packet), out))
                return false;
        }
        return true;
    }

    const std::size_t m_maxBytes;
    int m_chunk = -1; // index of the chunk that waits for its join
    int m_toDrop = 0;
    std::size_t m_bytes = 0;
    std::deque<Packet<T>> m_held;
};

} // namespace loquor::pipeline
