// Parts of the set-up scripts that a user sees.
#include "tests/support/folders.h"
#include "tests/support/test_main.h"

#include <QProcess>

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
};

LOQUOR_TEST(tst_packaging)
#include "tst_packaging.moc"
