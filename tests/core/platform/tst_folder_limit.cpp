#include "core/platform/folder_limit.h"
#include "tests/support/test_main.h"

#include <chrono>
#include <fstream>

#include <QTemporaryDir>

using namespace loquor;
namespace fs = std::filesystem;

class tst_folder_limit : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path path(const char* name) const { return fs::path(m_dir.path().toStdString()) / name; }
    void make(const char* name, int bytes, int hoursAgo) const
    {
        std::ofstream(path(name)) << std::string(static_cast<std::size_t>(bytes), 'x');
        fs::last_write_time(path(name), fs::file_time_type::clock::now() - std::chrono::hours(hoursAgo));
    }

private Q_SLOTS:
    void init()
    {
        make("old.copy", 100, 3);
        make("older.copy", 100, 4);
        make("new.copy", 100, 1);
        make("oldest.other", 1000, 9);
    }

    void nothingGoesBelowTheLimit()
    {
        const auto done = platform::limitFolder(path(""), ".copy", 300, 0);
        QCOMPARE(done.bytesLeft, std::uint64_t(300));
        QVERIFY(done.removed.empty() && fs::exists(path("older.copy")));
    }

    void theLongestUnusedGoFirst()
    {
        const auto done = platform::limitFolder(path(""), ".copy", 299, 100);
        QCOMPARE(done.removed, (std::vector<fs::path>{path("older.copy"), path("old.copy")}));
        QCOMPARE(done.bytesLeft, std::uint64_t(100));
        QVERIFY(!fs::exists(path("old.copy")) && fs::exists(path("new.copy")) && fs::exists(path("oldest.other")));
    }

    void whatIsKeptStaysWhateverItsAge()
    {
        const auto done = platform::limitFolder(path(""), ".copy", 150, 150, path("older.copy"));
        QCOMPARE(done.removed, (std::vector<fs::path>{path("old.copy"), path("new.copy")}));
        QVERIFY(fs::exists(path("older.copy")));
    }

    void aFolderThatIsNotThereIsEmpty()
    {
        const auto done = platform::limitFolder(path("nowhere"), ".copy", 0, 0);
        QVERIFY(done.removed.empty() && done.bytesLeft == 0);
    }
};

LOQUOR_TEST(tst_folder_limit)
#include "tst_folder_limit.moc"
