#include "core/cache/store_state.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <ranges>

#include "core/base/log.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"

namespace loquor::cache {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kTouchesAtOnce = 256;
constexpr auto kTouchTime = std::chrono::seconds(10);

} // namespace

std::string StoreState::timeText() const
{
    const auto now = options.now ? options.now() : std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> out{};
    std::strftime(out.data(), out.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return out.data();
}

Result<> StoreState::requireWritable()
{
    if (!notWritable)
        return {};
    // A disk that was full at the start may have room now.
    constexpr std::uint64_t kRoom = 1 << 20;
    const auto room = platform::freeSpace(folder.root());
    if (notWritable->code() == ErrorCode::DiskFull && room && *room >= kRoom)
        LQ_CHECKED(reopen());
    if (notWritable)
        return fail(*notWritable);
    return {};
}

Result<> StoreState::reopen()
{
    LQ_TRY(const std::unique_ptr<StoreState> fresh, openStore(options));
    if (fresh->notWritable)
        return {};
    index = std::move(fresh->index);
    indexLock = std::move(fresh->indexLock);
    client = std::move(fresh->client);
    notWritable.reset();
    damaged.clear();
    for (std::string& warning : fresh->warnings)
        warnings.push_back(std::move(warning));
    LQ_TRY(Transaction transaction, Transaction::begin(index.database()));
    for (const auto& [project, keys] : shown)
        for (const std::string& key : keys)
            LQ_CHECKED(index.protect(clientName(), project, key));
    return transaction.commit();
}

bool StoreState::ownsStaging(const fs::path& folderOfChunk) const
{
    return client && folderOfChunk.parent_path() == folder.stagings() &&
           folderOfChunk.filename().native().starts_with(client->name() + '-');
}

void StoreState::eraseOwnStagings()
{
    std::vector<fs::path> own;
    std::error_code code;
    for (const auto& staging : fs::directory_iterator(folder.stagings(), code))
        if (ownsStaging(staging.path()))
            own.push_back(staging.path());
    for (const fs::path& staging : own)
        StoreFolder::erase(staging);
}

void StoreState::warn(std::string text)
{
    log(LogLevel::Warning, "cache", text);
    warnings.push_back(std::move(text));
}

std::optional<EntryInfo> StoreState::lookUp(const std::string& key)
{
    if (!isValidKey(key) || damaged.contains(key))
        return std::nullopt;
    const bool onDisk = folder.exists(key);
    auto row = index.entry(key);
    if (row && row->has_value() && onDisk)
        return *row;
    if (!onDisk) {
        // Removed by hand or by a process that was killed before the index knew.
        if (row && row->has_value() && !notWritable)
            (void)index.forgetEntry(key);
        verified.erase(key);
        return std::nullopt;
    }
    auto read = folder.read(key);
    if (!read) {
        if (read.error().code() == ErrorCode::Corrupt)
            dropDamaged(key, read.error());
        return std::nullopt;
    }
    if (!notWritable)
        (void)index.addEntry(*read); // best effort: the folder is what counts
    return std::move(*read);
}

bool StoreState::has(const std::string& key)
{
    if (isValidKey(key) && !damaged.contains(key) && folder.exists(key)) {
        const auto row = index.hasEntry(key);
        if (row && *row)
            return true;
    }
    return lookUp(key).has_value();
}

Result<> StoreState::verifyOnce(EntryInfo& entry, const CancelToken& cancel)
{
    if (verified.contains(entry.key))
        return {};
    // What the entry says of itself has a checksum, its row has none.
    const auto described = folder.read(entry.key);
    if (described && *described != entry) {
        entry = *described;
        if (!notWritable && index.forgetEntry(entry.key))
            (void)index.addEntry(entry); // best effort, as in lookUp()
    }
    const auto checked = described ? folder.check(entry, cancel) : Result<>(fail(described.error()));
    if (checked) {
        verified.insert(entry.key);
        return {};
    }
    const Error& error = checked.error();
    // Neither says anything about the content.
    if (error.isCancelled() || error.code() == ErrorCode::PermissionDenied)
        return fail(error);
    dropDamaged(entry.key, error);
    return fail(ErrorCode::NotFound, error.text() + " It was removed and must be made again.");
}

void StoreState::dropDamaged(const std::string& key, const Error& why)
{
    verified.erase(key);
    warn("A stored chunk was damaged and will be made again: " + why.text());
    if (notWritable) {
        damaged.insert(key);
        return;
    }
    if (const auto removed = folder.remove(key, clientName()); !removed) {
        damaged.insert(key);
        warn(removed.error().text());
    }
    if (const auto forgotten = index.forgetEntry(key); !forgotten)
        warn(forgotten.error().text());
}

void StoreState::touch(const std::string& key)
{
    if (notWritable)
        return;
    touches.push_back(key);
    if (touches.size() >= kTouchesAtOnce || std::chrono::steady_clock::now() - lastFlush > kTouchTime)
        flushTouches();
}

Result<> StoreState::writeTouches()
{
    lastFlush = std::chrono::steady_clock::now();
    // Only the last use of each counts.
    std::vector<std::string> order;
    std::unordered_set<std::string> seen;
    for (const std::string& key : std::views::reverse(touches))
        if (seen.insert(key).second)
            order.push_back(key);
    touches.clear();
    for (const std::string& key : std::views::reverse(order))
        LQ_CHECKED(index.touch(key));
    return {};
}

void StoreState::flushTouches()
{
    if (touches.empty())
        return;
    const auto write = [&]() -> Result<> {
        LQ_TRY(Transaction transaction, Transaction::begin(index.database()));
        LQ_CHECKED(writeTouches());
        return transaction.commit();
    };
    // Losing the order of use costs a worse choice at an eviction, nothing else.
    if (const auto written = write(); !written)
        log(LogLevel::Info, "cache", "order of use not noted: " + written.error().logText());
}

Result<> StoreState::removeEntry(const std::string& key)
{
    if (!isValidKey(key))
        return {};
    LQ_CHECKED(folder.remove(key, clientName()));
    verified.erase(key);
    damaged.erase(key);
    return index.forgetEntry(key);
}

Result<> StoreState::protectShown(std::uint64_t project, const std::string& key)
{
    const auto found = shown.find(project);
    if (found == shown.end() || !found->second.insert(key).second)
        return {};
    return index.protect(clientName(), project, key);
}

Result<TrimReport> StoreState::evict(const std::string& except)
{
    TrimReport trimmed;
    LQ_TRY(std::uint64_t bytes, index.entryBytes());
    if (bytes <= options.maxBytes)
        return trimmed;
    LQ_CHECKED(forgetDeadClients(folder, index));
    LQ_TRY(Transaction transaction, Transaction::begin(index.database()));
    LQ_CHECKED(writeTouches());
    LQ_TRY(bytes, index.entryBytes());
    LQ_TRY(const std::vector<StoreIndex::Candidate> candidates, index.evictable());
    for (const StoreIndex::Candidate& oldest : candidates) {
        if (bytes <= options.maxBytes)
            break;
        if (oldest.key == except)
            continue;
        LQ_CHECKED(removeEntry(oldest.key));
        bytes -= oldest.bytes;
        ++trimmed.removedEntries;
        trimmed.freedBytes += oldest.bytes;
    }
    LQ_CHECKED(transaction.commit());
    trimmed.overBytes = bytes > options.maxBytes ? bytes - options.maxBytes : 0;
    return trimmed;
}

Result<DeadClients> forgetDeadClients(const StoreFolder& folder, StoreIndex& index)
{
    DeadClients gone;
    // The list is read before the locks are looked at: who makes a staging folder has its lock already.
    std::vector<fs::path> stagings;
    std::error_code code;
    for (const auto& staging : fs::directory_iterator(folder.stagings(), code))
        stagings.push_back(staging.path());
    for (const std::string& name : clientNames(folder.clients()))
        if (!isClientAlive(folder.clients(), name))
            ++gone.clients;
    for (const fs::path& staging : stagings) {
        const std::string name = staging.filename().string();
        if (isClientAlive(folder.clients(), name.substr(0, name.find('-'))))
            continue;
        StoreFolder::erase(staging);
        ++gone.stagings;
    }
    LQ_TRY(const std::vector<std::string> clients, index.clients());
    for (const std::string& client : clients)
        if (!isClientAlive(folder.clients(), client))
            LQ_CHECKED(index.unprotectAll(client));
    return gone;
}

} // namespace loquor::cache
