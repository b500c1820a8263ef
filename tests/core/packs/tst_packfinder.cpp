#include "core/packs/installed.h"
#include "core/packs/pack_finder.h"
#include "core/platform/atomic_file.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTemporaryDir>

using namespace loquor;
using namespace loquor::packs;

class tst_packfinder : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void by_id_in_the_build_or_installation()
    {
        const auto folders = packFolders("/nowhere");
        const auto pack = findPack("portrait", folders);
        QVERIFY2(pack, pack ? "" : pack.error().text().c_str());
        QCOMPARE(pack->folder.filename().string(), std::string("portrait"));
        QCOMPARE(allPacks(folders).size(), std::size_t(9));
    }

    void by_folder()
    {
        const auto pack = findPack(std::string(LOQUOR_SOURCE_DIR) + "/resources/packs/portrait", {});
        QVERIFY(pack);
        const auto none = findPack("/nowhere/at/all", {});
        QVERIFY(!none);
        QCOMPARE(none.error().code(), ErrorCode::NotFound);
    }

    void an_unknown_id_lists_what_is_there()
    {
        for (const char* id : {"portait", "", "..", "."}) {
            const auto pack = findPack(id, packFolders("/nowhere"));
            QVERIFY(!pack);
            QCOMPARE(pack.error().code(), ErrorCode::InvalidArgument);
            QVERIFY2(pack.error().message().find("There are: flashhead-1.3b, ") != std::string::npos,
                     pack.error().message().c_str());
        }
    }

    // A network that is not there is told before anything is loaded, with what to do.
    void what_is_not_set_up_is_told()
    {
        const auto nothing = findPack("portrait", {"/nowhere/at/all"});
        QVERIFY(!nothing);
        QCOMPARE(nothing.error().code(), ErrorCode::NotFound);
        const auto pack = findPack("portrait", packFolders("/nowhere"));
        QVERIFY(pack);
        const auto networks = checkInstalled(*pack, "/nowhere/models");
        QVERIFY(!networks);
        QCOMPARE(networks.error().code(), ErrorCode::NotFound);
        for (const Error& error : {nothing.error(), networks.error()})
            QVERIFY2(error.message().find("packaging/setup.sh") != std::string::npos, error.message().c_str());
    }

    void a_damaged_pack_does_not_hide_the_others()
    {
        QTemporaryDir data;
        QDir(data.path()).mkpath("packs/broken");
        const std::filesystem::path root = data.path().toStdString();
        QVERIFY(platform::writeFile(root / "packs/broken/manifest.json", std::string("{}")));
        const auto folders = packFolders(root);
        QCOMPARE(allPacks(folders).size(), std::size_t(9));
        const auto broken = findPack("broken", folders);
        QVERIFY(!broken);
        QCOMPARE(broken.error().code(), ErrorCode::Corrupt);
        QVERIFY(broken.error().text().find("manifest.json") != std::string::npos);
    }
};

LOQUOR_TEST(tst_packfinder)
#include "tst_packfinder.moc"
