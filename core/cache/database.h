// The little of SQLite that the index needs: one connection, statements by text, errors as values.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/error.h"

struct sqlite3_stmt;

namespace loquor::cache {

using Value = std::variant<std::int64_t, std::string_view>;

// 64-bit ids are stored with the same bits as SQLite's signed integers.
inline std::int64_t toDatabase(std::uint64_t id)
{
    return static_cast<std::int64_t>(id);
}

// One row of a result, valid inside the callback.
class Row
{
public:
    explicit Row(sqlite3_stmt* statement) : m_statement(statement) {}
    std::int64_t number(int column) const;
    std::uint64_t id(int column) const { return static_cast<std::uint64_t>(number(column)); }
    std::string text(int column) const;

private:
    sqlite3_stmt* m_statement;
};

// One connection; one thread at a time. Errors: Timeout (another process holds the lock), DiskFull,
// PermissionDenied, Corrupt, NotFound, OutOfMemory, else Internal; each names the file.
class Database
{
public:
    // Must exist, unless `create`. Write-ahead log, every transaction durable.
    static Result<Database> open(const std::filesystem::path& file, std::chrono::milliseconds busyTimeout,
                                 bool create);
    static Result<Database> inMemory();
    ~Database();
    Database(Database&&) noexcept;
    Database& operator=(Database&&) noexcept;

    // Several statements without values or rows.
    Result<> script(const char* sql);
    Result<> execute(std::string_view sql, std::initializer_list<Value> values = {});
    Result<> each(std::string_view sql, std::initializer_list<Value> values,
                  const std::function<void(const Row&)>& onRow);
    // First column of the first row; 0 when there is none.
    Result<std::int64_t> number(std::string_view sql, std::initializer_list<Value> values = {});

private:
    struct Impl;
    explicit Database(std::unique_ptr<Impl> impl);
    Result<> begin();
    void rollback() noexcept;
    friend class Transaction;
    std::unique_ptr<Impl> m;
};

// Takes the write lock at once; undone unless committed. Not nested.
class Transaction
{
public:
    static Result<Transaction> begin(Database& database);
    ~Transaction();
    Transaction(Transaction&& other) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    Result<> commit();

private:
    explicit Transaction(Database& database) : m_database(&database) {}
    Database* m_database;
};

} // namespace loquor::cache
