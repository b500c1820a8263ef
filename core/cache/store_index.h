// The index: tables and the questions asked of them. Everything in it can be made again from the
// folders, apart from the order of use and the protections.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/cache/database.h"
#include "core/cache/entry.h"
#include "core/cache/ledger.h"
#include "core/cache/take_log.h"

namespace loquor::cache {

// One connection to the index. Threads and errors as Database. Changes of several rows belong into a
// Transaction of database().
class StoreIndex
{
public:
    // NotFound when there is none, Corrupt when it is damaged, foreign or of another version.
    static Result<StoreIndex> openFile(const std::filesystem::path& file, std::chrono::milliseconds busyTimeout);
    // New ones, with what `fill` puts in, all in one transaction.
    using Fill = std::function<Result<>(StoreIndex&)>;
    static Result<StoreIndex> createFile(const std::filesystem::path& file, std::chrono::milliseconds busyTimeout,
                                         const Fill& fill);
    static Result<StoreIndex> inMemory(const Fill& fill);

    Database& database() { return m_database; }

    // Entries. addEntry makes it the most recently used; one that is there stays.
    Result<> addEntry(const EntryInfo& entry);
    Result<std::optional<EntryInfo>> entry(const std::string& key);
    Result<bool> hasEntry(const std::string& key);
    Result<> forgetEntry(const std::string& key);
    Result<> touch(const std::string& key);
    Result<std::vector<std::string>> entryKeys();
    Result<std::uint64_t> entryBytes();
    Result<std::uint64_t> entryCount();

    struct Candidate
    {
        std::string key;
        std::uint64_t bytes = 0;
    };
    // What may be evicted, the least recently used first.
    Result<std::vector<Candidate>> evictable();
    Result<bool> isProtected(const std::string& key); // by a client, or by a pinned take
    // True when another process protects something of this project.
    Result<bool> isShownByOthers(const std::string& client, std::uint64_t project);

    // Takes.
    Result<> addTake(const Take& take); // without its chunks
    Result<> appendChunk(TakeId take, std::int64_t position, const TakeChunk& chunk);
    Result<> updateTake(const Take& take); // complete, pinned, failures
    Result<std::optional<Take>> take(TakeId id);
    Result<std::optional<Take>> takeHead(TakeId id); // without its chunks
    Result<std::vector<TakeChunk>> takeChunks(TakeId id);
    Result<std::int64_t> chunkCount(TakeId id);
    Result<std::vector<Take>> takes(std::uint64_t project, std::optional<std::uint64_t> line);
    Result<std::vector<TakeId>> takeIds();
    Result<int> nextNumber(std::uint64_t project, std::uint64_t line);
    Result<> forgetTake(TakeId id);
    Result<bool> isUsed(const std::string& chunkKey); // by any take

    // Protections of living processes ("clients").
    Result<> protect(const std::string& client, std::uint64_t project, const std::string& key);
    Result<> unprotect(const std::string& client, std::uint64_t project, const std::string& key);
    Result<> unprotectAll(const std::string& client);
    Result<std::vector<std::string>> clients();

private:
    explicit StoreIndex(Database database) : m_database(std::move(database)) {}
    Result<> create(const Fill& fill);
    Result<std::vector<Take>> readTakes(std::string_view sql, std::initializer_list<Value> values);
    Database m_database;
};

} // namespace loquor::cache
