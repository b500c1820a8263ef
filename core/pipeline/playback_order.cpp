#include "core/pipeline/playback_order.h"

#include <utility>

#include "core/base/check.h"

namespace loquor::pipeline {

std::optional<ShownPart> shownPart(const ChunkSpec& chunk)
{
    const int skip = chunk.kind == ChunkKind::N ? chunk.joinFrames : 0;
    if (skip >= chunk.frames)
        return std::nullopt;
    return ShownPart{chunk.index, skip, chunk.frames - skip, chunk.firstFrame + skip};
}

void PlaybackSequence::add(const ChunkSpec& chunk, std::vector<ShownPart>& out)
{
    const std::optional<ShownPart> part = shownPart(chunk);
    if (chunk.kind == ChunkKind::I) {
        LOQUOR_CHECK(chunk.rightChunk == m_waitsFor, "a join follows the chunk at its right");
        m_waitsFor = -1;
        if (part)
            out.push_back(*part);
        if (const auto held = std::exchange(m_held, std::nullopt))
            out.push_back(*held);
        return;
    }
    LOQUOR_CHECK(m_waitsFor < 0, "a join is made before the next chunk");
    if (chunk.joinFrames > 0) {
        m_waitsFor = chunk.index;
        m_held = part;
    } else if (part) {
        out.push_back(*part);
    }
}

std::vector<ShownPart> playbackOrder(std::span<const ChunkSpec> executionOrder)
{
    PlaybackSequence sequence;
    std::vector<ShownPart> out;
    for (const ChunkSpec& chunk : executionOrder)
        sequence.add(chunk, out);
    return out;
}

} // namespace loquor::pipeline
