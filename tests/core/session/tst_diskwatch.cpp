#include "core/session/disk_watch.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;

class tst_diskwatch : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // 160, 167: said early when it may not fit, again when next to nothing is left, each once.
    void case_160_167_said_early_and_once()
    {
        std::uint64_t left = 5'000'000'000;
        DiskWatch watch("/some/store", [&](const std::filesystem::path&) -> Result<std::uint64_t> { return left; });
        QVERIFY(!watch.look(4'000'000'000));
        left = 700'000'000;
        const auto early = watch.look(900'000'000);
        QVERIFY(early);
        QCOMPARE(*early, std::string("There are 700 MB left on the disk of '/some/store', and this project may need 900 MB. "
                                     "Free some space before it is full."));
        QVERIFY(!watch.look(900'000'000));
        left = 90'000'000;
        const auto late = watch.look(1);
        QVERIFY(late && late->find("90 MB left") != std::string::npos);
        left = 10'000;
        QVERIFY(!watch.look(1));
    }

    void nobody_knows_is_no_reason_to_warn()
    {
        DiskWatch watch("/some/store", [](const std::filesystem::path&) -> Result<std::uint64_t> {
            return fail(ErrorCode::NotFound, "no such folder");
        });
        QVERIFY(!watch.look(1'000'000'000));
    }

    // A minute of 720p was measured to take some 45 MB.
    void estimates_are_those_of_the_store()
    {
        const auto bytes = storedBytes(60, 1280, 720, 25);
        QVERIFY2(bytes > 30'000'000 && bytes < 70'000'000, qPrintable(QString::number(bytes)));
    }
};

LOQUOR_TEST(tst_diskwatch)
#include "tst_diskwatch.moc"
