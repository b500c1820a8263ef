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

// Qt Test frees what a toString() gives; ours gives literals.
template<>
inline char* QTest::toString(const loquor::ErrorCode& code)
{
    return qstrdup(loquor::toString(code));
}

// After the class: LOQUOR_TEST(tst_rational)
#define LOQUOR_TEST(Class)                                           \
    static const ::loquor::test::Registration lqRegistration##Class( \
        #Class, []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); });
