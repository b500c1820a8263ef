// Rules every source file keeps: size limits, no tabs, no merge markers, no leftovers.
#include "tests/support/test_main.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>

namespace {

struct Source
{
    QString name;
    QString text;
};

QList<Source> sources(const QStringList& patterns)
{
    const QString root = LOQUOR_SOURCE_DIR;
    QList<Source> out;
    for (const char* top : {"core", "app", "ui", "tests", "packaging"}) {
        QDirIterator it(root + '/' + top, patterns, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            QFile file(it.next());
            if (file.open(QIODevice::ReadOnly))
                out.append({file.fileName().mid(root.size() + 1), QString::fromUtf8(file.readAll())});
        }
    }
    return out;
}

} // namespace

class tst_source_rules : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void filesStaySmall()
    {
        QStringList wrong;
        for (const Source& s : sources({"*.h", "*.cpp", "*.cu"})) {
            const auto lines = s.text.count('\n');
            const bool header = s.name.endsWith(".h");
            if (lines > (header ? 300 : 600))
                wrong.append(QString("%1: %2 lines").arg(s.name).arg(lines));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void noLeftovers()
    {
        // Built from pieces, so that this file does not find itself.
        const QString pattern = QString("\\b(TO") + "DO|FIX" + "ME|HA" + "CK)\\b|^<{7} |^>{7} |\\t";
        const QRegularExpression re(pattern, QRegularExpression::MultilineOption);
        QStringList wrong;
        for (const Source& s : sources({"*.h", "*.cpp", "*.cu", "*.sh", "*.py", "*.cmake", "CMakeLists.txt"})) {
            const auto match = re.match(s.text);
            if (match.hasMatch())
                wrong.append(s.name + ':' + QString::number(s.text.left(match.capturedStart()).count('\n') + 1));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    // A thread that an exception leaves ends the program: all of them start in one place that catches.
    void threadsStartGuarded()
    {
        const QRegularExpression starts("std::j?thread\\s*[({]|std::j?thread\\s+\\w+\\s*[({]|hreads?\\.emplace_back\\(|"
                                        "orkers?\\.emplace_back\\(|pthread_create|QThread::create|QtConcurrent|"
                                        "QThreadPool::|: (public )?Q(Thread|Runnable)\\b");
        const QStringList guards{"core/base/guarded_thread.h", "ui/bridge/background_task.cpp"};
        QStringList wrong, seen;
        for (const Source& s : sources({"*.h", "*.cpp", "*.cu"})) {
            const auto match = starts.match(s.text);
            if (s.name.startsWith("tests/") || !match.hasMatch())
                continue;
            (guards.contains(s.name) ? seen : wrong)
                .append(s.name + ':' + QString::number(s.text.left(match.capturedStart()).count('\n') + 1));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
        QCOMPARE(seen.size(), guards.size()); // the pattern finds what it is meant to find
    }

    void noPathsOfOneMachine()
    {
        const QRegularExpression re(QString("[\"' =(]/(work|root|ho") + "me)/");
        QStringList wrong;
        for (const Source& s : sources({"*.h", "*.cpp", "*.cu", "*.sh", "*.py", "*.cmake", "*.json", "*.md", "CMakeLists.txt"})) {
            if (re.match(s.text).hasMatch())
                wrong.append(s.name);
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }
};

LOQUOR_TEST(tst_source_rules)
#include "tst_source_rules.moc"
