// Broken invariants: a bug in this program, never bad input. Active in release builds too.
#pragma once

#include <stdexcept>
#include <string>

namespace loquor {

// Thrown by LOQUOR_CHECK. Caught only at the stage boundary, at thread entry and by session.
class InvariantError : public std::logic_error
{
public:
    using std::logic_error::logic_error;
};

[[noreturn]] void throwInvariant(const char* condition, const char* file, int line,
                                 const std::string& message);

} // namespace loquor

#define LOQUOR_CHECK(condition, ...)                                                            \
    do {                                                                                        \
        if (!(condition)) [[unlikely]]                                                          \
            ::loquor::throwInvariant(#condition, __FILE__, __LINE__, std::string(__VA_ARGS__)); \
    } while (false)
