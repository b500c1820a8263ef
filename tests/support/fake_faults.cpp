#include "tests/support/fake_faults.h"

#include <array>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <stdexcept>

namespace loquor::fake {

Fault FaultPlan::begin(const std::string& stage, const ChunkSpec& chunk)
{
    int attempt = 0;
    {
        std::lock_guard lock(m_mutex);
        attempt = ++m_attempts[{stage, chunk.line, chunk.indexInLine, chunk.kind}];
    }
    for (const FaultAt& at : m_faults) {
        if (at.stage == stage && at.kind == chunk.kind && (at.line == 0 || at.line == chunk.line) &&
            (at.indexInLine < 0 || at.indexInLine == chunk.indexInLine) && attempt <= at.attempts)
            return at.fault;
    }
    return Fault::None;
}

int FaultPlan::attempts(const std::string& stage, int line, int indexInLine, ChunkKind kind) const
{
    std::lock_guard lock(m_mutex);
    const auto found = m_attempts.find({stage, line, indexInLine, kind});
    return found == m_attempts.end() ? 0 : found->second;
}

Result<void> suffer(Fault fault, const CancelToken& cancel)
{
    switch (fault) {
    case Fault::Fail: return fail(ErrorCode::DiskFull, "The disk is full.");
    case Fault::Throw: throw std::runtime_error("bad luck");
    case Fault::BadAlloc: throw std::bad_alloc();
    case Fault::Allocate: { // from an arena: sanitizers end the process when the heap is asked for too much
        std::array<std::byte, 4096> room{};
        std::pmr::monotonic_buffer_resource arena(room.data(), room.size(), std::pmr::null_memory_resource());
        const std::pmr::vector<char> tooMuch(1u << 20, &arena);
        return fail(ErrorCode::Internal, "There was room for " + std::to_string(tooMuch.size()) + " bytes.");
    }
    case Fault::Hang:
        while (!cancel.waitFor(60'000)) {
        }
        return cancelled();
    case Fault::None:
    case Fault::Nan:
    case Fault::Black:
    case Fault::OneColour: break;
    }
    return {};
}

} // namespace loquor::fake
