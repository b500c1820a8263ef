// Faults at chosen chunks and attempts, and time that passes only when asked to.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "core/pipeline/chunk_spec.h"
#include "core/pipeline/stage.h"

namespace loquor::fake {

using pipeline::ChunkKind;
using pipeline::ChunkSpec;

enum class Fault {
    None = 0,
    Fail,     // returns an error
    Throw,    // throws what nobody expects
    BadAlloc, // throws as an allocation does
    Allocate, // asks for more than there is
    Hang,     // until it is cancelled
    Nan,      // values that are not numbers
    Black,
    OneColour,
};

struct FaultAt
{
    std::string stage;          // "motion", "decode"
    int line = 0;               // 0 = any
    int indexInLine = -1;       // -1 = any
    ChunkKind kind = ChunkKind::N;
    Fault fault = Fault::Throw;
    int attempts = 1 << 30;     // this often, then the chunk works
};

// Shared by the stages of all runs of a test: attempts are counted over runs. Any thread.
class FaultPlan
{
public:
    FaultPlan() = default;
    explicit FaultPlan(std::vector<FaultAt> faults) : m_faults(std::move(faults)) {}

    // What this attempt of the stage at the chunk has to suffer. Counts one attempt.
    Fault begin(const std::string& stage, const ChunkSpec& chunk);
    int attempts(const std::string& stage, int line, int indexInLine, ChunkKind kind = ChunkKind::N) const;

private:
    using Key = std::tuple<std::string, int, int, ChunkKind>;
    const std::vector<FaultAt> m_faults;
    mutable std::mutex m_mutex;
    std::map<Key, int> m_attempts; // m_mutex
};

// Time of a slow stage. The plain one does not sleep: it only adds up.
class FakeClock
{
public:
    virtual ~FakeClock() = default;
    virtual void pass(std::chrono::microseconds time) { m_passed += time.count(); }
    std::chrono::microseconds passed() const { return std::chrono::microseconds(m_passed.load()); }

protected:
    std::atomic<std::int64_t> m_passed{0};
};

// Suffers the faults that end a stage; Nan, Black and OneColour are left to the caller.
Result<void> suffer(Fault fault, const CancelToken& cancel);

} // namespace loquor::fake
