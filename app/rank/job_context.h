// What the parts of a run share inside the rank.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "core/comm/messages.h"

namespace loquor::rank {

// Counts every piece of work: the heartbeat shows that it grows.
using WorkCounter = std::atomic<std::uint64_t>;

// Sends a message to the session; failures mean that the session is gone and are noticed elsewhere.
using Tell = std::function<void(const comm::FromRank&)>;

} // namespace loquor::rank
