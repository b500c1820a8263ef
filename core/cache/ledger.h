// The ledger: which takes of which lines were made, and of which chunks they consist.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"

namespace loquor::cache {

using TakeId = std::uint64_t; // random, never 0

// One rendered version of a line. Chunks of a take may have been evicted from the store meanwhile
// (ChunkStore::missing() tells); the take itself stays until it is removed.
struct Take
{
    TakeId id = 0;
    std::uint64_t project = 0;
    std::uint64_t line = 0;
    int number = 0;                  // of the takes of this line, from 1, in order of creation
    std::string lineKey;             // hash of all the line depends on, except the boundary
    std::string boundaryIn;          // hash of the boundary it was conditioned on; empty: none
    std::vector<std::string> chunks; // keys of its N entries, in order
    FrameIndex frames = 0;           // of these chunks together
    bool complete = false;
    bool pinned = false; // its chunks are never evicted
    std::uint64_t seed = 0;
    std::string createdAt; // "2026-11-30T12:45:24Z"; order by `number`, clocks jump
    int failureCount = 0;  // since the last chunk that succeeded
    std::string reason;    // of the last of these failures, for people

    friend bool operator==(const Take&, const Take&) = default;
};

struct TakeStart
{
    std::uint64_t project = 0;
    std::uint64_t line = 0;
    std::string lineKey;
    std::string boundaryIn;
    std::uint64_t seed = 0;
};

struct StoreState;

// Part of a ChunkStore and as long-lived as it. Any thread; calls wait for each other. Each change
// is one transaction, durable when the call returns; a copy of each take lies beside the index, so
// that a lost index costs no take. Changes give PermissionDenied or DiskFull when the store cannot be
// written, NotFound for an unknown take, Timeout when another process holds the index too long.
class Ledger
{
public:
    explicit Ledger(StoreState& state) : m_state(state) {}
    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;

    Result<Take> begin(const TakeStart& start);
    // Adds a chunk that is in the store already; ChunkStore::commit() does both at once for a new
    // one. Sets the failure count back to 0. When the project is protected, so is the chunk now.
    Result<> append(TakeId take, const std::string& chunkKey, FrameIndex frames);
    Result<> complete(TakeId take);
    Result<> setPinned(TakeId take, bool pinned);
    // Notes that making the next chunk failed; gives the failures since the last success.
    Result<int> noteFailure(TakeId take, const std::string& reason);
    // Forgets the take and removes those of its chunks from the store that no other take uses and
    // nothing protects (a chunk that is shown now leaves with its protection, by eviction).
    Result<> remove(TakeId take);

    // Forgets the takes of tries that were given up: incomplete, not pinned, not among `keep`. Their chunks stay
    // until they are evicted, because the next try finds them by their keys. Nothing is forgotten while another living process has the
    // project open: the take may be what it is making. How many takes there were.
    Result<int> forgetAbandoned(std::uint64_t project, const std::vector<TakeId>& keep);

    Result<Take> get(TakeId take) const;
    // In order of creation: of one line, or of all lines of the project by line id.
    Result<std::vector<Take>> list(std::uint64_t project, std::uint64_t line) const;
    Result<std::vector<Take>> list(std::uint64_t project) const;

private:
    Result<> forget(TakeId take); // inside a transaction

    StoreState& m_state;
};

} // namespace loquor::cache
