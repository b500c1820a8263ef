#include "core/base/guarded_thread.h"

#include <exception>
#include <new>
#include <string>

#include "core/base/log.h"

namespace loquor {

Error caughtError(const char* where)
{
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return {ErrorCode::OutOfMemory,
                std::string("Not enough memory while ") + where + ". Close other programs and try again."};
    } catch (const std::exception& exception) {
        return {ErrorCode::Internal, std::string("Unexpected failure while ") + where + ": " + exception.what()};
    } catch (...) {
        return {ErrorCode::Internal, std::string("Unexpected failure while ") + where + '.'};
    }
}

void logCaught(const Error& error) noexcept
{
    try {
        log(LogLevel::Error, "thread", error.logText());
    } catch (...) { // a line of the log less: nothing else can be done about it here
        return;
    }
}

} // namespace loquor
