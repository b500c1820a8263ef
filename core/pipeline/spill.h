// Where the batch executor puts results that do not fit into memory.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/pipeline/bytes.h"

namespace loquor::pipeline {

// How a type is spilled: specialise with
//   static void write(const T& value, ByteWriter& out);
//   static Result<T> read(ByteReader& in);
// A type without stays in memory.
template<class T>
struct SpillTraits
{
};

template<class T>
concept Spillable = requires(const T& value, ByteWriter& out, ByteReader& in) {
    SpillTraits<T>::write(value, out);
    { SpillTraits<T>::read(in) } -> std::same_as<Result<T>>;
};

struct SpillSlot
{
    std::uint64_t offset = 0, bytes = 0;
};

// Written, then read, then emptied: one window at a time. One thread.
class Spill
{
public:
    virtual ~Spill() = default;
    // DiskFull when there is no room.
    virtual Result<SpillSlot> append(std::span<const std::uint8_t> bytes) = 0;
    virtual Result<std::vector<std::uint8_t>> read(const SpillSlot& slot) = 0;
    // Gives all room back; no slot is valid any more.
    virtual Result<void> clear() = 0;
};

// In a file without a name on the volume of `folder`: it is gone when the run ends, however it ends.
Result<std::shared_ptr<Spill>> makeFileSpill(const std::filesystem::path& folder);

} // namespace loquor::pipeline
