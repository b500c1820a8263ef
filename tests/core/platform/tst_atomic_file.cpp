#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/platform/signals.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <csignal>
#include <fstream>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace loquor;
using namespace loquor::platform;
namespace fs = std::filesystem;

namespace {

QString text(const Error& error)
{
    return QString::fromStdString(error.text());
}

int entriesOf(const fs::path& folder)
{
    int count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder))
        ++count;
    return count;
}

} // namespace

class tst_atomic_file : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path m_root;

private Q_SLOTS:
    void init()
    {
        m_root = fs::path(m_dir.path().toStdString()) / QTest::currentTestFunction();
        fs::create_directories(m_root);
    }

    void appearsOnlyOnCommit()
    {
        const fs::path target = m_root / "a.txt";
        auto file = AtomicFile::create(target, IfExists::Refuse);
        QVERIFY(file);
        QVERIFY(file->write("hello"));
        QVERIFY(!fs::exists(target));
        QCOMPARE(file->partPath().parent_path(), m_root);
        QVERIFY(file->partPath().native().ends_with(".part"));
        QVERIFY(file->commit());
        QCOMPARE(*readTextFile(target), std::string("hello"));
        QCOMPARE(entriesOf(m_root), 1);
    }

    void case_170_cancelLeavesNothing()
    {
        {
            auto file = AtomicFile::create(m_root / "a.mp4", IfExists::Refuse);
            QVERIFY(file);
            QVERIFY(file->write("half"));
            QCOMPARE(entriesOf(m_root), 1);
        }
        QCOMPARE(entriesOf(m_root), 0);
    }

    void case_154_temporaryIsOnTheTargetVolume()
    {
        auto file = AtomicFile::create(m_root / "a.mp4", IfExists::Refuse);
        QVERIFY(file);
        struct stat part{}, folder{};
        QCOMPARE(::stat(file->partPath().c_str(), &part), 0);
        QCOMPARE(::stat(m_root.c_str(), &folder), 0);
        QCOMPARE(part.st_dev, folder.st_dev);
    }

    void oldContentStaysUntilCommit()
    {
        const fs::path target = m_root / "a.txt";
        QVERIFY(writeFile(target, std::string("old")));
        ::chmod(target.c_str(), 0640);
        auto file = AtomicFile::create(target, IfExists::Replace);
        QVERIFY(file);
        QVERIFY(file->write("new"));
        QCOMPARE(*readTextFile(target), std::string("old"));
        QVERIFY(file->commit());
        QCOMPARE(*readTextFile(target), std::string("new"));
        struct stat info{};
        ::stat(target.c_str(), &info);
        QCOMPARE(info.st_mode & 0777u, 0640u);
    }

    void refusesToReplaceUnlessAsked()
    {
        const fs::path target = m_root / "a.txt";
        auto early = AtomicFile::create(target, IfExists::Refuse);
        QVERIFY(early && early->write("mine"));
        QVERIFY(writeFile(target, std::string("other")));
        const auto late = AtomicFile::create(target, IfExists::Refuse);
        QVERIFY(!late);
        QCOMPARE(late.error().code(), ErrorCode::AlreadyExists);
        // It appeared between create and commit.
        const auto committed = early->commit();
        QVERIFY(!committed);
        QCOMPARE(committed.error().code(), ErrorCode::AlreadyExists);
        QCOMPARE(*readTextFile(target), std::string("other"));
        QCOMPARE(entriesOf(m_root), 1);
    }

    void writesThroughLinks()
    {
        QVERIFY(writeFile(m_root / "real.txt", std::string("old")));
        fs::create_symlink("real.txt", m_root / "link.txt");
        QVERIFY(writeFile(m_root / "link.txt", std::string("new")));
        QVERIFY(fs::is_symlink(m_root / "link.txt"));
        QCOMPARE(*readTextFile(m_root / "real.txt"), std::string("new"));
    }

    void case_152_folderMissing()
    {
        const auto result = checkWritable(m_root / "none" / "a.mp4", IfExists::Refuse);
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::NotFound);
        QVERIFY2(text(result.error()).contains("none' does not exist"),
                 qPrintable(text(result.error())));
    }

    void folderReadOnly()
    {
        // Nobody, not even root, can make a file there.
        const auto result = checkWritable("/sys/a.mp4", IfExists::Refuse);
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::PermissionDenied);
        QVERIFY2(text(result.error()).contains("/sys"), qPrintable(text(result.error())));
    }

    void targetIsAFolderOrADevice()
    {
        QCOMPARE(checkWritable(m_root, IfExists::Replace).error().code(),
                 ErrorCode::InvalidArgument);
        QCOMPARE(checkWritable("/dev/null", IfExists::Replace).error().code(),
                 ErrorCode::InvalidArgument);
        QCOMPARE(checkWritable(m_root / "", IfExists::Replace).error().code(),
                 ErrorCode::InvalidArgument);
        QVERIFY(writeFile(m_root / "file", std::string("x")));
        const auto result = checkWritable(m_root / "file" / "a.mp4", IfExists::Replace);
        QCOMPARE(result.error().code(), ErrorCode::NotFound);
    }

    void diskFullComesFromTheKernel()
    {
        const FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
        QVERIFY(full.isOpen());
        const auto result = writeAll(full.get(), "x", 1, "Writing 'a.mp4'");
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::DiskFull);
        QVERIFY(text(result.error()).contains("No space left"));
    }

    void case_164_case_169_limitIsFoundByWriting()
    {
        ignorePipeAndSizeSignals();
        const test::FileSizeLimit limit(100'000);
        auto file = AtomicFile::create(m_root / "a.mp4", IfExists::Refuse);
        QVERIFY(file);
        const auto written = file->write(std::string(200'000, 'x'));
        QVERIFY(!written);
        QCOMPARE(written.error().code(), ErrorCode::DiskFull);
        QVERIFY(text(written.error()).contains("File too large"));
    }

    void roomIsAskedForBeforeTheWork()
    {
        auto file = AtomicFile::create(m_root / "a.mp4", IfExists::Refuse);
        QVERIFY(file);
        QVERIFY(file->reserve(1 << 20));
        const auto tooMuch = file->reserve(*freeSpace(m_root) + (64ull << 30));
        QVERIFY(!tooMuch);
        QCOMPARE(tooMuch.error().code(), ErrorCode::DiskFull);
    }

    void case_146_nameLimitIsInBytes()
    {
        // 84 three-byte characters and ".mp": 255 bytes, which fit; one more byte does not.
        std::string name;
        for (int i = 0; i < 84; ++i)
            name += "語";
        QCOMPARE((name + ".mp").size(), std::size_t(255));
        QVERIFY(writeFile(m_root / (name + ".mp"), std::string("x")));
        QCOMPARE(*readTextFile(m_root / (name + ".mp")), std::string("x"));
        const auto result = checkWritable(m_root / (name + ".mp4"), IfExists::Refuse);
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::InvalidArgument);
        QVERIFY2(text(result.error()).contains("256 bytes"), qPrintable(text(result.error())));
        QCOMPARE(entriesOf(m_root), 1);
    }

    void case_148_namesInSeveralScripts_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("umlaut") << "Grüße.mp4";
        QTest::newRow("japanese") << "日本語の名前.mp4";
        QTest::newRow("arabic") << "مرحبا.mp4";
        QTest::newRow("emoji") << "🎬👩🏽‍🚀.mp4";
        QTest::newRow("newline") << "two\nlines.mp4";
        QTest::newRow("quotes") << "it's \"it\" $HOME `x`.mp4";
        QTest::newRow("dash") << "-rf";
    }
    void case_148_namesInSeveralScripts()
    {
        QFETCH(QString, name);
        const fs::path target = m_root / name.toStdString();
        QVERIFY(checkWritable(target, IfExists::Refuse));
        QVERIFY(writeFile(target, std::string("x")));
        QCOMPARE(*readTextFile(target), std::string("x"));
        fs::remove(target);
        QCOMPARE(entriesOf(m_root), 0);
    }

    void case_155_outputIsAnInput()
    {
        const fs::path photo = m_root / "a.jpg";
        QVERIFY(writeFile(photo, std::string("x")));
        fs::create_hard_link(photo, m_root / "b.jpg");
        fs::create_symlink("a.jpg", m_root / "c.jpg");
        const std::vector<fs::path> inputs{m_root / "other.wav", photo};
        for (const char* name : {"a.jpg", "b.jpg", "c.jpg", "./a.jpg", "x/../a.jpg"}) {
            const auto result = refuseInputAsOutput(m_root / name, inputs);
            QVERIFY2(!result, name);
            QCOMPARE(result.error().code(), ErrorCode::InvalidArgument);
        }
        QVERIFY(refuseInputAsOutput(m_root / "d.jpg", inputs));
    }

    void killedWriterLeavesNoFileAndNextOneCleansUp()
    {
        const fs::path target = m_root / "a.mp4";
        int ready[2];
        QCOMPARE(::pipe(ready), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            auto file = AtomicFile::create(target, IfExists::Refuse);
            const bool ok = file && file->write("half");
            [[maybe_unused]] const ssize_t n = ::write(ready[1], ok ? "y" : "n", 1);
            for (;;)
                ::pause();
        }
        char answer = 0;
        QCOMPARE(::read(ready[0], &answer, 1), ssize_t(1));
        QCOMPARE(answer, 'y');
        // A second writer leaves the part file of a living one alone.
        {
            QVERIFY(AtomicFile::create(target, IfExists::Refuse));
        }
        QCOMPARE(entriesOf(m_root), 1);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        ::close(ready[0]);
        ::close(ready[1]);
        QVERIFY(!fs::exists(target));
        QCOMPARE(entriesOf(m_root), 1);
        {
            QVERIFY(AtomicFile::create(target, IfExists::Refuse));
        }
        QCOMPARE(entriesOf(m_root), 0);
    }

    void case_097_readingNamesTheRealCause()
    {
        const auto missing = readFile(m_root / "none.wav");
        QCOMPARE(missing.error().code(), ErrorCode::NotFound);
        QVERIFY(text(missing.error()).contains("none.wav"));
        const auto folder = readFile(m_root);
        QCOMPARE(folder.error().code(), ErrorCode::Unreadable);
        QVERIFY(text(folder.error()).contains("is a folder"));
        QCOMPARE(::mkfifo((m_root / "pipe").c_str(), 0600), 0);
        QCOMPARE(readFile(m_root / "pipe").error().code(), ErrorCode::Unreadable);
        QVERIFY(writeFile(m_root / "long", std::string(100, 'x')));
        QCOMPARE(readFile(m_root / "long", 99).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(readFile(m_root / "long", 100)->size(), std::size_t(100));
    }

    void freeSpaceOfFutureFolders()
    {
        const auto here = freeSpace(m_root);
        const auto later = freeSpace(m_root / "not" / "yet");
        QVERIFY(here && later);
        QVERIFY(*here > 0);
        QVERIFY(qAbs(double(*here) - double(*later)) < 0.1 * double(*here));
    }
};

LOQUOR_TEST(tst_atomic_file)
#include "tst_atomic_file.moc"
