// Opening a store: who may use it, is the index sound, do index and folders agree.
#include <algorithm>
#include <chrono>
#include <system_error>

#include "core/base/log.h"
#include "core/cache/descriptions.h"
#include "core/cache/store_state.h"
#include "core/cache/take_log.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"

namespace loquor::cache {

namespace fs = std::filesystem;
using platform::quotedPath;

namespace {

constexpr std::uint64_t kMaxTakeLogBytes = 1ull << 30;

struct Found
{
    OpenReport report;
    std::vector<std::string> warnings;
};

Result<> addTake(StoreIndex& index, const LoggedTake& logged)
{
    LQ_CHECKED(index.addTake(logged.take));
    for (std::size_t i = 0; i < logged.chunks.size(); ++i)
        LQ_CHECKED(index.appendChunk(logged.take.id, static_cast<std::int64_t>(i), logged.chunks[i]));
    return {};
}

// Takes whose file is there and whose row is not. A file that cannot be read stays for a person to look
// at; nothing of it is used.
Result<> adoptTake(const StoreFolder& folder, StoreIndex& index, TakeId id, Found& found)
{
    const fs::path file = takeLogFile(folder.takes(), id);
    const auto text = platform::readTextFile(file, kMaxTakeLogBytes);
    if (!text && text.error().code() == ErrorCode::NotFound)
        return {};
    auto logged = text ? parseTakeLog(*text) : Result<LoggedTake>(fail(text.error()));
    if (logged && logged->take.id != id)
        logged = fail(ErrorCode::Corrupt, "It belongs to another take.");
    if (!logged) {
        found.warnings.push_back("The copy of a take, " + quotedPath(file) + ", is not used: " + logged.error().text());
        return {};
    }
    return addTake(index, *logged);
}

// Entries that have no row, oldest first, so that the order of use begins with the order of creation.
Result<> adoptEntries(StoreFolder& folder, StoreIndex& index, const std::vector<std::string>& keys,
                      const std::string& client, Found& found)
{
    std::vector<EntryInfo> entries;
    for (const std::string& key : keys) {
        auto entry = folder.read(key);
        if (entry) {
            entries.push_back(std::move(*entry));
            continue;
        }
        // A newer version's entry is left alone, and so is what another process just took away.
        const bool absent = entry.error().code() == ErrorCode::NotFound && !fs::exists(folder.entry(key));
        if (absent || entry.error().code() == ErrorCode::Unsupported ||
            entry.error().code() == ErrorCode::PermissionDenied)
            continue;
        ++found.report.damaged;
        found.warnings.push_back("A stored chunk was damaged and will be made again: " + entry.error().text());
        if (!client.empty())
            (void)folder.remove(key, client); // what stays is found again at the next opening
    }
    std::sort(entries.begin(), entries.end(), [](const EntryInfo& a, const EntryInfo& b) {
        return std::tie(a.createdAt, a.key) < std::tie(b.createdAt, b.key);
    });
    for (const EntryInfo& entry : entries)
        LQ_CHECKED(index.addEntry(entry));
    found.report.indexed += entries.size();
    return {};
}

// A whole new index. `client` is empty when nothing may be changed on the disk.
Result<> fillIndex(StoreFolder& folder, StoreIndex& index, const std::string& client, Found& found)
{
    LQ_TRY(const std::vector<std::string> keys, folder.entryKeys());
    LQ_CHECKED(adoptEntries(folder, index, keys, client, found));
    for (const TakeId id : loggedTakes(folder.takes()))
        LQ_CHECKED(adoptTake(folder, index, id, found));
    return {};
}

Result<> writeTakeCopy(const StoreFolder& folder, StoreIndex& index, TakeId id)
{
    LQ_TRY(const std::optional<Take> take, index.takeHead(id));
    if (!take)
        return {};
    LQ_TRY(const std::vector<TakeChunk> chunks, index.takeChunks(id));
    std::string lines = takeHeadLine(*take);
    for (std::size_t i = 0; i < chunks.size(); ++i)
        lines += takeChunkLine(static_cast<std::int64_t>(i), chunks[i]);
    lines += takeStateLine(*take);
    LQ_TRY(TakeLogEntry copy, TakeLogEntry::write(takeLogFile(folder.takes(), id), lines));
    copy.keep();
    return {};
}

// After a kill or a power cut a copy may know one change more or fewer than its row.
Result<> correctTakeCopies(StoreFolder& folder, StoreIndex& index, const std::vector<TakeId>& ids)
{
    for (const TakeId id : ids) {
        LQ_TRY(std::optional<Take> take, index.takeHead(id));
        LQ_TRY(const std::vector<TakeChunk> chunks, index.takeChunks(id));
        const fs::path file = takeLogFile(folder.takes(), id);
        const auto text = platform::readTextFile(file, kMaxTakeLogBytes);
        const auto logged = text ? parseTakeLog(*text) : Result<LoggedTake>(fail(text.error()));
        if (!take || (logged && logged->take == *take && logged->chunks == chunks))
            continue;
        std::error_code ignored;
        fs::remove(file, ignored);
        LQ_CHECKED(writeTakeCopy(folder, index, id));
    }
    return {};
}

Result<> reconcileTakes(StoreFolder& folder, StoreIndex& index, bool afterKill, Found& found)
{
    LQ_TRY(std::vector<TakeId> rows, index.takeIds());
    std::vector<TakeId> files = loggedTakes(folder.takes());
    std::sort(rows.begin(), rows.end());
    std::sort(files.begin(), files.end());
    std::vector<TakeId> difference;
    std::set_difference(files.begin(), files.end(), rows.begin(), rows.end(), std::back_inserter(difference));
    for (const TakeId id : difference)
        LQ_CHECKED(adoptTake(folder, index, id, found));
    if (afterKill)
        return correctTakeCopies(folder, index, rows);
    difference.clear();
    std::set_difference(rows.begin(), rows.end(), files.begin(), files.end(), std::back_inserter(difference));
    for (const TakeId id : difference)
        LQ_CHECKED(writeTakeCopy(folder, index, id));
    return {};
}

// Brings a sound index up to date. Other processes may be at work meanwhile: what they just did must
// not be undone, so a row is forgotten only when its folder is looked for under the write lock.
Result<> reconcile(StoreFolder& folder, StoreIndex& index, const std::string& client, Found& found)
{
    LQ_TRY(const DeadClients gone, forgetDeadClients(folder, index));
    found.report.stagingRemoved = gone.stagings;
    LQ_TRY(Transaction transaction, Transaction::begin(index.database()));
    LQ_TRY(const std::vector<std::string> folders, folder.entryKeys());
    LQ_TRY(const std::vector<std::string> rows, index.entryKeys());
    std::vector<std::string> difference;
    std::set_difference(folders.begin(), folders.end(), rows.begin(), rows.end(), std::back_inserter(difference));
    LQ_CHECKED(adoptEntries(folder, index, difference, client, found));
    difference.clear();
    std::set_difference(rows.begin(), rows.end(), folders.begin(), folders.end(), std::back_inserter(difference));
    for (const std::string& key : difference) {
        if (folder.exists(key))
            continue;
        LQ_CHECKED(index.forgetEntry(key));
        ++found.report.forgotten;
    }
    LQ_CHECKED(reconcileTakes(folder, index, gone.clients > 0, found));
    return transaction.commit();
}

void moveAside(const fs::path& index)
{
    std::error_code ignored;
    const fs::path aside = index.parent_path() / "index.damaged.db";
    fs::remove_all(aside, ignored);
    fs::rename(index, aside, ignored);
    for (const char* suffix : {"-wal", "-shm", "-journal"})
        fs::remove_all(index.native() + suffix, ignored);
}

bool isUnusable(const Error& error)
{
    return error.code() == ErrorCode::NotFound || error.code() == ErrorCode::Corrupt ||
           error.code() == ErrorCode::Unreadable || error.code() == ErrorCode::Internal;
}

// A damage that the check at opening does not see may show when rows are written.
Result<StoreIndex> openAndReconcile(const StoreOptions& options, StoreFolder& folder, const std::string& client,
                                    Found& found)
{
    found = {};
    LQ_TRY(StoreIndex index, StoreIndex::openFile(folder.index(), options.busyTimeout));
    LQ_CHECKED(reconcile(folder, index, client, found));
    return index;
}

Result<StoreIndex> makeAgain(const StoreOptions& options, StoreFolder& folder, const std::string& client,
                             const Error& why, Found& found)
{
    found = {};
    if (why.code() != ErrorCode::NotFound)
        found.warnings.push_back("The chunk index " + quotedPath(folder.index()) +
                                 " could not be used and was made again from the stored chunks. The old one is kept "
                                 "as 'index.damaged.db'.");
    log(LogLevel::Info, "cache", "index made anew: " + why.logText());
    moveAside(folder.index());
    LQ_TRY(StoreIndex index,
           StoreIndex::createFile(folder.index(), options.busyTimeout,
                                  [&](StoreIndex& made) { return fillIndex(folder, made, client, found); }));
    LQ_TRY(const DeadClients gone, forgetDeadClients(folder, index));
    found.report.stagingRemoved = gone.stagings;
    found.report.rebuilt = true;
    return index;
}

// Holds `lock` shared when it returns. One process at a time makes a new index, and only while no other uses
// the old one. Who cannot have the store alone looks again: most often another process, which started at the
// same time, has just made the index that was missing.
Result<StoreIndex> openIndex(const StoreOptions& options, StoreFolder& folder, IndexLock& lock,
                             const std::string& client, Found& found)
{
    constexpr std::chrono::milliseconds kLookAgain{100};
    const auto end = std::chrono::steady_clock::now() + options.busyTimeout;
    for (;;) {
        LQ_CHECKED(lock.lockShared(options.busyTimeout));
        auto index = openAndReconcile(options, folder, client, found);
        if (index || !isUnusable(index.error()))
            return index;
        const Error why = index.error();
        if (lock.lockExclusive(std::min(kLookAgain, options.busyTimeout))) {
            index = openAndReconcile(options, folder, client, found); // somebody else made it meanwhile?
            if (!index && isUnusable(index.error()))
                index = makeAgain(options, folder, client, why, found);
            LQ_CHECKED(lock.lockShared(options.busyTimeout));
            return index;
        }
        if (std::chrono::steady_clock::now() >= end)
            return fail(ErrorCode::Corrupt, "The chunk index " + quotedPath(folder.index()) +
                                                " is damaged, and another program uses it. Close all other Loquor "
                                                "programs and try again: it is then made again from the stored chunks.");
    }
}

std::unique_ptr<StoreState> finished(std::unique_ptr<StoreState> state, Found found)
{
    state->report = found.report;
    for (std::string& warning : found.warnings)
        state->warn(std::move(warning));
    return state;
}

// For a folder that cannot be written: an index in memory.
Result<std::unique_ptr<StoreState>> openForReading(const StoreOptions& options, StoreFolder folder, Error why)
{
    Found found;
    LQ_TRY(StoreIndex index,
           StoreIndex::inMemory([&](StoreIndex& made) { return fillIndex(folder, made, {}, found); }));
    found.report.indexed = 0;
    auto state = std::make_unique<StoreState>(options, std::move(folder), std::nullopt, std::nullopt, std::move(index));
    state->notWritable = std::move(why);
    return finished(std::move(state), std::move(found));
}

bool allowsReading(const Error& error)
{
    return error.code() == ErrorCode::PermissionDenied || error.code() == ErrorCode::DiskFull;
}

Error asStoreError(const Error& error, const fs::path& root)
{
    const char* advice = error.code() == ErrorCode::DiskFull
                             ? "free some space on its disk and open it again, or choose another cache folder"
                             : "allow writing there, or choose another cache folder";
    return Error(error.code(), "The chunk store " + quotedPath(root) + " can only be read (" + error.message() +
                                   "): " + advice + '.');
}

} // namespace

Result<std::unique_ptr<StoreState>> openStore(const StoreOptions& given)
{
    if (given.folder.empty())
        return fail(ErrorCode::InvalidArgument, "No folder is given for the chunk store.");
    // Other parts of the program may change the working folder.
    StoreOptions options = given;
    options.folder = fs::absolute(given.folder);
    StoreFolder folder(options.folder, options.atStep);
    const auto readOnly = [&](const Error& error) -> Result<std::unique_ptr<StoreState>> {
        std::error_code code;
        if (!allowsReading(error) || !fs::is_directory(folder.root(), code))
            return fail(error);
        return openForReading(options, folder, asStoreError(error, folder.root()));
    };
    if (const auto made = folder.make(); !made)
        return readOnly(made.error());
    auto client = ClientLock::make(folder.clients());
    if (!client)
        return readOnly(client.error());
    auto lock = IndexLock::open(folder.indexLock());
    if (!lock)
        return readOnly(lock.error());
    Found found;
    auto index = openIndex(options, folder, *lock, client->name(), found);
    if (!index)
        return readOnly(index.error());
    return finished(std::make_unique<StoreState>(options, std::move(folder), std::move(*client), std::move(*lock),
                                                 std::move(*index)),
                    std::move(found));
}

} // namespace loquor::cache
