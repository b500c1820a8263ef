// Expected failures as values. A broken invariant is not an Error: see check.h.
#pragma once

#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace loquor {

// What went wrong, coarse enough to decide what to do next. Zero is no error kind at all.
enum class ErrorCode {
    None = 0,
    Cancelled,       // asked for by the user: never shown as a failure
    InvalidArgument, // an option, a parameter, a field
    NotFound,        // a file, a model, a voice that is not there
    Unreadable,      // exists, but cannot be opened or decoded
    Unsupported,     // understood, but not something this program does
    NoFace,          // the picture holds no usable face
    SeveralFaces,    // the picture holds several, the caller must choose
    EmptyInput,      // text without words, sound without samples
    AlreadyExists,   // the target is there and overwriting was not asked for
    PermissionDenied,
    DiskFull,
    OutOfMemory,
    Timeout,
    ConnectionLost,  // the other process went away
    Corrupt,         // a checksum, a length or a format rule is violated
    Internal,        // an exception that was caught at a boundary
};

// Stable lower-case name, used in reports and in the exit-code table ("no-face").
const char* toString(ErrorCode code);

// A failure: code for programs, message for people (one sentence that says what, where and what to
// do), and the context added on the way up (innermost first). Value type, thread-compatible.
class [[nodiscard]] Error
{
public:
    Error(ErrorCode code, std::string message,
          std::source_location where = std::source_location::current());

    ErrorCode code() const { return m_code; }
    const std::string& message() const { return m_message; }
    const std::vector<std::string>& context() const { return m_context; }
    const std::source_location& where() const { return m_where; }
    bool isCancelled() const { return m_code == ErrorCode::Cancelled; }

    // Adds what the caller was doing ("rendering line 3"); returns *this for `return err.addContext(..)`.
    Error& addContext(std::string what) &;
    Error addContext(std::string what) &&;

    // "message (while reading the photo; rendering line 3)": for people.
    std::string text() const;
    // code, text and source location: for the log.
    std::string logText() const;

private:
    ErrorCode m_code;
    std::string m_message;
    std::vector<std::string> m_context;
    std::source_location m_where;
};

template<class T = void>
using Result = tl::expected<T, Error>;

// `return fail(ErrorCode::NotFound, "...")` from any function that returns a Result.
tl::unexpected<Error> fail(ErrorCode code, std::string message,
                           std::source_location where = std::source_location::current());
// Passes an error on.
tl::unexpected<Error> fail(Error error);
// The one way to report cancellation.
tl::unexpected<Error> cancelled(std::source_location where = std::source_location::current());

// An Error from errno (ENOSPC -> DiskFull, EACCES/EROFS -> PermissionDenied, ENOENT -> NotFound ...).
// The message reads "<what>: <text of errno>".
Error errorFromErrno(int errnum, const std::string& what,
                     std::source_location where = std::source_location::current());

} // namespace loquor

// Evaluates an expression that gives Result<T>; returns its error from the enclosing function, or
// declares `var` with the value. LQ_CHECKED(expr) is the form for Result<void>.
#define LQ_CONCAT_INNER(a, b) a##b
#define LQ_CONCAT(a, b) LQ_CONCAT_INNER(a, b)
#define LQ_TRY_IMPL(tmp, var, ...)                     \
    auto tmp = (__VA_ARGS__);                          \
    if (!tmp)                                          \
        return ::loquor::fail(std::move(tmp).error()); \
    var = std::move(*tmp)
#define LQ_TRY(var, ...) LQ_TRY_IMPL(LQ_CONCAT(lqResult, __LINE__), var, __VA_ARGS__)
#define LQ_CHECKED(...)                                         \
    do {                                                        \
        auto lqResult = (__VA_ARGS__);                          \
        if (!lqResult)                                          \
            return ::loquor::fail(std::move(lqResult).error()); \
    } while (false)
