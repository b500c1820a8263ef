#include "core/base/log.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryFile>

#include <unistd.h>

using namespace loquor;

class tst_log : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // What users see: the words and nothing else. LOQUOR_LOG is not set in tests.
    void a_warning_on_stderr_is_plain()
    {
        QVERIFY(qEnvironmentVariableIsEmpty("LOQUOR_LOG"));
        QTemporaryFile file;
        QVERIFY(file.open());
        const int before = ::dup(STDERR_FILENO);
        ::dup2(file.handle(), STDERR_FILENO);
        log(LogLevel::Warning, "speech", "A voice is left out.");
        log(LogLevel::Info, "speech", "inner matters");
        ::dup2(before, STDERR_FILENO);
        ::close(before);
        file.seek(0);
        QCOMPARE(file.readAll(), QByteArray("warning: A voice is left out.\n"));
    }

    void a_sink_gets_time_level_and_area()
    {
        QList<QByteArray> lines;
        setLogSink([&](LogLevel, std::string_view line) { lines.append(QByteArray(line.data(), static_cast<int>(line.size()))); });
        log(LogLevel::Warning, "speech", "A voice is left out.");
        log(LogLevel::Debug, "speech", "inner matters");
        setLogSink({});
        QCOMPARE(lines.size(), 1);
        QVERIFY2(lines[0].endsWith("warning speech: A voice is left out."), lines[0].constData());
    }
};

LOQUOR_TEST(tst_log)
#include "tst_log.moc"
