#include "core/project/autosave.h"

#include "core/platform/signals.h"
#include "tests/core/project/project_folder.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::project;
using namespace loquor::test;

namespace {

std::vector<fs::path> generations(const fs::path& root)
{
    std::vector<fs::path> files;
    std::error_code ec;
    for (const auto& entry : fs::recursive_directory_iterator(root, ec)) {
        if (entry.path().extension() == ".loquor")
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string scriptOf(const RecoverableWork& work)
{
    const auto document = loadRecoverable(work);
    return document ? scriptText(document->scenes[0]) : document.error().text();
}

} // namespace

class tst_autosave : public QObject
{
    Q_OBJECT

    // Autosaves "1", "2", ... as a program that then crashes.
    static void leave(ProjectFolder& folder, const std::string& base, int count, const fs::path& project)
    {
        auto autosave = Autosave::open(project, folder.autosaves());
        QVERIFY(autosave);
        for (int i = 1; i <= count; ++i)
            QVERIFY(autosave->store(folder.with("Words " + std::to_string(i) + '.'), base));
    }

private Q_SLOTS:
    void initTestCase() { platform::ignorePipeAndSizeSignals(); }

    void case_172_killed_work_is_found()
    {
        ProjectFolder folder;
        auto other = folder.holder("Unsaved.");
        QVERIFY(other);
        QVERIFY(findRecoverable(folder.autosaves()).empty()); // it is alive
        other->kill();
        other->wait();
        const auto works = findRecoverable(folder.autosaves());
        QCOMPARE(works.size(), std::size_t(1));
        QCOMPARE(scriptOf(works[0]), std::string("Unsaved. More."));
        QCOMPARE(works[0].project, fs::canonical(folder.file));
        QCOMPARE(works[0].generations, 2);
        QVERIFY(!works[0].fileChangedSince);
        QVERIFY(!works[0].savedAt.empty());
        QCOMPARE(loadRecoverable(works[0])->id, folder.document.id);
        QVERIFY(loadRecoverable(works[0])->preserved.find("autosave") == std::string::npos);
        QCOMPARE(findRecoverable(folder.autosaves()).size(), std::size_t(1)); // looking changes nothing
    }

    void twentyGenerationsAreKept()
    {
        ProjectFolder folder;
        leave(folder, folder.saved("Old."), 25, folder.file);
        QCOMPARE(generations(folder.autosaves()).size(), std::size_t(kAutosaveGenerations));
        QCOMPARE(scriptOf(findRecoverable(folder.autosaves())[0]), std::string("Words 25."));
        leave(folder, "other", 3, folder.file); // the next start counts on
        QCOMPARE(generations(folder.autosaves()).size(), std::size_t(kAutosaveGenerations));
        QVERIFY(generations(folder.autosaves()).back().filename() == "gen-0000000028.loquor");
    }

    void unchangedWorkIsStoredOnce()
    {
        ProjectFolder folder;
        auto autosave = Autosave::open({}, folder.autosaves());
        QVERIFY(autosave);
        for (int i = 0; i < 5; ++i)
            QVERIFY(autosave->store(folder.with("Same."), ""));
        QCOMPARE(generations(folder.autosaves()).size(), std::size_t(1));
    }

    void aCleanSaveLeavesNothing()
    {
        ProjectFolder folder;
        {
            auto autosave = Autosave::open(folder.file, folder.autosaves());
            QVERIFY(autosave && autosave->store(folder.with("New."), folder.saved("Old.")));
            folder.saved("New.");
            autosave->clean();
            QVERIFY(generations(folder.autosaves()).empty());
        }
        QCOMPARE(entriesIn(folder.autosaves()), std::ptrdiff_t(0));
        QVERIFY(findRecoverable(folder.autosaves()).empty());
    }

    // Killed between saving and cleaning: the file has it all.
    void whatTheFileHasIsNotOffered()
    {
        ProjectFolder folder;
        leave(folder, folder.saved("Old."), 3, folder.file);
        folder.saved("Words 3.");
        QVERIFY(findRecoverable(folder.autosaves()).empty());
    }

    void onlyNewerWorkIsOffered()
    {
        ProjectFolder folder;
        leave(folder, folder.saved("Old."), 2, folder.file);
        folder.saved("Changed by another program."); // later
        const auto now = fs::file_time_type::clock::now();
        fs::last_write_time(folder.file, now + std::chrono::minutes(1));
        QVERIFY(findRecoverable(folder.autosaves()).empty());
        QCOMPARE(generations(folder.autosaves()).size(), std::size_t(2)); // but not lost either
        fs::last_write_time(folder.file, now - std::chrono::minutes(1)); // earlier
        const auto works = findRecoverable(folder.autosaves());
        QCOMPARE(works.size(), std::size_t(1));
        QVERIFY(works[0].fileChangedSince);
    }

    void clockJumpsHideNothing()
    {
        ProjectFolder folder;
        leave(folder, folder.saved("Old."), 3, folder.file);
        const auto now = fs::file_time_type::clock::now();
        const auto files = generations(folder.autosaves());
        // The clock went back ten years while working: newer generations look older than everything.
        for (std::size_t i = 0; i < files.size(); ++i)
            fs::last_write_time(files[i], now - std::chrono::hours(24 * 3650 + static_cast<int>(i)));
        QCOMPARE(scriptOf(findRecoverable(folder.autosaves()).at(0)), std::string("Words 3."));
        fs::last_write_time(folder.file, now + std::chrono::hours(24 * 3650));
        QCOMPARE(scriptOf(findRecoverable(folder.autosaves()).at(0)), std::string("Words 3."));
    }

    void case_175_damaged_generations_are_passed_over()
    {
        ProjectFolder folder;
        leave(folder, folder.saved("Old."), 3, folder.file);
        const auto files = generations(folder.autosaves());
        const std::string half = contentOf(files[2]).substr(0, 200);
        std::ofstream(files[2]) << half;
        std::ofstream(files[1]) << "";
        QCOMPARE(scriptOf(findRecoverable(folder.autosaves()).at(0)), std::string("Words 1."));
        std::ofstream(files[0]) << "{{{";
        QVERIFY(findRecoverable(folder.autosaves()).empty());
        QVERIFY(generations(folder.autosaves()).empty()); // nothing that asks again at each start
    }

    void workOfANewerVersionIsKept()
    {
        ProjectFolder folder;
        leave(folder, "", 1, {});
        const fs::path file = generations(folder.autosaves()).at(0);
        std::string text = contentOf(file);
        text.replace(text.find("\"version\": 2"), 12, "\"version\": 9");
        std::ofstream(file) << text;
        QVERIFY(findRecoverable(folder.autosaves()).empty());
        QCOMPARE(generations(folder.autosaves()).size(), std::size_t(1));
    }

    void unnamedWorkAndAMissingFileAreOffered()
    {
        ProjectFolder folder;
        leave(folder, "", 2, {});
        leave(folder, folder.saved("Old."), 1, folder.file);
        fs::remove(folder.file);
        const auto works = findRecoverable(folder.autosaves());
        QCOMPARE(works.size(), std::size_t(2));
        for (const RecoverableWork& work : works)
            discardRecoverable(work);
        QVERIFY(findRecoverable(folder.autosaves()).empty());
        QCOMPARE(entriesIn(folder.autosaves()), std::ptrdiff_t(0));
        discardRecoverable(works[0]); // twice is harmless
        QVERIFY(!loadRecoverable(works[0]));
        QVERIFY(findRecoverable(folder.path() / "nowhere").empty());
    }

    void discardingNeverTouchesALivingProgramsWork()
    {
        ProjectFolder folder;
        leave(folder, folder.saved("Old."), 2, folder.file);
        const auto works = findRecoverable(folder.autosaves());
        auto alive = Autosave::open(folder.file, folder.autosaves());
        QVERIFY(alive);
        discardRecoverable(works.at(0));
        QCOMPARE(generations(folder.autosaves()).size(), std::size_t(2));
        const auto second = Autosave::open(folder.file, folder.autosaves());
        QVERIFY(!second && second.error().code() == ErrorCode::PermissionDenied);
    }

    void case_160_a_full_disk_keeps_what_is_there()
    {
        ProjectFolder folder;
        const std::string base = folder.saved("Old.");
        {
            auto autosave = Autosave::open(folder.file, folder.autosaves());
            QVERIFY(autosave && autosave->store(folder.with("One."), base));
            {
                const FileSizeLimit full(100);
                const auto refused = autosave->store(folder.with("Two."), base);
                QVERIFY(!refused);
                QCOMPARE(refused.error().code(), ErrorCode::DiskFull);
                const auto save = saveProject(folder.with("Two."), folder.file);
                QVERIFY(!save && save.error().code() == ErrorCode::DiskFull);
            }
            QCOMPARE(*fingerprintOf(folder.file), base);
            QCOMPARE(generations(folder.autosaves()).size(), std::size_t(1));
            QVERIFY(autosave->store(folder.with("Two."), base)); // room again
        }
        QCOMPARE(scriptOf(findRecoverable(folder.autosaves()).at(0)), std::string("Two."));
    }

    void filesOfTheProjectAreFoundFromTheAutosave()
    {
        ProjectFolder folder;
        const fs::path photo = folder.file.parent_path() / "photo 🙂.jpg";
        std::ofstream(photo) << "x";
        Document document = folder.with("Words.");
        document.scenes[0].reference.file = photo;
        {
            auto autosave = Autosave::open(folder.file, folder.autosaves());
            QVERIFY(autosave && autosave->store(document, folder.saved("Old.")));
        }
        QCOMPARE(loadRecoverable(findRecoverable(folder.autosaves()).at(0))->scenes[0].reference.file, photo);
    }
};

LOQUOR_TEST(tst_autosave)
#include "tst_autosave.moc"
