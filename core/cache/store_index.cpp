#include "core/cache/store_index.h"

#include <algorithm>

#include "core/cache/descriptions.h"
#include "core/platform/paths.h"

namespace loquor::cache {

namespace {

// application_id marks the file as ours, user_version the schema.
constexpr std::int64_t kApplicationId = 0x4c515243; // "LQRC"
constexpr std::int64_t kSchemaVersion = 1;

constexpr const char* kSchema = R"sql(
CREATE TABLE entries(key TEXT PRIMARY KEY, kind TEXT NOT NULL, bytes INTEGER NOT NULL, used INTEGER NOT NULL,
  created TEXT NOT NULL, facts TEXT NOT NULL, parts TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX entries_used ON entries(used, bytes);
CREATE TABLE takes(id INTEGER PRIMARY KEY, project INTEGER NOT NULL, line INTEGER NOT NULL, number INTEGER NOT NULL,
  line_key TEXT NOT NULL, boundary TEXT NOT NULL, frames INTEGER NOT NULL,
  complete INTEGER NOT NULL, pinned INTEGER NOT NULL, seed INTEGER NOT NULL, created TEXT NOT NULL,
  failures INTEGER NOT NULL, reason TEXT NOT NULL);
CREATE INDEX takes_line ON takes(project, line, number);
CREATE TABLE take_chunks(take INTEGER NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL,
  frames INTEGER NOT NULL, PRIMARY KEY(take, position)) WITHOUT ROWID;
CREATE INDEX take_chunks_key ON take_chunks(key);
CREATE TABLE protections(client TEXT NOT NULL, project INTEGER NOT NULL, key TEXT NOT NULL,
  PRIMARY KEY(client, project, key)) WITHOUT ROWID;
CREATE INDEX protections_key ON protections(key);
)sql";

constexpr const char* kTakeColumns =
    "SELECT id, project, line, number, line_key, boundary, complete, pinned, seed, created, failures, reason, frames "
    "FROM takes ";

Take takeOf(const Row& row)
{
    Take take;
    take.id = row.id(0);
    take.project = row.id(1);
    take.line = row.id(2);
    take.number = static_cast<int>(row.number(3));
    take.lineKey = row.text(4);
    take.boundaryIn = row.text(5);
    take.complete = row.number(6) != 0;
    take.pinned = row.number(7) != 0;
    take.seed = row.id(8);
    take.createdAt = row.text(9);
    take.failureCount = static_cast<int>(row.number(10));
    take.reason = row.text(11);
    take.frames = row.number(12);
    return take;
}

} // namespace

Result<StoreIndex> StoreIndex::openFile(const std::filesystem::path& file, std::chrono::milliseconds busyTimeout)
{
    std::error_code code;
    if (!std::filesystem::exists(file, code))
        return fail(ErrorCode::NotFound, "There is no chunk index " + platform::quotedPath(file) + '.');
    LQ_TRY(Database database, Database::open(file, busyTimeout, false));
    LQ_TRY(const std::int64_t application, database.number("PRAGMA application_id"));
    LQ_TRY(const std::int64_t version, database.number("PRAGMA user_version"));
    if (application != kApplicationId || version != kSchemaVersion)
        return fail(ErrorCode::Corrupt,
                    "The chunk index " + platform::quotedPath(file) + " is not one of this version of Loquor.");
    std::string verdict;
    LQ_CHECKED(database.each("PRAGMA integrity_check(1)", {}, [&](const Row& row) { verdict = row.text(0); }));
    std::replace(verdict.begin(), verdict.end(), '\n', ' ');
    if (verdict != "ok")
        return fail(ErrorCode::Corrupt,
                    "The chunk index " + platform::quotedPath(file) + " is damaged: " + verdict + '.');
    return StoreIndex(std::move(database));
}

Result<StoreIndex> StoreIndex::createFile(const std::filesystem::path& file, std::chrono::milliseconds busyTimeout,
                                          const Fill& fill)
{
    LQ_TRY(Database database, Database::open(file, busyTimeout, true));
    StoreIndex index(std::move(database));
    LQ_CHECKED(index.create(fill));
    return index;
}

Result<StoreIndex> StoreIndex::inMemory(const Fill& fill)
{
    LQ_TRY(Database database, Database::inMemory());
    StoreIndex index(std::move(database));
    LQ_CHECKED(index.create(fill));
    return index;
}

// One transaction: an index that is there is always complete.
Result<> StoreIndex::create(const Fill& fill)
{
    LQ_TRY(Transaction transaction, Transaction::begin(m_database));
    LQ_CHECKED(m_database.script(kSchema));
    LQ_CHECKED(fill(*this));
    const std::string marks = "PRAGMA application_id=" + std::to_string(kApplicationId) +
                              "; PRAGMA user_version=" + std::to_string(kSchemaVersion) + ';';
    LQ_CHECKED(m_database.script(marks.c_str()));
    return transaction.commit();
}

Result<> StoreIndex::addEntry(const EntryInfo& entry)
{
    const std::string parts = formatParts(entry.parts);
    return m_database.execute(
        "INSERT OR IGNORE INTO entries(key, kind, bytes, used, created, facts, parts) "
        "VALUES(?1, ?2, ?3, (SELECT ifnull(max(used), 0) + 1 FROM entries), ?4, ?5, ?6)",
        {entry.key, std::string_view(toString(entry.kind)), static_cast<std::int64_t>(entry.bytes), entry.createdAt,
         entry.facts, parts});
}

Result<std::optional<EntryInfo>> StoreIndex::entry(const std::string& key)
{
    std::optional<EntryInfo> out;
    std::string kind, parts;
    LQ_CHECKED(m_database.each("SELECT kind, bytes, created, facts, parts FROM entries WHERE key = ?1", {key},
                               [&](const Row& row) {
                                   out = EntryInfo{key, EntryKind::N, row.text(3), {}, row.id(1), row.text(2)};
                                   kind = row.text(0);
                                   parts = row.text(4);
                               }));
    if (!out)
        return out;
    LQ_TRY(out->parts, parseParts(parts));
    for (const EntryKind one : {EntryKind::N, EntryKind::I, EntryKind::Speech})
        if (kind == toString(one))
            out->kind = one;
    return out;
}

Result<bool> StoreIndex::hasEntry(const std::string& key)
{
    LQ_TRY(const std::int64_t found,
           m_database.number("SELECT EXISTS(SELECT 1 FROM entries WHERE key = ?1)", {key}));
    return found != 0;
}

Result<> StoreIndex::forgetEntry(const std::string& key)
{
    return m_database.execute("DELETE FROM entries WHERE key = ?1", {key});
}

Result<> StoreIndex::touch(const std::string& key)
{
    return m_database.execute(
        "UPDATE entries SET used = (SELECT ifnull(max(used), 0) + 1 FROM entries) WHERE key = ?1", {key});
}

Result<std::vector<std::string>> StoreIndex::entryKeys()
{
    std::vector<std::string> out;
    LQ_CHECKED(m_database.each("SELECT key FROM entries ORDER BY key", {},
                               [&](const Row& row) { out.push_back(row.text(0)); }));
    return out;
}

Result<std::uint64_t> StoreIndex::entryBytes()
{
    return m_database.number("SELECT ifnull(sum(bytes), 0) FROM entries");
}

Result<std::uint64_t> StoreIndex::entryCount()
{
    return m_database.number("SELECT count(*) FROM entries");
}

Result<std::vector<StoreIndex::Candidate>> StoreIndex::evictable()
{
    std::vector<Candidate> out;
    LQ_CHECKED(m_database.each(
        "SELECT key, bytes FROM entries WHERE key NOT IN (SELECT key FROM protections) AND key NOT IN "
        "(SELECT key FROM take_chunks JOIN takes ON takes.id = take_chunks.take WHERE takes.pinned) ORDER BY used, key",
        {}, [&](const Row& row) { out.push_back({row.text(0), row.id(1)}); }));
    return out;
}

Result<bool> StoreIndex::isProtected(const std::string& key)
{
    LQ_TRY(const std::int64_t found,
           m_database.number("SELECT EXISTS(SELECT 1 FROM protections WHERE key = ?1) OR EXISTS(SELECT 1 FROM "
                             "take_chunks JOIN takes ON takes.id = take_chunks.take WHERE takes.pinned AND key = ?1)",
                             {key}));
    return found != 0;
}

Result<> StoreIndex::addTake(const Take& take)
{
    LQ_CHECKED(m_database.execute(
        "INSERT INTO takes(id, project, line, number, line_key, boundary, frames, complete, pinned, seed, created, "
        "failures, reason) VALUES(?1, ?2, ?3, ?4, ?5, ?6, 0, 0, 0, ?7, ?8, 0, '')",
        {toDatabase(take.id), toDatabase(take.project), toDatabase(take.line), std::int64_t{take.number}, take.lineKey,
         take.boundaryIn, toDatabase(take.seed), take.createdAt}));
    return updateTake(take);
}

Result<> StoreIndex::appendChunk(TakeId take, std::int64_t position, const TakeChunk& chunk)
{
    LQ_CHECKED(m_database.execute("INSERT INTO take_chunks(take, position, key, frames) VALUES(?1, ?2, ?3, ?4)",
                                  {toDatabase(take), position, chunk.key, chunk.frames}));
    return m_database.execute("UPDATE takes SET frames = frames + ?2 WHERE id = ?1", {toDatabase(take), chunk.frames});
}

Result<> StoreIndex::updateTake(const Take& take)
{
    return m_database.execute(
        "UPDATE takes SET complete = ?2, pinned = ?3, failures = ?4, reason = ?5 WHERE id = ?1",
        {toDatabase(take.id), std::int64_t{take.complete}, std::int64_t{take.pinned}, std::int64_t{take.failureCount},
         take.reason});
}

Result<std::vector<Take>> StoreIndex::readTakes(std::string_view sql, std::initializer_list<Value> values)
{
    std::vector<Take> out;
    LQ_CHECKED(m_database.each(sql, values, [&](const Row& row) { out.push_back(takeOf(row)); }));
    for (Take& take : out)
        LQ_CHECKED(m_database.each("SELECT key FROM take_chunks WHERE take = ?1 ORDER BY position",
                                   {toDatabase(take.id)}, [&](const Row& row) { take.chunks.push_back(row.text(0)); }));
    return out;
}

Result<std::optional<Take>> StoreIndex::take(TakeId id)
{
    LQ_TRY(std::vector<Take> found, readTakes(std::string(kTakeColumns) + "WHERE id = ?1", {toDatabase(id)}));
    return found.empty() ? std::optional<Take>() : std::move(found.front());
}

Result<std::optional<Take>> StoreIndex::takeHead(TakeId id)
{
    std::optional<Take> out;
    LQ_CHECKED(m_database.each(std::string(kTakeColumns) + "WHERE id = ?1", {toDatabase(id)},
                               [&](const Row& row) { out = takeOf(row); }));
    return out;
}

Result<std::vector<TakeChunk>> StoreIndex::takeChunks(TakeId id)
{
    std::vector<TakeChunk> out;
    LQ_CHECKED(m_database.each("SELECT key, frames FROM take_chunks WHERE take = ?1 ORDER BY position",
                               {toDatabase(id)},
                               [&](const Row& row) { out.push_back({row.text(0), row.number(1)}); }));
    return out;
}

Result<std::int64_t> StoreIndex::chunkCount(TakeId id)
{
    return m_database.number("SELECT ifnull(max(position) + 1, 0) FROM take_chunks WHERE take = ?1", {toDatabase(id)});
}

Result<std::vector<Take>> StoreIndex::takes(std::uint64_t project, std::optional<std::uint64_t> line)
{
    if (line)
        return readTakes(std::string(kTakeColumns) + "WHERE project = ?1 AND line = ?2 ORDER BY number",
                         {toDatabase(project), toDatabase(*line)});
    return readTakes(std::string(kTakeColumns) + "WHERE project = ?1 ORDER BY line, number", {toDatabase(project)});
}

Result<std::vector<TakeId>> StoreIndex::takeIds()
{
    std::vector<TakeId> out;
    LQ_CHECKED(m_database.each("SELECT id FROM takes", {}, [&](const Row& row) { out.push_back(row.id(0)); }));
    return out;
}

Result<int> StoreIndex::nextNumber(std::uint64_t project, std::uint64_t line)
{
    LQ_TRY(const std::int64_t number,
           m_database.number("SELECT ifnull(max(number), 0) + 1 FROM takes WHERE project = ?1 AND line = ?2",
                             {toDatabase(project), toDatabase(line)}));
    return static_cast<int>(number);
}

Result<> StoreIndex::forgetTake(TakeId id)
{
    LQ_CHECKED(m_database.execute("DELETE FROM take_chunks WHERE take = ?1", {toDatabase(id)}));
    return m_database.execute("DELETE FROM takes WHERE id = ?1", {toDatabase(id)});
}

Result<bool> StoreIndex::isUsed(const std::string& chunkKey)
{
    LQ_TRY(const std::int64_t found,
           m_database.number("SELECT EXISTS(SELECT 1 FROM take_chunks WHERE key = ?1)", {chunkKey}));
    return found != 0;
}

Result<bool> StoreIndex::isShownByOthers(const std::string& client, std::uint64_t project)
{
    LQ_TRY(const std::int64_t found,
           m_database.number("SELECT EXISTS(SELECT 1 FROM protections WHERE project = ?1 AND client <> ?2)",
                             {toDatabase(project), client}));
    return found != 0;
}

Result<> StoreIndex::protect(const std::string& client, std::uint64_t project, const std::string& key)
{
    return m_database.execute("INSERT OR IGNORE INTO protections(client, project, key) VALUES(?1, ?2, ?3)",
                              {client, toDatabase(project), key});
}

Result<> StoreIndex::unprotect(const std::string& client, std::uint64_t project, const std::string& key)
{
    return m_database.execute("DELETE FROM protections WHERE client = ?1 AND project = ?2 AND key = ?3",
                              {client, toDatabase(project), key});
}

Result<> StoreIndex::unprotectAll(const std::string& client)
{
    return m_database.execute("DELETE FROM protections WHERE client = ?1", {client});
}

Result<std::vector<std::string>> StoreIndex::clients()
{
    std::vector<std::string> out;
    LQ_CHECKED(m_database.each("SELECT DISTINCT client FROM protections", {},
                               [&](const Row& row) { out.push_back(row.text(0)); }));
    return out;
}

} // namespace loquor::cache
