#include "core/cache/database.h"

#include <map>
#include <utility>

#include <cerrno>

#include <sqlite3.h>

#include "core/platform/paths.h"

namespace loquor::cache {

namespace fs = std::filesystem;

namespace {

struct StatementFree
{
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementPtr = std::unique_ptr<sqlite3_stmt, StatementFree>;

// Gives a statement back to its next user, whatever happens.
class ResetAtEnd
{
public:
    explicit ResetAtEnd(sqlite3_stmt* statement) : m_statement(statement) {}
    ~ResetAtEnd()
    {
        sqlite3_reset(m_statement);
        sqlite3_clear_bindings(m_statement);
    }
    ResetAtEnd(const ResetAtEnd&) = delete;
    ResetAtEnd& operator=(const ResetAtEnd&) = delete;

private:
    sqlite3_stmt* m_statement;
};

ErrorCode codeOf(int result, int systemError)
{
    switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorCode::Timeout;
    case SQLITE_FULL: return ErrorCode::DiskFull;
    case SQLITE_READONLY:
    case SQLITE_PERM: return ErrorCode::PermissionDenied;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorCode::Corrupt;
    case SQLITE_NOMEM: return ErrorCode::OutOfMemory;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return systemError != 0 ? errorFromErrno(systemError, {}).code() : ErrorCode::Unreadable;
    default: return ErrorCode::Internal;
    }
}

const char* adviceFor(ErrorCode code)
{
    if (code == ErrorCode::Timeout)
        return " Another Loquor keeps it busy: wait or close the other program, then try again.";
    if (code == ErrorCode::DiskFull)
        return " Free some space on that disk; everything finished is kept.";
    if (code == ErrorCode::Corrupt)
        return " Close all Loquor programs and start again: it is then rebuilt from the chunks.";
    return "";
}

} // namespace

struct Database::Impl
{
    sqlite3* handle = nullptr;
    std::string name; // for messages
    std::map<std::string, StatementPtr, std::less<>> statements;

    ~Impl()
    {
        statements.clear();
        sqlite3_close_v2(handle);
    }

    tl::unexpected<Error> error(int result) const
    {
        // SQLite does not note the number of every failed call; then it is still in errno.
        const int noted = sqlite3_system_errno(handle);
        const ErrorCode code = codeOf(result, noted != 0 ? noted : errno);
        return fail(code, "The chunk index " + name + " cannot be used: " + sqlite3_errmsg(handle) + '.' +
                              adviceFor(code));
    }

    Result<sqlite3_stmt*> statement(std::string_view sql)
    {
        if (const auto known = statements.find(sql); known != statements.end())
            return known->second.get();
        sqlite3_stmt* made = nullptr;
        const int result = sqlite3_prepare_v3(handle, sql.data(), static_cast<int>(sql.size()),
                                              SQLITE_PREPARE_PERSISTENT, &made, nullptr);
        if (result != SQLITE_OK)
            return error(result);
        return statements.emplace(sql, StatementPtr(made)).first->second.get();
    }
};

std::int64_t Row::number(int column) const
{
    return sqlite3_column_int64(m_statement, column);
}

std::string Row::text(int column) const
{
    const void* bytes = sqlite3_column_blob(m_statement, column);
    const auto length = static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column));
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), length);
}

Database::Database(std::unique_ptr<Impl> impl) : m(std::move(impl)) {}
Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

Result<Database> Database::open(const fs::path& file, std::chrono::milliseconds busyTimeout, bool create)
{
    auto impl = std::make_unique<Impl>();
    impl->name = platform::quotedPath(file);
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    errno = 0;
    const int result = sqlite3_open_v2(file.c_str(), &impl->handle, flags, nullptr);
    if (impl->handle == nullptr)
        return fail(ErrorCode::OutOfMemory, "No memory to open the chunk index " + impl->name + ".");
    if (result != SQLITE_OK)
        return impl->error(result);
    sqlite3_extended_result_codes(impl->handle, 1);
    sqlite3_busy_timeout(impl->handle, static_cast<int>(busyTimeout.count()));
    Database database(std::move(impl));
    // A file system without shared memory maps stays in the rollback mode: slower, as safe.
    LQ_CHECKED(database.script("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"));
    return database;
}

Result<Database> Database::inMemory()
{
    auto impl = std::make_unique<Impl>();
    impl->name = "in memory";
    const int result = sqlite3_open_v2(":memory:", &impl->handle,
                                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    if (result != SQLITE_OK)
        return impl->error(result);
    return Database(std::move(impl));
}

Result<> Database::script(const char* sql)
{
    errno = 0;
    const int result = sqlite3_exec(m->handle, sql, nullptr, nullptr, nullptr);
    if (result != SQLITE_OK)
        return m->error(result);
    return {};
}

Result<> Database::execute(std::string_view sql, std::initializer_list<Value> values)
{
    return each(sql, values, [](const Row&) {});
}

Result<> Database::each(std::string_view sql, std::initializer_list<Value> values,
                        const std::function<void(const Row&)>& onRow)
{
    LQ_TRY(sqlite3_stmt * statement, m->statement(sql));
    const ResetAtEnd reset(statement);
    int at = 0;
    for (const Value& value : values) {
        ++at;
        // Texts live until the statement is reset; no destructor means that SQLite does not copy them.
        const int bound = std::holds_alternative<std::int64_t>(value)
                              ? sqlite3_bind_int64(statement, at, std::get<std::int64_t>(value))
                              : sqlite3_bind_text(statement, at, std::get<std::string_view>(value).data(),
                                                  static_cast<int>(std::get<std::string_view>(value).size()), nullptr);
        if (bound != SQLITE_OK)
            return m->error(bound);
    }
    errno = 0;
    for (;;) {
        const int result = sqlite3_step(statement);
        if (result == SQLITE_DONE)
            return {};
        if (result != SQLITE_ROW)
            return m->error(result);
        onRow(Row(statement));
    }
}

Result<std::int64_t> Database::number(std::string_view sql, std::initializer_list<Value> values)
{
    std::int64_t out = 0;
    bool first = true;
    LQ_CHECKED(each(sql, values, [&](const Row& row) {
        if (first)
            out = row.number(0);
        first = false;
    }));
    return out;
}

Result<> Database::begin()
{
    return execute("BEGIN IMMEDIATE");
}

void Database::rollback() noexcept
{
    // SQLite has rolled back by itself after some errors (disk full); then there is nothing to do.
    if (sqlite3_get_autocommit(m->handle) == 0)
        sqlite3_exec(m->handle, "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<Transaction> Transaction::begin(Database& database)
{
    LQ_CHECKED(database.begin());
    return Transaction(database);
}

Transaction::~Transaction()
{
    if (m_database != nullptr)
        m_database->rollback();
}

Transaction::Transaction(Transaction&& other) noexcept : m_database(std::exchange(other.m_database, nullptr)) {}

Result<> Transaction::commit()
{
    LQ_CHECKED(m_database->execute("COMMIT"));
    m_database = nullptr;
    return {};
}

} // namespace loquor::cache
