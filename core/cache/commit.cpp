// From a staging folder to an indexed entry.
#include "core/cache/descriptions.h"
#include "core/cache/store_state.h"
#include "core/cache/take_log.h"

namespace loquor::cache {

namespace fs = std::filesystem;

namespace {

// The entry that is there already, unless it is damaged: first wins.
std::optional<EntryInfo> soundEntry(StoreState& state, const std::string& key)
{
    auto entry = state.lookUp(key);
    if (!entry || !state.verifyOnce(*entry))
        return std::nullopt;
    return entry;
}

Result<EntryInfo> sealAndPublish(StoreState& state, const fs::path& staging, const EntryFacts& facts)
{
    LQ_TRY(EntryInfo entry, state.folder.seal(staging, facts, state.timeText()));
    for (int attempt = 0; attempt < 3; ++attempt) {
        LQ_TRY(const bool published, state.folder.publish(staging, facts.key));
        if (published) {
            state.verified.insert(facts.key);
            return entry;
        }
        // Another process was first, or something that is no entry stands in the way.
        if (auto first = soundEntry(state, facts.key))
            return std::move(*first);
        LQ_CHECKED(state.folder.remove(facts.key, state.clientName()));
    }
    return fail(ErrorCode::Internal, "The chunk " + facts.key + " cannot get its place in the store.");
}

Result<> indexEntry(StoreState& state, const EntryInfo& entry, const std::optional<ChunkStore::AppendTo>& append)
{
    LQ_TRY(Transaction transaction, Transaction::begin(state.index.database()));
    LQ_CHECKED(state.writeTouches());
    LQ_CHECKED(state.index.addEntry(entry));
    LQ_CHECKED(state.folder.step(CommitStep::RowInserted, state.folder.root()));
    std::optional<TakeLogEntry> copy;
    if (append) {
        LQ_TRY(copy, appendToTake(state, append->take, {entry.key, append->frames}));
    }
    LQ_CHECKED(state.folder.step(CommitStep::TakeWritten, state.folder.root()));
    LQ_CHECKED(transaction.commit());
    if (copy)
        copy->keep();
    return state.folder.step(CommitStep::Indexed, state.folder.root());
}

} // namespace

Result<EntryInfo> commitStaged(StoreState& state, const fs::path& staging, const EntryFacts& given,
                               const std::optional<ChunkStore::AppendTo>& append)
{
    LQ_TRY(const EntryFacts facts, checkedFacts(given));
    if (append)
        LQ_CHECKED(requireTake(state, append->take));
    LQ_CHECKED(state.folder.step(CommitStep::Begin, staging));
    auto entry = soundEntry(state, facts.key);
    if (!entry) {
        LQ_TRY(entry, sealAndPublish(state, staging, facts));
    } else {
        state.touch(facts.key);
    }
    LQ_CHECKED(indexEntry(state, *entry, append));
    return std::move(*entry);
}

} // namespace loquor::cache
