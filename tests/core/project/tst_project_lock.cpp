#include "core/project/project_lock.h"

#include "core/platform/signals.h"
#include "tests/core/project/project_folder.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::project;
using namespace loquor::test;

namespace {

void writeText(const fs::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

constexpr const char* kElsewhere = R"({"program":"studio","pid":77,"host":"elsewhere","since":"2026-11-30 09:00:00"})";

} // namespace

class tst_project_lock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { platform::ignorePipeAndSizeSignals(); }

    void oneHolderAtATimeAndNothingIsLeft()
    {
        ProjectFolder folder;
        {
            auto first = lockProject(folder.file, folder.options());
            QVERIFY(first && first->lock && !first->lock->takenOverFrom());
            QVERIFY(first->lock->isBesideProject());
            const auto second = lockProject(folder.file, folder.options());
            QVERIFY(second && !second->lock && second->holder);
            QCOMPARE(second->holder->pid, static_cast<int>(::getpid()));
            QVERIFY(loadProject(folder.file)); // reading is always possible
        }
        QCOMPARE(entriesIn(folder.file.parent_path()), std::ptrdiff_t(1));
        QCOMPARE(entriesIn(folder.locks()), std::ptrdiff_t(0));
        const auto again = lockProject(folder.file, folder.options());
        QVERIFY(again && again->lock);
    }

    void theMessageNamesTheHolder()
    {
        ProjectFolder folder;
        auto other = folder.holder();
        QVERIFY(other);
        const auto mine = lockProject(folder.file, folder.options());
        QVERIFY(mine && mine->holder);
        const std::string text = projectInUse(folder.file, *mine->holder).text();
        for (const std::string& wanted : {std::string("holder"), std::to_string(other->pid()), std::string("p.loquor"),
                                          mine->holder->host, std::string("UTC"), std::string("Close it there"), std::string("project status")})
            QVERIFY2(!wanted.empty() && text.find(wanted) != std::string::npos, text.c_str());
        QVERIFY2(text.find('\n') == std::string::npos, text.c_str());
    }

    void case_176_a_killed_holder_is_replaced()
    {
        ProjectFolder folder;
        for (int round = 0; round < 3; ++round) {
            auto other = folder.holder();
            QVERIFY(other);
            const int pid = other->pid();
            QVERIFY(!lockProject(folder.file, folder.options())->lock);
            other->kill();
            other->wait();
            QVERIFY(fs::exists(lockFileOf(folder.file))); // kill -9 leaves the file
            const auto mine = lockProject(folder.file, folder.options());
            QVERIFY(mine && mine->lock && mine->lock->takenOverFrom());
            QCOMPARE(mine->lock->takenOverFrom()->pid, pid);
        }
        QVERIFY(!fs::exists(lockFileOf(folder.file)));
    }

    void ofManyAtOnceOneWins()
    {
        ProjectFolder folder;
        for (int round = 0; round < 3; ++round) {
            std::vector<platform::ChildProcess> held;
            for (int i = 0; i < 4; ++i) {
                if (auto child = folder.holder())
                    held.push_back(std::move(*child));
            }
            QCOMPARE(held.size(), std::size_t(1));
        }
    }

    void linksAndOtherSpellingsAreTheSameProject()
    {
        ProjectFolder folder;
        fs::create_symlink(folder.file, folder.path() / "link.loquor");
        const auto mine = lockProject(folder.path() / "link.loquor", folder.options());
        QVERIFY(mine && mine->lock);
        QVERIFY(!lockProject(folder.file, folder.options())->lock);
        QVERIFY(!lockProject(folder.file.parent_path() / "." / ".." / "work" / "p.loquor", folder.options())->lock);
    }

    void case_146_names_of_any_kind_and_length()
    {
        for (const std::string& name : {std::string("Zoë 🙂.loquor"), std::string("new\nline.loquor"),
                                        std::string(248, 'x') + ".loquor", std::string(124, 'x') + "éé.loquor"}) {
            ProjectFolder folder(name);
            {
                const auto mine = lockProject(folder.file, folder.options());
                QVERIFY2(mine && mine->lock && mine->lock->isBesideProject(), name.c_str());
                const auto other = lockProject(folder.file, folder.options());
                QVERIFY(other && other->holder);
                QVERIFY(projectInUse(folder.file, *other->holder).text().find('\n') == std::string::npos);
            }
            QCOMPARE(entriesIn(folder.file.parent_path()), std::ptrdiff_t(1));
        }
        QVERIFY(lockFileOf("/a/" + std::string(254, 'x')) != lockFileOf("/a/" + std::string(253, 'x') + "y"));
    }

