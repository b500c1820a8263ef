#include "core/base/guarded_thread.h"
#include "tests/support/test_main.h"

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/log.h"

using namespace loquor;

namespace {

// What is logged while it lives.
class LogCapture
{
public:
    LogCapture()
    {
        setLogSink([this](LogLevel, std::string_view line) { lines.emplace_back(line); });
    }
    ~LogCapture() { setLogSink({}); }
    LogCapture(const LogCapture&) = delete;
    LogCapture& operator=(const LogCapture&) = delete;

    std::vector<std::string> lines; // the log's own lock; read when the threads are joined
};

} // namespace

class tst_guardedthread : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void what_is_thrown_becomes_an_error_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<QString>("says");
        QTest::newRow("an exception") << 0 << ErrorCode::Internal << "odd";
        QTest::newRow("no memory") << 1 << ErrorCode::OutOfMemory << "memory";
        QTest::newRow("anything else") << 2 << ErrorCode::Internal << "counting sheep";
    }
    void what_is_thrown_becomes_an_error()
    {
        QFETCH(int, kind);
        QFETCH(ErrorCode, code);
        QFETCH(QString, says);
        const LogCapture logged;
        std::optional<Error> got;
        guardedThread(
            "counting sheep",
            [kind] {
                if (kind == 0)
                    throw std::runtime_error("odd");
                if (kind == 1)
                    throw std::bad_alloc();
                throw 3;
            },
            [&got](const Error& error) { got = error; })
            .join();
        QVERIFY(got);
        QCOMPARE(got->code(), code);
        QVERIFY(QString::fromStdString(got->message()).contains(says));
        QCOMPARE(logged.lines.size(), std::size_t(1));
    }

    void a_thread_that_ends_well_has_not_failed()
    {
        const LogCapture logged;
        bool ran = false, failed = false;
        auto mine = std::make_unique<int>(3); // bodies may be move-only
        guardedThread(
            "counting", [&ran, mine = std::move(mine)] { ran = *mine == 3; },
            [&failed](const Error&) { failed = true; })
            .join();
        QVERIFY(ran);
        QVERIFY(!failed);
        QVERIFY(logged.lines.empty());
    }

    void even_the_answer_to_a_failure_may_fail()
    {
        const LogCapture logged;
        guardedThread(
            "counting", [] { throw std::runtime_error("first"); },
            [](const Error&) { throw std::runtime_error("second"); })
            .join();
        QCOMPARE(logged.lines.size(), std::size_t(2));
        QVERIFY(logged.lines[1].find("second") != std::string::npos);
        guardedThread("counting", [] { throw std::runtime_error("third"); }).join();
        QCOMPARE(logged.lines.size(), std::size_t(3));
    }
};

LOQUOR_TEST(tst_guardedthread)
#include "tst_guardedthread.moc"
