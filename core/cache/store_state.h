// What a ChunkStore and its Ledger share, and the steps both are made of.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/cache/chunk_store.h"
#include "core/cache/client_lock.h"
#include "core/cache/store_folder.h"
#include "core/cache/store_index.h"
#include "core/cache/take_log.h"

namespace loquor::cache {

// Everything is under `mutex`, which the public functions take; the functions here expect it held.
struct StoreState
{
    StoreState(StoreOptions storeOptions, StoreFolder storeFolder, std::optional<ClientLock> clientLock,
               std::optional<IndexLock> lock, StoreIndex storeIndex)
        : options(std::move(storeOptions)), folder(std::move(storeFolder)), client(std::move(clientLock)),
          indexLock(std::move(lock)), index(std::move(storeIndex))
    {
    }

    std::mutex mutex;
    StoreOptions options;
    StoreFolder folder;
    std::optional<ClientLock> client;   // absent when the store cannot be written
    std::optional<IndexLock> indexLock; // likewise
    StoreIndex index;
    std::optional<Error> notWritable;
    OpenReport report;
    std::vector<std::string> warnings;
    std::unordered_set<std::string> verified; // entries whose checksums were right
    std::unordered_set<std::string> damaged;  // entries that could not be removed
    std::vector<std::string> touches;         // uses that the index does not know of yet, in order
    std::chrono::steady_clock::time_point lastFlush = std::chrono::steady_clock::now();
    std::map<std::uint64_t, std::set<std::string>> shown; // projects this process protects

    std::string clientName() const { return client ? client->name() : "reader"; }
    std::string timeText() const; // now, in UTC
    Result<> requireWritable();
    bool ownsStaging(const std::filesystem::path& folderOfChunk) const;
    void eraseOwnStagings();
    void warn(std::string text);

    // Row or folder, whichever knows it; puts right what the two disagree on.
    std::optional<EntryInfo> lookUp(const std::string& key);
    bool has(const std::string& key); // lookUp() without reading what the entry says
    // Verifies once; a damaged entry is dropped, a wrong row is put right, and `entry` with it.
    Result<> verifyOnce(EntryInfo& entry, const CancelToken& cancel = {});
    void dropDamaged(const std::string& key, const Error& why);
    // Notes a use; the index hears of many at once.
    void touch(const std::string& key);
    void flushTouches();
    Result<> writeTouches(); // inside a transaction
    // Inside a transaction.
    Result<> removeEntry(const std::string& key);
    Result<> protectShown(std::uint64_t project, const std::string& key);
    Result<> reopen(); // takes the place of an index in memory
    // Evicts until the limit holds; never `except`.
    Result<TrimReport> evict(const std::string& except = {});
};

struct DeadClients
{
    std::uint64_t clients = 0; // that did not close the store
    std::uint64_t stagings = 0;
};
// Removes what processes that are gone left behind: staging folders, protections, lock files.
Result<DeadClients> forgetDeadClients(const StoreFolder& folder, StoreIndex& index);

// ChunkStore::open(), see there.
Result<std::unique_ptr<StoreState>> openStore(const StoreOptions& options);

// Of the ledger, inside a transaction. appendToTake() adds the row, sets failures back and writes the
// line of the take's copy, which the caller keeps once the transaction is done.
Result<> requireTake(StoreState& state, TakeId id);
Result<TakeLogEntry> appendToTake(StoreState& state, TakeId id, const TakeChunk& chunk);

// The part of a commit between staging folder and return.
Result<EntryInfo> commitStaged(StoreState& state, const std::filesystem::path& staging, const EntryFacts& given,
                               const std::optional<ChunkStore::AppendTo>& append);

} // namespace loquor::cache
