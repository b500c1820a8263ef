// One test program holds several Qt Test classes; each registers itself and CTest runs it by name.
#pragma once

#include <QObject>
#include <QTest>

#include <memory>

#include "core/base/error.h"

namespace loquor::test {

using Factory = std::unique_ptr<QObject> (*)();
struct Registration
{
    Registration(const char* name, Factory factory);
};

// Runs the registered classes: program [--class NAME] [Qt Test options]. Needs an application object.
int runRegistered(int argc, char** argv);

} // namespace loquor::test

// Qt Test frees the texts it shows, and finds loquor::toString(), which gives literals.
namespace QTest {
inline bool qCompare(const loquor::ErrorCode& actual, const loquor::ErrorCode& expected,
                     const char* actualText, const char* expectedText, const char* file, int line)
{
    return compare_helper(
        actual == expected, "Compared values are not the same",
        [&] { return qstrdup(loquor::toString(actual)); },
        [&] { return qstrdup(loquor::toString(expected)); }, actualText, expectedText, file, line);
}
} // namespace QTest

// After the class: LOQUOR_TEST(tst_rational)
#define LOQUOR_TEST(Class)                                           \
    static const ::loquor::test::Registration lqRegistration##Class( \
        #Class, []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); });
