// Parts of the set-up scripts that a user sees.
#include "core/platform/paths.h"
#include "tests/support/folders.h"
#include "tests/support/test_main.h"

#include <QProcess>

#include <array>

using namespace loquor;

class tst_packaging : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Without a terminal the build says where it is at regular times, also while one step takes long.
    void progress_without_a_terminal()
    {
        QProcess bash;
        bash.setWorkingDirectory(LOQUOR_SOURCE_DIR);
        bash.start("bash", {"-c", ". packaging/setup/lib.sh; export LOQUOR_PROGRESS_SECONDS=2; "
                                  "(echo '[1/9] a'; echo '[2/9] b'; sleep 5; echo '[3/9] c'; echo 'a.cpp: error'; printf 'end') | calm_progress"});
        QVERIFY(bash.waitForFinished(60'000));
        const QStringList lines = QString::fromUtf8(bash.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
        QVERIFY2(lines.count("[2/9]") >= 2, qPrintable(lines.join('|')));
        QVERIFY2(!lines.contains("[1/9]") && lines.contains("a.cpp: error") && lines.contains("end"), qPrintable(lines.join('|')));
        QCOMPARE(lines.last(), QString("[3/9]"));
    }

    void the_scripts_and_the_programs_agree_on_the_data_folder_data()
    {
        QTest::addColumn<QByteArrayList>("environment"); // HOME, XDG_DATA_HOME, LOQUOR_DATA_DIR; "-": unset
        QTest::newRow("home") << QByteArrayList{"/h", "-", "-"};
        QTest::newRow("xdg") << QByteArrayList{"/h", "/x y", "-"};
        QTest::newRow("empty") << QByteArrayList{"/h", "", ""};
        QTest::newRow("relative xdg") << QByteArrayList{"/h", "x", "-"};
        QTest::newRow("own") << QByteArrayList{"/h", "/x", "/d"};
        QTest::newRow("relative own") << QByteArrayList{"/h", "/x", "d"};
        QTest::newRow("no home") << QByteArrayList{"-", "-", "-"};
        QTest::newRow("relative home") << QByteArrayList{"h", "-", "-"};
    }

    void the_scripts_and_the_programs_agree_on_the_data_folder()
    {
        QFETCH(const QByteArrayList, environment);
        static constexpr std::array kNames{"HOME", "XDG_DATA_HOME", "LOQUOR_DATA_DIR"};
        QByteArrayList before;
        for (std::size_t i = 0; i < kNames.size(); ++i) {
            before << (qEnvironmentVariableIsSet(kNames[i]) ? qgetenv(kNames[i]) : QByteArray("-"));
            setVariable(kNames[i], environment[qsizetype(i)]);
        }
        QProcess bash;
        bash.start("bash", {"-c", QString(". '%1/packaging/setup/lib.sh' && data_folder").arg(LOQUOR_SOURCE_DIR)});
        const bool finished = bash.waitForFinished(60'000);
        const QByteArray own = QByteArray::fromStdString(platform::dataFolder().string());
        for (std::size_t i = 0; i < kNames.size(); ++i)
            setVariable(kNames[i], before[qsizetype(i)]);
        QVERIFY(finished);
        QCOMPARE(bash.readAllStandardOutput().trimmed(), own);
    }

private:
    static void setVariable(const char* name, const QByteArray& value)
    {
        if (value == "-")
            qunsetenv(name);
        else
            qputenv(name, value);
    }
};

LOQUOR_TEST(tst_packaging)
#include "tst_packaging.moc"
