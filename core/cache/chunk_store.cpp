#include "core/cache/chunk_store.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "core/cache/store_state.h"
#include "core/platform/paths.h"

namespace loquor::cache {

namespace fs = std::filesystem;
using platform::quotedPath;

Result<std::unique_ptr<ChunkStore>> ChunkStore::open(const StoreOptions& options)
{
    LQ_TRY(std::unique_ptr<StoreState> state, openStore(options));
    return std::unique_ptr<ChunkStore>(new ChunkStore(std::move(state)));
}

ChunkStore::ChunkStore(std::unique_ptr<StoreState> state) : m_state(std::move(state)), m_ledger(*m_state) {}

ChunkStore::~ChunkStore()
{
    if (!m_state->client)
        return;
    m_state->flushTouches();
    // What cannot be written now goes at the next opening: nobody holds the name then.
    (void)m_state->index.unprotectAll(m_state->clientName());
    m_state->eraseOwnStagings();
}

const fs::path& ChunkStore::folder() const
{
    return m_state->folder.root();
}

const OpenReport& ChunkStore::openReport() const
{
    return m_state->report;
}

std::optional<Error> ChunkStore::whyNotWritable() const
{
    return m_state->notWritable;
}

std::vector<std::string> ChunkStore::takeWarnings()
{
    const std::lock_guard lock(m_state->mutex);
    return std::exchange(m_state->warnings, {});
}

Result<fs::path> ChunkStore::stage()
{
    const std::lock_guard lock(m_state->mutex);
    LQ_CHECKED(m_state->requireWritable());
    return m_state->folder.makeStaging(m_state->clientName());
}

void ChunkStore::discard(const fs::path& stagingFolder)
{
    const std::lock_guard lock(m_state->mutex);
    if (m_state->ownsStaging(stagingFolder))
        StoreFolder::erase(stagingFolder);
}

Result<EntryInfo> ChunkStore::commit(const fs::path& stagingFolder, const EntryFacts& facts, std::optional<AppendTo> take)
{
    const std::lock_guard lock(m_state->mutex);
    LQ_CHECKED(m_state->requireWritable());
    if (!m_state->ownsStaging(stagingFolder))
        return fail(ErrorCode::InvalidArgument,
                    quotedPath(stagingFolder) + " is not a staging folder of the chunk store " + quotedPath(folder()) + '.');
    auto done = commitStaged(*m_state, stagingFolder, facts, take);
    StoreFolder::erase(stagingFolder);
    if (!done)
        return done;
    if (const auto evicted = m_state->evict(facts.key); !evicted)
        m_state->warn(evicted.error().text());
    return done;
}

std::optional<EntryInfo> ChunkStore::find(const std::string& key)
{
    const std::lock_guard lock(m_state->mutex);
    auto entry = m_state->lookUp(key);
    if (entry)
        m_state->touch(key);
    return entry;
}

std::vector<std::string> ChunkStore::missing(const std::vector<std::string>& keys)
{
    const std::lock_guard lock(m_state->mutex);
    std::vector<std::string> out;
    for (const std::string& key : keys)
        if (!m_state->has(key))
            out.push_back(key);
    return out;
}

Result<fs::path> ChunkStore::part(const std::string& key, const std::string& name)
{
    const std::lock_guard lock(m_state->mutex);
    auto entry = m_state->lookUp(key);
    if (!entry)
        return fail(ErrorCode::NotFound, "The chunk " + key.substr(0, 64) + " is not in the store: make it again.");
    LQ_CHECKED(m_state->verifyOnce(*entry));
    const auto found = std::find_if(entry->parts.begin(), entry->parts.end(),
                                    [&](const PartInfo& part) { return part.name == name; });
    if (found == entry->parts.end())
        return fail(ErrorCode::NotFound, "The chunk " + key + " has no part '" + name + "'.");
    // Verified before; but it may have been taken away since.
    fs::path file = m_state->folder.entry(key) / name;
    std::error_code code;
    if (fs::file_size(file, code) != found->bytes || code) {
        m_state->dropDamaged(key, Error(ErrorCode::Corrupt, "The part " + quotedPath(file) + " has changed."));
        return fail(ErrorCode::NotFound, "The part " + quotedPath(file) + " is damaged: make the chunk again.");
    }
    m_state->touch(key);
    return file;
}

Result<> ChunkStore::remove(const std::vector<std::string>& keys)
{
    const std::lock_guard lock(m_state->mutex);
    LQ_CHECKED(m_state->requireWritable());
    LQ_TRY(Transaction transaction, Transaction::begin(m_state->index.database()));
    for (const std::string& key : keys)
        LQ_CHECKED(m_state->removeEntry(key));
    return transaction.commit();
}

Result<std::vector<std::string>> ChunkStore::verify(const CancelToken& cancel)
{
    std::vector<std::string> keys;
    {
        const std::lock_guard lock(m_state->mutex);
        LQ_TRY(keys, m_state->index.entryKeys());
    }
    std::vector<std::string> out;
    for (const std::string& key : keys) {
        if (cancel.isCancelled())
            return cancelled();
        // Others get their turn between two entries.
        const std::lock_guard lock(m_state->mutex);
        auto entry = m_state->lookUp(key);
        if (!entry)
            continue;
        m_state->verified.erase(key);
        if (const auto checked = m_state->verifyOnce(*entry, cancel); !checked) {
            if (checked.error().code() != ErrorCode::NotFound)
                return fail(checked.error());
            out.push_back(key);
        }
    }
    return out;
}

Result<StoreUsage> ChunkStore::usage()
{
    const std::lock_guard lock(m_state->mutex);
    StoreUsage usage;
    LQ_TRY(usage.bytes, m_state->index.entryBytes());
    LQ_TRY(usage.entries, m_state->index.entryCount());
    return usage;
}

void ChunkStore::setMaxBytes(std::uint64_t maxBytes)
{
    const std::lock_guard lock(m_state->mutex);
    m_state->options.maxBytes = maxBytes;
}

Result<TrimReport> ChunkStore::trim()
{
    const std::lock_guard lock(m_state->mutex);
    LQ_CHECKED(m_state->requireWritable());
    return m_state->evict();
}

Result<> ChunkStore::protect(std::uint64_t projectId, const std::vector<std::string>& keys)
{
    const std::lock_guard lock(m_state->mutex);
    std::set<std::string> wanted;
    for (const std::string& key : keys) {
        if (!isValidKey(key))
            return fail(ErrorCode::InvalidArgument, "'" + key.substr(0, 80) + "' is no key of a chunk.");
        wanted.insert(key);
    }
    // Only the difference is written: an edit changes few of many.
    const auto known = m_state->shown.find(projectId);
    const std::set<std::string> before = known == m_state->shown.end() ? std::set<std::string>() : known->second;
    const std::string client = m_state->clientName();
    LQ_TRY(Transaction transaction, Transaction::begin(m_state->index.database()));
    for (const std::string& key : wanted)
        if (!before.contains(key))
            LQ_CHECKED(m_state->index.protect(client, projectId, key));
    for (const std::string& key : before)
        if (!wanted.contains(key))
            LQ_CHECKED(m_state->index.unprotect(client, projectId, key));
    LQ_CHECKED(transaction.commit());
    m_state->shown[projectId] = std::move(wanted);
    return {};
}

Result<> ChunkStore::unprotect(std::uint64_t projectId)
{
    LQ_CHECKED(protect(projectId, {}));
    const std::lock_guard lock(m_state->mutex);
    m_state->shown.erase(projectId);
    return {};
}

Result<> ChunkStore::protectAlso(std::uint64_t projectId, const std::string& key)
{
    const std::lock_guard lock(m_state->mutex);
    if (!isValidKey(key))
        return fail(ErrorCode::InvalidArgument, "'" + key.substr(0, 80) + "' is no key of a chunk.");
    return m_state->protectShown(projectId, key);
}

Ledger& ChunkStore::ledger()
{
    return m_ledger;
}

} // namespace loquor::cache
