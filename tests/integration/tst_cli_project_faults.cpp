// Projects through the real programs while they are killed, run out of disk or out of memory: whatever happens,
// the store ends up bit for bit as that of an undisturbed run.
#include "tests/integration/cli_runner.h"
#include "tests/support/test_main.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFile>

#include <filesystem>
#include <map>

using namespace loquor;
using namespace loquor::test;
namespace fs = std::filesystem;

namespace {

using Files = std::map<QString, QByteArray>; // name below objects/ -> bytes

Files storedFiles(const QString& cache, const QString& name = "*")
{
    Files out;
    const QString objects = cache + "/loquor/store/objects";
    QDirIterator it(objects, {name}, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext()) {
        QFile file(it.next());
        if (file.fileName().endsWith("entry.json")) // knows when it was made
            continue;
        if (file.open(QFile::ReadOnly))
            out[QDir(objects).relativeFilePath(file.fileName())] = file.readAll();
    }
    return out;
}

QStringList linesOf(const QString& name)
{
    QFile file(name);
    return file.open(QFile::ReadOnly) ? QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts) : QStringList();
}

void write(const QString& name, const QByteArray& text)
{
    QFile file(name);
    QVERIFY(file.open(QFile::WriteOnly));
    file.write(text);
}

} // namespace

class tst_cli_project_faults : public QObject
{
    Q_OBJECT
    CliRunner m_cli;
    QString m_project;
    Files m_expected; // of an undisturbed run

