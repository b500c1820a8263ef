// All that passes from one chunk to the next. Everything else is freed behind each chunk.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/pipeline/chunk_spec.h"

namespace loquor::pipeline {

// Boundary data of the stages that have any, by stage name.
using StateParts = std::map<std::string, std::vector<std::uint8_t>>;

// The state behind an N chunk. The first chunk of a project starts from an empty one.
struct RollingState
{
    std::vector<std::uint8_t> boundary; // the parts of all stages, losslessly
    std::string hash;                   // SHA-256 of `boundary`, hex; empty when it is
    std::uint64_t lineId = 0;           // position: behind this chunk of this line
    int indexInLine = -1;
    FrameIndex nextFrame = 0;           // of the run it was taken from

    bool isEmpty() const { return boundary.empty(); }
    friend bool operator==(const RollingState&, const RollingState&) = default;
};

RollingState makeState(const StateParts& parts, const ChunkSpec& behind);
// Corrupt when the bytes do not belong to the hash or are cut.
Result<StateParts> readState(const RollingState& state);

// A stage that carries something from chunk to chunk. saveState() is called behind each N chunk, when
// somebody keeps it; I chunks must leave the state as it was. After restoreState() the stage goes on
// exactly as the one that was saved did.
class Stateful
{
public:
    virtual ~Stateful() = default;
    virtual std::vector<std::uint8_t> saveState() const = 0;
    // Corrupt when the bytes are not a state of this stage.
    virtual Result<void> restoreState(const std::vector<std::uint8_t>& bytes) = 0;
};

// A sink that keeps the state behind every N chunk: gets it after the chunk's last result, before
// endChunk().
class StateKeeper
{
public:
    virtual ~StateKeeper() = default;
    virtual Result<void> keepState(const ChunkSpec& chunk, RollingState state) = 0;
};

} // namespace loquor::pipeline
