// What a chunk leaves to its neighbours, as it lies in the store: any bytes give a boundary or an error, also where
// their checksums are right.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "core/pipeline/rolling_state.h"
#include "core/platform/hash.h"
#include "core/stages/chunk_boundary.h"

namespace {

void appendChecksum(std::vector<std::byte>& bytes)
{
    std::uint64_t sum = 0xCBF29CE484222325ULL; // FNV-1a, as the format has it
    for (const std::byte byte : bytes)
        sum = (sum ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3ULL;
    bytes.resize(bytes.size() + sizeof sum);
    std::memcpy(bytes.data() + bytes.size() - sizeof sum, &sum, sizeof sum);
}

void checkBoundary(std::vector<std::byte> bytes)
{
    using namespace loquor::stages;
    (void)parseBoundary(bytes);
    appendChecksum(bytes);
    const auto boundary = parseBoundary(bytes);
    if (!boundary)
        return;
    const auto again = parseBoundary(serialise(*boundary));
    if (!again || *again != *boundary)
        std::abort();
}

void checkState(std::span<const std::uint8_t> bytes)
{
    using namespace loquor::pipeline;
    RollingState state;
    state.boundary.assign(bytes.begin(), bytes.end());
    state.hash = loquor::platform::sha256(state.boundary.data(), state.boundary.size());
    const auto parts = readState(state);
    if (!parts || parts->empty())
        return;
    const auto again = readState(makeState(*parts, {}));
    if (!again || *again != *parts)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto bytes = std::as_bytes(std::span(data, size));
    checkBoundary({bytes.begin(), bytes.end()});
    checkState({data, size});
    return 0;
}