    // A folder with the programs, whose engine process is `rank`; laid out as an installation is.
    QString programs(const QString& name, const QString& rank)
    {
        const QString folder = m_cli.path(name) + "/bin";
        QDir().mkpath(folder);
        const fs::path from = LOQUOR_BIN_DIR, to = folder.toStdString();
        fs::create_symlink(from.parent_path() / "share", to.parent_path() / "share");
        fs::copy_file(from / "loquor-cli", to / "loquor-cli");
        fs::create_symlink(from / "loquor-phonemes", to / "loquor-phonemes");
        fs::create_symlink(from / "loquor-rank", to / "real-rank");
        if (QFile::exists(rank))
            fs::copy_file(rank.toStdString(), to / "loquor-rank");
        return folder;
    }
    // A cache of its own that knows the reference already.
    QString freshCache(const QString& name)
    {
        const QString cache = m_cli.path(name);
        fs::copy(m_cli.path("cache").toStdString(), cache.toStdString(), fs::copy_options::recursive);
        fs::remove_all((cache + "/loquor/store").toStdString());
        return cache;
    }
    QStringList renderArguments() const { return {"project", "render", m_project, "-q"}; }

private Q_SLOTS:
    void initTestCase()
    {
        m_project = m_cli.path("project.loquor");
        m_cli.useCache(m_cli.path("cache"));
        const auto made = m_cli.run({"project", "new", m_project, "--reference", CliRunner::media("astronaut.png"),
                                     "--size", "128x72", "--voice", "espeak-en-us"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        for (const char* text : {"One line to begin with.", "The second line is here.", "And that is the end."})
            QCOMPARE(m_cli.run({"project", "add-line", m_project, text}).exitCode, 0);
        const auto rendered = m_cli.run(renderArguments());
        QVERIFY2(rendered.exitCode == 0, qPrintable(rendered.errors));
        m_expected = storedFiles(m_cli.path("cache"));
        QVERIFY(m_expected.size() >= 20);
    }
    void cleanup()
    {
        m_cli.useProgram({});
        m_cli.useCache(m_cli.path("cache"));
    }

    // 103, 107: the program is ended at ten points. What was finished stays as it is and is not made again.
    void case_103_107_the_program_is_killed_at_ten_points()
    {
        const QString folder = programs("killed-app", QString(LOQUOR_BIN_DIR) + "/faulty_rank");
        const QString cache = freshCache("cache-app");
        m_cli.useProgram(folder + "/loquor-cli");
        m_cli.useCache(cache);
        Files kept;
        for (const char* point : {"start 1", "reference 1", "line 1", "line 2", "made 1", "made 2", "made 3", "join 1",
                                  "made 2", "end 1"}) {
            write(folder + "/orders", QByteArray("app ") + point + "\n");
            auto process = m_cli.start(renderArguments());
            QVERIFY(process->waitForFinished(60'000));
            QVERIFY2(process->exitStatus() == QProcess::CrashExit, point);
            QVERIFY2(linesOf(folder + "/orders").isEmpty(), point);
            const Files now = storedFiles(cache);
            for (const auto& [name, bytes] : kept)
                QVERIFY2(now.contains(name) && now.at(name) == bytes, qPrintable(name));
            kept = now;
        }
        const qsizetype made = linesOf(folder + "/log").size();
        const auto last = m_cli.run(renderArguments());
        QVERIFY2(last.exitCode == 0, qPrintable(last.errors));
        QVERIFY(storedFiles(cache) == m_expected);
        QCOMPARE(linesOf(folder + "/log").size(), made); // it was killed at the very end: nothing was left to do
        const auto queue = m_cli.run({"project", "render", "--queue"}); // what the killed ones left has been made by hand
        QVERIFY2(queue.output.contains("No program has left anything"), qPrintable(queue.output));
        const auto chunks = static_cast<qsizetype>(storedFiles(cache, "video.mp4").size());
        QVERIFY2(made >= chunks && made <= chunks + 2 * 6, qPrintable(QString("%1 for %2").arg(made).arg(chunks)));
    }

    // 116, 124: killed while it makes one of two projects, the program has lost neither.
    void case_116_124_a_killed_queue_goes_on()
    {
        const QString second = m_cli.path("second.loquor");
        QVERIFY(QFile::copy(m_project, second));
        const QString folder = programs("killed-queue", QString(LOQUOR_BIN_DIR) + "/faulty_rank");
        const QString cache = freshCache("cache-queue");
        m_cli.useProgram(folder + "/loquor-cli");
        m_cli.useCache(cache);
        write(folder + "/orders", "app made 2\n");
        auto process = m_cli.start({"project", "render", m_project, second, "-q"});
        QVERIFY(process->waitForFinished(60'000));
        QCOMPARE(process->exitStatus(), QProcess::CrashExit);
        const auto rest = m_cli.run({"project", "render", "--queue", "-q"});
        QVERIFY2(rest.exitCode == 0, qPrintable(rest.errors));
        QVERIFY2(rest.output.contains("project.loquor': ") && rest.output.contains("second.loquor': "), qPrintable(rest.output));
        QVERIFY(storedFiles(cache) == m_expected); // the second is a copy: nothing more had to be made
        const auto nothing = m_cli.run({"project", "render", "--queue"});
        QCOMPARE(nothing.exitCode, 0);
        QVERIFY2(nothing.output.contains("No program has left anything"), qPrintable(nothing.output));
        QCOMPARE(m_cli.run({"project", "render"}).exitCode, 2);
        QCOMPARE(m_cli.run({"project", "render", m_project, second, "--json"}).exitCode, 2);
    }

    // What was left to be made and has no file any more is named and left out; a copy in the queue is not made.
    void a_project_that_is_gone_is_left_out_of_the_queue()
    {
        const QString folder = programs("gone-queue", QString(LOQUOR_BIN_DIR) + "/faulty_rank");
        m_cli.useProgram(folder + "/loquor-cli");
        const QString gone = m_cli.path("gone.loquor"), renamed = m_cli.path("renamed.loquor");
        for (const bool alone : {false, true}) {
            m_cli.useCache(freshCache(alone ? "cache-gone" : "cache-half-gone"));
            QVERIFY(QFile::copy(m_project, gone));
            write(folder + "/orders", "app made 1\n");
            QStringList arguments{"project", "render", gone, "-q"};
            if (!alone)
                arguments.insert(2, m_project);
            auto process = m_cli.start(arguments);
            QVERIFY(process->waitForFinished(60'000));
            QCOMPARE(process->exitStatus(), QProcess::CrashExit);
            QVERIFY(QFile::rename(gone, renamed));
            const auto rest = m_cli.run({"project", "render", "--queue", "-q"});
            QVERIFY2(rest.exitCode == 3, qPrintable(rest.errors));
            QVERIFY2(rest.errors.contains("There is no file '" + gone + "' any more"), qPrintable(rest.errors));
            QCOMPARE(rest.output.contains("project.loquor': "), !alone);
            QVERIFY2(!rest.output.contains("gone.loquor") && !rest.output.contains("No program"), qPrintable(rest.output));
            QVERIFY(QFile::remove(renamed));
            QCOMPARE(m_cli.run({"project", "render", "--queue"}).exitCode, 0);
        }
    }

    // 119: the engine process is ended at ten points of one run; each costs a retry and a message, no more.
    void case_119_the_engine_process_is_killed_at_ten_points()
    {
        const QString folder = programs("killed-rank", QString(LOQUOR_BIN_DIR) + "/faulty_rank");
        const QString cache = freshCache("cache-rank");
        m_cli.useProgram(folder + "/loquor-cli");
        m_cli.useCache(cache);
        write(folder + "/orders", "rank start 1\nrank made 1\nrank made 2\nrank line 1\nrank made 2\nrank reference 1\n"
                                  "rank made 2\nrank made 2\nrank made 2\nrank end 1\n");
        const auto result = m_cli.run(renderArguments());
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QVERIFY2(linesOf(folder + "/orders").isEmpty(), qPrintable(linesOf(folder + "/orders").join(';')));
        QVERIFY2(result.errors.count("is tried again") >= 5, qPrintable(result.errors));
        QVERIFY2(result.errors.contains("SIGKILL"), qPrintable(result.errors));
        QVERIFY(storedFiles(cache) == m_expected);
    }

    // A join that cannot be made costs nothing but itself: it is named, and the next run makes it.
    void a_join_that_fails_three_times_is_named_and_tried_again()
    {
        const QString folder = programs("no-join", QString(LOQUOR_BIN_DIR) + "/faulty_rank");
        const QString cache = freshCache("cache-join");
        m_cli.useProgram(folder + "/loquor-cli");
        m_cli.useCache(cache);
        write(folder + "/orders", "every join 2\n");
        const QString report = m_cli.path("join-report.json"), video = m_cli.path("join.mp4");
        const auto result = m_cli.run(renderArguments() << "--report" << report);
        QCOMPARE(result.exitCode, 10);
        QVERIFY2(result.errors.contains("The join in front of line 2 failed 3 times"), qPrintable(result.errors));
        QVERIFY2(result.errors.contains("not rendered: the join in front of line 2. The next"), qPrintable(result.errors));
        QVERIFY2(QString(linesOf(report).join(' ')).contains("\"failed_joins\""), "report");
        const auto status = m_cli.run({"project", "status", m_project});
        QVERIFY2(status.output.contains("the join in front of it failed") && status.output.contains("SIGKILL"), qPrintable(status.output));
        QCOMPARE(status.output.count("[fresh]"), 2);
        QCOMPARE(m_cli.run({"project", "export", m_project, "-o", video}).exitCode, 10);
        QVERIFY(!QFile::exists(video));
        const Files kept = storedFiles(cache);
        QCOMPARE(kept.size() + 1, m_expected.size()); // its pictures are all that is missing
        for (const auto& [name, bytes] : kept)
            QVERIFY2(m_expected.at(name) == bytes, qPrintable(name));
        QCOMPARE(m_cli.run(renderArguments()).exitCode, 10); // still impossible
        write(folder + "/orders", "");
        const auto next = m_cli.run(renderArguments());
        QVERIFY2(next.exitCode == 0, qPrintable(next.errors));
        QVERIFY(storedFiles(cache) == m_expected);
        const auto now = m_cli.run({"project", "status", m_project});
        QCOMPARE(now.output.count("[fresh]"), 3);
        QVERIFY2(!now.output.contains("failed") && !now.output.contains('~') && !now.output.contains("about"), qPrintable(now.output));
    }

    // Killed before anything of a line was made: it is new, not changed.
    void a_line_that_was_never_made_is_new()
    {
        const QString folder = programs("early", QString(LOQUOR_BIN_DIR) + "/faulty_rank");
        m_cli.useProgram(folder + "/loquor-cli");
        m_cli.useCache(freshCache("cache-early"));
        for (const char* point : {"line 1", "made 1", "made 2", "line 2"}) {
            write(folder + "/orders", QByteArray("app ") + point + "\n");
            auto process = m_cli.start(renderArguments());
            QVERIFY(process->waitForFinished(60'000));
            QCOMPARE(process->exitStatus(), QProcess::CrashExit);
            const auto status = m_cli.run({"project", "status", m_project});
            QVERIFY2(!status.output.contains("[stale]") && status.output.contains("[new]"), qPrintable(point + status.output));
        }
    }

    // 80, 139: pictures of the real engine go wrong: told, made again, and nothing of them is kept.
    void case_080_139_broken_pictures_of_the_engine_cost_a_retry_data()
    {
        QTest::addColumn<QString>("words");
        QTest::newRow("black") << "black frames";
        QTest::newRow("nan") << "not numbers";
        QTest::newRow("frozen") << "stands still";
        QTest::newRow("colour") << "colour";
    }
    void case_080_139_broken_pictures_of_the_engine_cost_a_retry()
    {
        QFETCH(QString, words);
        const QString kind = QTest::currentDataTag();
        const QString folder = programs("spoilt-" + kind, QString(LOQUOR_BIN_DIR) + "/spoiling_rank");
        const QString cache = freshCache("cache-" + kind);
        m_cli.useProgram(folder + "/loquor-cli");
        m_cli.useCache(cache);
        write(folder + "/spoil", kind.toUtf8() + " 1\n");
        const auto result = m_cli.run(renderArguments());
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QCOMPARE(result.errors.count("is tried again"), 1);
        QVERIFY2(result.errors.contains(words), qPrintable(result.errors));
        QVERIFY(storedFiles(cache) == m_expected);
    }

    // 160, 164: the disk of the store is full at some points; with room again the same command goes on.
    void case_160_164_the_store_runs_out_of_disk_data()
    {
        QTest::addColumn<int>("kilobytes");
        for (const int kilobytes : {140, 400, 900})
            QTest::addRow("%d KB", kilobytes) << kilobytes;
    }
    void case_160_164_the_store_runs_out_of_disk()
    {
        QFETCH(int, kilobytes);
        const QString cache = freshCache(QString("cache-disk-%1").arg(kilobytes));
        const QString store = cache + "/loquor/store";
        QDir().mkpath(store);
        m_cli.useCache(cache);
        const auto result = m_cli.runScript(
            "mount -t tmpfs -o size=$1k loquor-test \"$2\" 2>/dev/null || ulimit -S -f $(($1 / 16))\n"
            "\"$0\" project render \"$3\" -q; echo \"first: $?\"\n"
            "mount -o remount,size=64m \"$2\" 2>/dev/null; ulimit -S -f unlimited\n"
            "\"$0\" project render \"$3\" -q; echo \"second: $?\"\n"
            "cd \"$2/objects\" && find . -name '*.mp4' -o -name '*.bin' -o -name '*.wav' | sort | xargs sha256sum\n",
            {QString::number(kilobytes), store, m_project});
        QVERIFY2(result.errors.contains("ree some space"), qPrintable(result.errors));
        QVERIFY2(!result.output.contains("first: 0"), qPrintable(result.output));
        QVERIFY2(result.output.contains("second: 0"), qPrintable(result.output + result.errors));
        qsizetype same = 0, all = 0;
        for (const auto& [name, bytes] : m_expected) {
            if (name.endsWith(".json"))
                continue;
            ++all;
            const QByteArray sum = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
            same += result.output.contains(QString::fromLatin1(sum) + "  ./" + name) ? 1 : 0;
        }
        QCOMPARE(same, all);
    }

    // 106, 109: a run that may not have the memory it needs says so before it begins, with advice; nothing hangs.
    void case_106_109_too_little_memory_is_said_in_words()
    {
        const QString folder = programs("small", QString(LOQUOR_BIN_DIR) + "/faulty_rank");
        write(folder + "/orders", "limit start 1\n");
        const QString cache = freshCache("cache-small");
        m_cli.useProgram(folder + "/loquor-cli");
        m_cli.useCache(cache);
        const auto result = m_cli.run(renderArguments());
        QVERIFY(result.exitCode != 0);
        QVERIFY2(result.errors.contains("This run needs about"), qPrintable(result.errors));
        QVERIFY2(result.errors.contains("Close other programs or choose a smaller picture size"), qPrintable(result.errors));
        const auto next = m_cli.run(renderArguments());
        QVERIFY2(next.exitCode == 0, qPrintable(next.errors));
        QVERIFY(storedFiles(cache) == m_expected);
    }
};

LOQUOR_TEST(tst_cli_project_faults)
#include "tst_cli_project_faults.moc"
