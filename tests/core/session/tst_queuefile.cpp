#include "core/session/queue_file.h"

#include <fstream>

#include <QTemporaryDir>

#include "core/base/log.h"
#include "core/platform/atomic_file.h"
#include "core/project/project_file.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;
namespace fs = std::filesystem;

namespace {

ProjectRequest request(std::uint64_t id, const std::string& text)
{
    ProjectRequest out;
    out.document.id = id;
    project::Line line;
    line.id = 1000 + id;
    line.text = text;
    out.document.scenes.front().lines.push_back(line);
    return out;
}

std::string textOf(const ProjectRequest& request)
{
    return request.document.scenes.front().lines.front().text;
}

} // namespace

class tst_queuefile : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path m_folder;

    qsizetype files() const
    {
        return fs::exists(m_folder) ? std::distance(fs::directory_iterator(m_folder), fs::directory_iterator()) : 0;
    }

private Q_SLOTS:
    void init() { m_folder = fs::path(m_dir.path().toStdString()) / QTest::currentTestFunction(); }

    // 124: what waits lies on disk until it has ended; who takes it over has it on disk before the old file goes.
    void case_124_what_a_dead_program_left_is_taken_over()
    {
        const ProjectRequest one = request(1, "Grüße"), two = request(2, "two");
        {
            QueueFile queue(m_folder);
            QVERIFY(queue.write({&one, &two}));
            QueueFile living(m_folder);
            QVERIFY(living.takeOver().empty()); // its program lives
        }
        QueueFile next(m_folder);
        const auto left = next.takeOver();
        QCOMPARE(left.size(), std::size_t(2));
        QCOMPARE(left[0].document.id, std::uint64_t(1));
        QVERIFY(left[0].document.scenes == one.document.scenes && left[1].document.scenes == two.document.scenes);
        QVERIFY(next.write({&left[0], &left[1]}));
        QCOMPARE(files(), qsizetype(4));
        next.forgetTakenOver();
        QCOMPARE(files(), qsizetype(2));
        QVERIFY(next.write({}));
        QueueFile last(m_folder);
        QVERIFY(last.takeOver().empty());
    }

    void an_ended_queue_leaves_nothing()
    {
        const ProjectRequest one = request(1, "one");
        {
            QueueFile queue(m_folder);
            QVERIFY(queue.write({}));
            QCOMPARE(files(), qsizetype(0));
            QVERIFY(queue.write({&one}));
            QVERIFY(queue.write({}));
        }
        QCOMPARE(files(), qsizetype(0));
        QueueFile nowhere{fs::path()};
        QVERIFY(nowhere.write({&one}));
        QVERIFY(nowhere.takeOver().empty());
    }

    // Two programs that died had the same project: it is made once, as it was asked for last.
    void a_project_is_taken_over_once()
    {
        const ProjectRequest old = request(1, "old"), other = request(2, "other");
        ProjectRequest young = request(1, "young");
        young.everything = true;
        {
            QueueFile first(m_folder);
            QVERIFY(first.write({&old, &other}));
            QTest::qWait(5);
            QueueFile second(m_folder);
            QVERIFY(second.write({&young}));
        }
        const auto left = QueueFile(m_folder).takeOver();
        QCOMPARE(left.size(), std::size_t(2));
        QCOMPARE(textOf(left[0]), std::string("other"));
        QCOMPARE(textOf(left[1]), std::string("young"));
        QVERIFY(left[1].everything);
    }

    // Made by hand meanwhile: what was left of it to be made needs nobody any more; the others stay.
    void what_was_made_is_left_to_nobody()
    {
        ProjectRequest one = request(1, "one");
        one.file = m_folder / "one.loquor";
        const ProjectRequest two = request(2, "two");
        {
            QueueFile queue(m_folder / "queue");
            QVERIFY(queue.write({&one, &two}));
            QueueFile living(m_folder / "queue");
            living.forgetLeft(one); // its program lives
        }
        QueueFile next(m_folder / "queue");
        ProjectRequest copy = one;
        copy.file = m_folder / "copy.loquor";
        next.forgetLeft(copy);
        QCOMPARE(QueueFile(m_folder / "queue").takeOver().size(), std::size_t(2));
        next.forgetLeft(one);
        const auto left = QueueFile(m_folder / "queue").takeOver();
        QCOMPARE(left.size(), std::size_t(1));
        QCOMPARE(textOf(left[0]), std::string("two"));
        next.forgetLeft(two);
        QVERIFY(fs::is_empty(m_folder / "queue"));
    }

    // Edited meanwhile: the project as it is now; another project under its name: as it was.
    void the_file_of_a_project_is_read_again()
    {
        fs::create_directories(m_folder);
        ProjectRequest asked = request(1, "before");
        asked.file = m_folder / "a.loquor";
        project::Document edited = asked.document;
        edited.scenes.front().lines.front().text = "after";
        QVERIFY(project::saveProject(edited, asked.file));
        const fs::path folder = m_folder / "queue";
        {
            QueueFile queue(folder);
            QVERIFY(queue.write({&asked}));
        }
        QCOMPARE(textOf(QueueFile(folder).takeOver().at(0)), std::string("after"));
        edited.id = 9;
        QVERIFY(project::saveProject(edited, asked.file));
        QCOMPARE(textOf(QueueFile(folder).takeOver().at(0)), std::string("before"));
    }

    void case_124_a_damaged_queue_is_kept_aside()
    {
        setLogLevel(LogLevel::Error);
        const ProjectRequest one = request(1, "one");
        {
            QueueFile queue(m_folder);
            QVERIFY(queue.write({&one}));
        }
        for (const auto& entry : fs::directory_iterator(m_folder)) {
            if (entry.path().extension() == ".json")
                fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
        }
        QueueFile next(m_folder);
        QVERIFY(next.takeOver().empty());
        next.forgetTakenOver();
        QCOMPARE(files(), qsizetype(1));
        QCOMPARE(fs::directory_iterator(m_folder)->path().extension(), fs::path(".damaged"));
    }
};

LOQUOR_TEST(tst_queuefile)
#include "tst_queuefile.moc"
