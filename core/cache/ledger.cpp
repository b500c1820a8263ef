#include "core/cache/ledger.h"

#include <algorithm>
#include <cerrno>

#include <sys/random.h>
#include <unistd.h>

#include "core/cache/store_state.h"
#include "core/cache/take_log.h"
#include "core/platform/paths.h"

namespace loquor::cache {

namespace {

constexpr std::size_t kMaxReasonBytes = 4096;

TakeId randomTakeId()
{
    TakeId id = 0;
    while (id == 0)
        (void)!::getrandom(&id, sizeof id, 0);
    return id;
}

Error unknownTake()
{
    return Error(ErrorCode::NotFound, "This take is not in the ledger any more: it was removed.");
}

// One transaction and one line of the take's copy for a change of its state.
template<class F>
Result<Take> change(StoreState& state, TakeId id, F apply)
{
    const std::lock_guard lock(state.mutex);
    LQ_CHECKED(state.requireWritable());
    LQ_TRY(Transaction transaction, Transaction::begin(state.index.database()));
    LQ_TRY(std::optional<Take> take, state.index.takeHead(id));
    if (!take)
        return fail(unknownTake());
    apply(*take);
    LQ_CHECKED(state.index.updateTake(*take));
    LQ_TRY(TakeLogEntry copy, TakeLogEntry::write(takeLogFile(state.folder.takes(), id), takeStateLine(*take)));
    LQ_CHECKED(transaction.commit());
    copy.keep();
    return std::move(*take);
}

} // namespace

Result<> requireTake(StoreState& state, TakeId id)
{
    LQ_TRY(const std::optional<Take> take, state.index.takeHead(id));
    if (!take)
        return fail(unknownTake());
    return {};
}

Result<TakeLogEntry> appendToTake(StoreState& state, TakeId id, const TakeChunk& chunk)
{
    LQ_TRY(std::optional<Take> take, state.index.takeHead(id));
    if (!take)
        return fail(unknownTake());
    LQ_TRY(const std::int64_t position, state.index.chunkCount(id));
    LQ_CHECKED(state.index.appendChunk(id, position, chunk));
    if (take->failureCount > 0 || !take->reason.empty()) {
        take->failureCount = 0;
        take->reason.clear();
        LQ_CHECKED(state.index.updateTake(*take));
    }
    LQ_CHECKED(state.protectShown(take->project, chunk.key));
    return TakeLogEntry::write(takeLogFile(state.folder.takes(), id), takeChunkLine(position, chunk));
}

Result<Take> Ledger::begin(const TakeStart& start)
{
    const std::lock_guard lock(m_state.mutex);
    LQ_CHECKED(m_state.requireWritable());
    Take take;
    take.id = randomTakeId();
    take.project = start.project;
    take.line = start.line;
    take.lineKey = start.lineKey;
    take.boundaryIn = start.boundaryIn;
    take.seed = start.seed;
    take.createdAt = m_state.timeText();
    LQ_TRY(Transaction transaction, Transaction::begin(m_state.index.database()));
    LQ_TRY(take.number, m_state.index.nextNumber(start.project, start.line));
    LQ_CHECKED(m_state.index.addTake(take));
    LQ_TRY(TakeLogEntry copy, TakeLogEntry::write(takeLogFile(m_state.folder.takes(), take.id), takeHeadLine(take)));
    LQ_CHECKED(transaction.commit());
    copy.keep();
    return take;
}

Result<> Ledger::append(TakeId take, const std::string& chunkKey, FrameIndex frames)
{
    const std::lock_guard lock(m_state.mutex);
    LQ_CHECKED(m_state.requireWritable());
    if (!m_state.has(chunkKey))
        return fail(ErrorCode::NotFound, "The chunk " + chunkKey.substr(0, 64) + " is not in the store: make it again.");
    m_state.touch(chunkKey);
    LQ_TRY(Transaction transaction, Transaction::begin(m_state.index.database()));
    LQ_TRY(TakeLogEntry copy, appendToTake(m_state, take, {chunkKey, frames}));
    LQ_CHECKED(transaction.commit());
    copy.keep();
    return {};
}

Result<> Ledger::complete(TakeId take)
{
    LQ_CHECKED(change(m_state, take, [](Take& one) {
        one.complete = true;
        one.failureCount = 0;
        one.reason.clear();
    }));
    return {};
}

Result<> Ledger::setPinned(TakeId take, bool pinned)
{
    LQ_CHECKED(change(m_state, take, [&](Take& one) { one.pinned = pinned; }));
    return {};
}

Result<int> Ledger::noteFailure(TakeId take, const std::string& reason)
{
    LQ_TRY(const Take changed, change(m_state, take, [&](Take& one) {
               ++one.failureCount;
               one.reason = platform::truncatedUtf8(reason, kMaxReasonBytes);
           }));
    return changed.failureCount;
}

// The copy goes first: without it the row would only write it again, while the copy alone would bring the take
// back.
Result<> Ledger::forget(TakeId take)
{
    LQ_CHECKED(m_state.index.forgetTake(take));
    const auto file = takeLogFile(m_state.folder.takes(), take);
    if (::unlink(file.c_str()) != 0 && errno != ENOENT)
        return fail(storeError(errno, "Cannot remove a take", file));
    return {};
}

Result<int> Ledger::forgetAbandoned(std::uint64_t project, const std::vector<TakeId>& keep)
{
    const std::lock_guard lock(m_state.mutex);
    LQ_CHECKED(m_state.requireWritable());
    LQ_CHECKED(forgetDeadClients(m_state.folder, m_state.index));
    LQ_TRY(Transaction transaction, Transaction::begin(m_state.index.database()));
    LQ_TRY(const bool isOpenElsewhere, m_state.index.isShownByOthers(m_state.clientName(), project));
    if (isOpenElsewhere)
        return 0;
    LQ_TRY(const std::vector<Take> takes, m_state.index.takes(project, std::nullopt));
    int count = 0;
    for (const Take& take : takes) {
        if (take.complete || take.pinned || std::find(keep.begin(), keep.end(), take.id) != keep.end())
            continue;
        LQ_CHECKED(forget(take.id));
        ++count;
    }
    LQ_CHECKED(transaction.commit());
    return count;
}

Result<> Ledger::remove(TakeId take)
{
    const std::lock_guard lock(m_state.mutex);
    LQ_CHECKED(m_state.requireWritable());
    LQ_TRY(Transaction transaction, Transaction::begin(m_state.index.database()));
    LQ_TRY(const std::vector<TakeChunk> chunks, m_state.index.takeChunks(take));
    LQ_CHECKED(requireTake(m_state, take));
    LQ_CHECKED(forget(take));
    for (const TakeChunk& chunk : chunks) {
        LQ_TRY(const bool isUsed, m_state.index.isUsed(chunk.key));
        LQ_TRY(const bool isProtected, m_state.index.isProtected(chunk.key));
        if (!isUsed && !isProtected)
            LQ_CHECKED(m_state.removeEntry(chunk.key));
    }
    return transaction.commit();
}

Result<Take> Ledger::get(TakeId take) const
{
    const std::lock_guard lock(m_state.mutex);
    LQ_TRY(std::optional<Take> found, m_state.index.take(take));
    if (!found)
        return fail(unknownTake());
    return std::move(*found);
}

Result<std::vector<Take>> Ledger::list(std::uint64_t project, std::uint64_t line) const
{
    const std::lock_guard lock(m_state.mutex);
    return m_state.index.takes(project, line);
}

Result<std::vector<Take>> Ledger::list(std::uint64_t project) const
{
    const std::lock_guard lock(m_state.mutex);
    return m_state.index.takes(project, std::nullopt);
}

} // namespace loquor::cache
