// What a finished chunk leaves to its neighbours: its motion, and the solver's state behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/portrait/motion.h"

namespace loquor::stages {

// The boundary data of the portrait engine, lossless. The chunk that follows starts from `state`; a join
// takes the left side's `goesOn` and the right side's `frames` and `lipsShut`.
struct ChunkBoundary
{
    std::vector<portrait::Motion> frames;
    std::vector<std::uint8_t> lipsShut;   // one for each frame: 1 = closed by p, b or m
    std::vector<portrait::Motion> goesOn; // behind the last chunk of a line: two more frames, in silence
    std::vector<std::uint8_t> state;      // MotionSolver::saveState()

    friend bool operator==(const ChunkBoundary&, const ChunkBoundary&) = default;
};

// Bytes with magic, version and checksum, valid on this machine's architecture. The same boundary always
// gives the same bytes.
std::vector<std::byte> serialise(const ChunkBoundary& boundary);
// Corrupt when the bytes are not such data, were damaged, or belong to another version.
Result<ChunkBoundary> parseBoundary(std::span<const std::byte> bytes);

} // namespace loquor::stages