    void aReadOnlyFolderIsLockedInTheDataFolder()
    {
        ProjectFolder folder;
        fs::create_directories(folder.locks());
        fs::permissions(folder.path(), fs::perms(0755));
        fs::permissions(folder.locks(), fs::perms(0777));
        fs::permissions(folder.file.parent_path(), fs::perms(0555));
        {
            const OrdinaryUser user;
            const auto mine = lockProject(folder.file, folder.options());
            QVERIFY2(mine && mine->lock, mine ? "" : mine.error().text().c_str());
            QVERIFY(!mine->lock->isBesideProject());
            QVERIFY(!lockProject(folder.file, folder.options())->lock);
            QVERIFY(loadProject(folder.file));
            const auto refused = saveProject(folder.document, folder.file);
            QVERIFY(!refused && refused.error().code() == ErrorCode::PermissionDenied);
        }
        // Neither place: an error that names both, not a lock that protects nothing.
        fs::permissions(folder.locks(), fs::perms(0555));
        {
            const OrdinaryUser user;
            const auto none = lockProject(folder.file, folder.options());
            QVERIFY(!none && none.error().code() == ErrorCode::PermissionDenied);
        }
        fs::permissions(folder.file.parent_path(), fs::perms(0755));
    }

    void somebodyElsesFileIsRespected()
    {
        ProjectFolder folder;
        const fs::path lock = lockFileOf(folder.file);
        writeText(lock, kElsewhere);
        LockOptions options = folder.options();
        options.isRemote = true;
        const auto remote = lockProject(folder.file, options);
        QVERIFY(remote && !remote->lock && remote->holder);
        QCOMPARE(remote->holder->host, std::string("elsewhere"));
        QCOMPARE(contentOf(lock), std::string(kElsewhere));
        QVERIFY(projectInUse(folder.file, *remote->holder).text().find(".p.loquor.lock") != std::string::npos);
        // On a disk of this machine nobody elsewhere can hold it.
        options.isRemote = false;
        {
            const auto local = lockProject(folder.file, options);
            QVERIFY(local && local->lock && local->lock->takenOverFrom());
            // A file put in our place meanwhile is not ours to remove.
            fs::remove(lock);
            writeText(lock, kElsewhere);
        }
        QCOMPARE(contentOf(lock), std::string(kElsewhere));
    }

    void damagedLockFilesAreNoObstacle()
    {
        for (const std::string& content : {std::string("{{{"), std::string(10'000, 'x'), std::string("[1,2]"),
                                           std::string(R"({"pid":"x","host":5,"since":[]})"), std::string("\0\xff", 2)}) {
            ProjectFolder folder;
            writeText(lockFileOf(folder.file), content);
            const auto mine = lockProject(folder.file, folder.options());
            QVERIFY(mine && mine->lock);
            QVERIFY(!projectInUse(folder.file, mine->lock->takenOverFrom().value_or(LockHolder())).text().empty());
        }
        ProjectFolder folder; // a folder in its place
        fs::create_directories(lockFileOf(folder.file));
        const auto mine = lockProject(folder.file, folder.options());
        QVERIFY(mine && mine->lock && !mine->lock->isBesideProject());
    }

    void clocksDecideNothing()
    {
        ProjectFolder folder;
        auto other = folder.holder();
        QVERIFY(other);
        std::error_code ec;
        for (const int years : {-30, 30}) {
            fs::last_write_time(lockFileOf(folder.file), fs::file_time_type::clock::now() + std::chrono::hours(24 * 365 * years), ec);
            QVERIFY(!lockProject(folder.file, folder.options())->lock);
        }
    }

    void aFullDiskIsLockedAllTheSame()
    {
        ProjectFolder folder;
        const FileSizeLimit full(0);
        const auto mine = lockProject(folder.file, folder.options());
        QVERIFY(mine && mine->lock);
        const auto other = lockProject(folder.file, folder.options());
        QVERIFY(other && other->holder); // nobody's name is there, the lock is
        QVERIFY(!projectInUse(folder.file, *other->holder).text().empty());
    }
};

LOQUOR_TEST(tst_project_lock)
#include "tst_project_lock.moc"
