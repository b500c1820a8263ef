#include "core/pipeline/rolling_state.h"

#include "core/pipeline/bytes.h"
#include "core/platform/hash.h"

namespace loquor::pipeline {

namespace {

constexpr std::uint32_t kFormat = 0x3153514c; // "LQS1"

Result<StateParts> damaged(const char* how)
{
    return fail(ErrorCode::Corrupt, std::string("The state behind a chunk is damaged (") + how +
                                        "). Render the chunk again.");
}

} // namespace

RollingState makeState(const StateParts& parts, const ChunkSpec& behind)
{
    RollingState state;
    if (!parts.empty()) {
        ByteWriter out;
        out.put(kFormat);
        out.put(static_cast<std::uint32_t>(parts.size()));
        for (const auto& [name, bytes] : parts) {
            out.putText(name);
            out.putAll(bytes);
        }
        state.boundary = out.take();
        state.hash = platform::sha256(state.boundary.data(), state.boundary.size());
    }
    state.lineId = behind.lineId;
    state.indexInLine = behind.indexInLine;
    state.nextFrame = behind.firstFrame + behind.frames;
    return state;
}

Result<StateParts> readState(const RollingState& state)
{
    StateParts parts;
    if (state.isEmpty())
        return parts;
    if (platform::sha256(state.boundary.data(), state.boundary.size()) != state.hash)
        return damaged("its checksum differs");
    ByteReader in(state.boundary);
    if (in.get<std::uint32_t>() != kFormat)
        return damaged("an unknown format");
    for (auto left = in.get<std::uint32_t>(); left > 0 && in.isOk(); --left) {
        std::string name = in.getText();
        parts[std::move(name)] = in.getAll<std::uint8_t>();
    }
    if (!in.isOk() || !in.isAtEnd())
        return damaged("its length differs");
    return parts;
}

} // namespace loquor::pipeline
