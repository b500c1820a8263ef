#include "core/modules/wan/stream_memory.h"

#include "core/modules/wan/stream_slots.h"

namespace loquor::modules {

StreamMemory::StreamMemory() : m_slots(std::make_unique<Slots>()) {}
StreamMemory::~StreamMemory() = default;
StreamMemory::StreamMemory(StreamMemory&& other) noexcept = default;
StreamMemory& StreamMemory::operator=(StreamMemory&& other) noexcept = default;

void StreamMemory::clear()
{
    *m_slots = {};
}

std::uint64_t StreamMemory::bytes() const
{
    std::uint64_t total = 0;
    for (const at::Tensor& tensor : m_slots->tensors)
        total += tensor.defined() ? tensor.nbytes() : 0;
    return total;
}

} // namespace loquor::modules
