#include "core/platform/atomic_file.h"
#include "core/stages/reference_cache.h"
#include "tests/core/portrait/synthetic_portrait.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTemporaryDir>

using namespace loquor;
using namespace loquor::stages;

class tst_referencecache : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void what_is_stored_comes_back()
    {
        QTemporaryDir folder;
        const ReferenceCache cache(folder.path().toStdString());
        QVERIFY(!cache.find("a"));
        const CachedReference in{portrait::makeSyntheticPortrait({120, 80}), {"first", "second: ü"}};
        cache.store("a", in);
        const auto out = cache.find("a");
        QVERIFY(out);
        QCOMPARE(out->warnings, in.warnings);
        QCOMPARE(out->model->canvas.data, in.model->canvas.data);
        QCOMPARE(out->model->lipField, in.model->lipField);
        QVERIFY(!cache.find("b"));
    }

    void damage_counts_as_absent()
    {
        QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        const ReferenceCache cache(root);
        cache.store("a", {portrait::makeSyntheticPortrait({120, 80}), {"note"}});
        auto bytes = platform::readFile(root / "a.reference");
        QVERIFY(bytes);
        for (const std::size_t length : {std::size_t(0), std::size_t(3), std::size_t(9), std::size_t(40), bytes->size() / 2}) {
            QVERIFY(platform::writeFile(root / "a.reference", std::span(*bytes).first(length)));
            QVERIFY(!cache.find("a"));
        }
        std::vector<std::uint8_t> flipped = *bytes;
        flipped[flipped.size() / 2] ^= 0x40;
        QVERIFY(platform::writeFile(root / "a.reference", flipped));
        QVERIFY(!cache.find("a"));
    }

    void the_oldest_go_when_it_is_full()
    {
        QTemporaryDir folder;
        const CachedReference one{portrait::makeSyntheticPortrait({120, 80}), {}};
        const auto size = portrait::serialize(*one.model)->size();
        const ReferenceCache cache(folder.path().toStdString(), size * 3 + 1000);
        for (const char* key : {"1", "2", "3"}) {
            cache.store(key, one);
            QTest::qWait(20); // times of files differ
        }
        QVERIFY(cache.find("1")); // used: it is the newest now
        QTest::qWait(20);
        cache.store("4", one);
        QVERIFY(cache.find("1") && cache.find("3") && cache.find("4"));
        QVERIFY(!cache.find("2"));
    }

    void no_folder_no_cache()
    {
        const ReferenceCache cache{std::filesystem::path()};
        cache.store("a", {portrait::makeSyntheticPortrait({120, 80}), {}});
        QVERIFY(!cache.find("a"));
    }
};

LOQUOR_TEST(tst_referencecache)
#include "tst_referencecache.moc"
