#include "tests/support/fake_faults.h"

#include <limits>
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
    case Fault::Allocate: {
        const std::vector<char> tooMuch(std::numeric_limits<std::size_t>::max() / 4); // more than any machine has
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
