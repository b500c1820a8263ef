// Threads that no exception leaves. Every thread of this program starts here: tests/core/house looks.
#pragma once

#include <optional>
#include <thread>
#include <utility>

#include "core/base/error.h"

namespace loquor {

// What is being caught, as an Error; inside a catch block only. `where` says what was being done: "reading x".
Error caughtError(const char* where);
// Writes an error of a thread to the log; throws nothing.
void logCaught(const Error& error) noexcept;

// Runs body() and gives what it threw, if anything.
template<class Body>
std::optional<Error> caught(const char* where, Body&& body)
{
    try {
        std::forward<Body>(body)();
        return std::nullopt;
    } catch (...) {
        return caughtError(where);
    }
}

// A thread that runs body(). An exception ends it and is logged; then failed(const Error&) runs on it, which
// has to wake whoever waits for what the thread owes. `where`: a literal. Throws std::system_error when the
// system gives no thread.
template<class Body, class Failed>
[[nodiscard]] std::thread guardedThread(const char* where, Body body, Failed failed)
{
    return std::thread([where, body = std::move(body), failed = std::move(failed)]() mutable {
        if (const auto error = caught(where, body)) {
            logCaught(*error);
            if (const auto again = caught(where, [&] { failed(*error); }))
                logCaught(*again);
        }
    });
}

// The same where nobody waits for more than the end of the thread.
template<class Body>
[[nodiscard]] std::thread guardedThread(const char* where, Body body)
{
    return guardedThread(where, std::move(body), [](const Error&) {});
}

} // namespace loquor
