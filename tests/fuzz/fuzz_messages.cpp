// Messages between session and rank: a faulty peer must not take the other process down.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/comm/messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // First byte: where the header ends, in 1/256 of the input.
    if (size < 1)
        return 0;
    const std::size_t split = (size - 1) * data[0] / 255;
    loquor::comm::Frame frame;
    frame.header.assign(reinterpret_cast<const char*>(data + 1), split);
    frame.payload.resize(size - 1 - split);
    if (!frame.payload.empty())
        std::memcpy(frame.payload.data(), data + 1 + split, frame.payload.size());
    (void)loquor::comm::decodeToRank(frame);
    (void)loquor::comm::decodeFromRank(frame);
    return 0;
}
