// The content-addressed store of finished chunks: never loses one, never shows half of one.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/cache/entry.h"
#include "core/cache/ledger.h"

namespace loquor::cache {

// The steps of a commit, in order. Tests stop or fail the store at each.
enum class CommitStep {
    Begin = 1,     // nothing done yet
    PartsChecked,  // sizes and checksums are known
    PartsSynced,   // every part is on the disk
    EntryWritten,  // entry.json lies in the staging folder
    StagingSynced, // the staging folder is on the disk
    FolderMade,    // objects/<2 hex> is there
    Renamed,       // the entry has its final name
    ParentSynced,  // and keeps it after a power cut
    RowInserted,   // inside the index transaction
    TakeWritten,   // the copy of the take is written, under a temporary name
    Indexed,       // the transaction is done
};

struct StoreOptions
{
    std::filesystem::path folder;                 // made when missing
    std::uint64_t maxBytes = 20ull << 30;         // a soft limit: what is protected may pass it
    std::chrono::milliseconds busyTimeout{10'000}; // wait for other processes at most so long
    std::function<std::chrono::system_clock::time_point()> now; // empty: the system's clock
    // Tests: called at each step; a number other than 0 is taken for the errno of that step.
    std::function<int(CommitStep)> atStep;
};

struct StoreUsage
{
    std::uint64_t bytes = 0;
    std::uint64_t entries = 0;
};

struct TrimReport
{
    std::uint64_t removedEntries = 0;
    std::uint64_t freedBytes = 0;
    std::uint64_t overBytes = 0; // still above the limit, because all that is left is protected
};

// What open() found and put right.
struct OpenReport
{
    bool rebuilt = false;             // the index was missing or unusable and was made again
    std::uint64_t indexed = 0;        // entries that had no row
    std::uint64_t forgotten = 0;      // rows that had no entry
    std::uint64_t stagingRemoved = 0; // staging folders of processes that are gone
    std::uint64_t damaged = 0;        // entries without a usable description, removed
};

// One object per process and folder; several processes may share the folder. Any thread; calls wait
// for each other, and commit() waits for the disk. The folders of the entries are the truth, the
// index (SQLite) only makes them quick to find: it can be lost at any time.
class ChunkStore
{
public:
    // Reconciles index and folders; checksums are not looked at here but at first use. A folder that
    // cannot be written (no permission, read-only, full) is opened for reading: see whyNotWritable();
    // one that was full is tried again at the next change.
    // Fails when the folder is none, cannot be made or read; with Corrupt when the index is damaged
    // while another process uses it.
    static Result<std::unique_ptr<ChunkStore>> open(const StoreOptions& options);
    ~ChunkStore();
    ChunkStore(const ChunkStore&) = delete;
    ChunkStore& operator=(const ChunkStore&) = delete;

    const std::filesystem::path& folder() const;
    const OpenReport& openReport() const;
    // Absent when the store can be written; otherwise what stage() and commit() will say.
    std::optional<Error> whyNotWritable() const;
    // What went wrong on the side since the last call (a damaged entry was removed ...), for people.
    std::vector<std::string> takeWarnings();

    // An empty folder on the store's file system, for this or another process to write parts into.
    // It must end in commit() or discard(); those of killed processes go at the next open().
    Result<std::filesystem::path> stage();
    void discard(const std::filesystem::path& stagingFolder);
    // Makes the staged files an entry: on the disk, under its key, whole or not at all. An entry that
    // is there already stays and is returned. With `take`, the chunk is appended to it in the same
    // transaction. The staging folder is gone afterwards, also on failure; after DiskFull everything
    // finished before is still usable. Evicts beyond the size limit. InvalidArgument when the folder
    // does not hold exactly the named parts.
    struct AppendTo
    {
        TakeId take = 0;
        FrameIndex frames = 0;
    };
    Result<EntryInfo> commit(const std::filesystem::path& stagingFolder, const EntryFacts& facts,
                             std::optional<AppendTo> take = std::nullopt);

    // Counts as a use. Absent also when the entry turned out damaged before.
    std::optional<EntryInfo> find(const std::string& key);
    // Those of `keys` that find() would not give, without counting as a use.
    std::vector<std::string> missing(const std::vector<std::string>& keys);
    // The file of a part. The first call for an entry in this process verifies all its parts: when
    // one is damaged the entry is removed, a warning noted, and the answer is NotFound, as for an
    // entry that is not there: make it again. The path is good as long as the entry is protected.
    Result<std::filesystem::path> part(const std::string& key, const std::string& name);
    // Unknown keys are no error. Protected ones go too.
    Result<> remove(const std::vector<std::string>& keys);
    // Verifies every entry; removes the damaged ones and gives their keys.
    Result<std::vector<std::string>> verify(const CancelToken& cancel = {});

    Result<StoreUsage> usage();
    void setMaxBytes(std::uint64_t maxBytes);
    // Evicts the least recently used entries until the size limit holds; never those that an open
    // project of any living process protects or a pinned take uses.
    Result<TrimReport> trim();

    // What an open project shows. Replaces what this process protected for it before. Ends with
    // unprotect(), this object or this process, however that ends.
    Result<> protect(std::uint64_t projectId, const std::vector<std::string>& keys);
    Result<> unprotect(std::uint64_t projectId);
    // One key more of a project that is protected; nothing for others. The entry may be made later.
    Result<> protectAlso(std::uint64_t projectId, const std::string& key);

    Ledger& ledger();

private:
    explicit ChunkStore(std::unique_ptr<StoreState> state);
    std::unique_ptr<StoreState> m_state;
    Ledger m_ledger;
};

} // namespace loquor::cache
