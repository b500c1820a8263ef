// What the test classes of the store share.
#pragma once

#include <QDir>
#include <QTemporaryDir>

#include <unistd.h>

#include "core/base/log.h"
#include "tests/core/cache/store_fixture.h"
#include "tests/support/test_main.h"

namespace loquor::test {

// Where files cost no disk time, if there is such a place.
inline QString storeTemplate()
{
    const bool hasMemory = ::access("/dev/shm", W_OK) == 0;
    return (hasMemory ? QString("/dev/shm") : QDir::tempPath()) + "/loquor-cache";
}

// A folder for each test function and row of data, and a store in it.
class StoreTest
{
protected:
    QTemporaryDir m_dir{storeTemplate()};
    cache::StoreOptions m_options;
    std::unique_ptr<cache::ChunkStore> m_store;

    void begin()
    {
        setLogLevel(LogLevel::Error);
        m_store.reset();
        m_options = {};
        m_options.folder = std::filesystem::path(m_dir.path().toStdString()) / QTest::currentTestFunction() /
                           (QTest::currentDataTag() != nullptr ? QTest::currentDataTag() : "");
    }

    // Opens it, or again: as another process would.
    bool open()
    {
        m_store.reset();
        auto store = cache::ChunkStore::open(m_options);
        if (!store) {
            qWarning("%s", store.error().text().c_str());
            return false;
        }
        m_store = std::move(*store);
        return true;
    }

    std::filesystem::path entryFile(int n, const char* name) const
    {
        return m_options.folder / "objects" / keyOf(n).substr(0, 2) / keyOf(n) / name;
    }
};

inline QString textOf(const Error& error)
{
    return QString::fromStdString(error.text());
}

} // namespace loquor::test
