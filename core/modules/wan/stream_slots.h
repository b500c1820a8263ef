// The inside of StreamMemory. Internal to core/modules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/modules/wan/stream_memory.h"

namespace loquor::modules {

struct StreamMemory::Slots
{
    std::vector<at::Tensor> tensors; // one a place that remembers, in the order a call reaches them
    std::size_t next = 0;            // the place the current call reaches next
    std::int64_t calls = 0;          // that are finished

    // Begins a call: places are counted anew.
    void begin() { next = 0; }
    void end() { ++calls; }
    // The next place; undefined before anything was kept there.
    at::Tensor& take()
    {
        if (next == tensors.size())
            tensors.emplace_back();
        return tensors[next++];
    }
};

} // namespace loquor::modules
