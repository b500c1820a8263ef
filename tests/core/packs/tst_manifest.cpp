#include "core/packs/manifest.h"
#include "core/platform/atomic_file.h"
#include "core/platform/hash.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>

using namespace loquor;
using namespace loquor::packs;

namespace {

QByteArray shipped(const char* pack = "portrait")
{
    QFile file(QString(LOQUOR_SOURCE_DIR) + "/resources/packs/" + pack + "/manifest.json");
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return file.readAll();
}

PackManifest portrait()
{
    return *parseManifest(shipped().toStdString());
}

} // namespace

class tst_manifest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void the_shipped_pack_is_valid()
    {
        const auto pack = parseManifest(shipped().toStdString());
        QVERIFY2(pack, pack ? "" : pack.error().text().c_str());
        QCOMPARE(pack->label(), std::string("portrait 1"));
        QCOMPARE(pack->modules.size(), std::size_t(3));
        QCOMPARE(pack->defaultFps, Rational::make(25, 1));
        QCOMPARE(pack->stages.back(), std::string("decode"));
        QVERIFY(pack->chunks.firstFrames < pack->chunks.frames);
    }

    void a_broken_manifest_names_the_field_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("says");
        QTest::newRow("no json") << "{" << "[" << "parse error";
        QTest::newRow("newer") << "\"format\": 1" << "\"format\": 9" << "'format' is one";
        QTest::newRow("no id") << "\"id\"" << "\"di\"" << "'id' is missing";
        QTest::newRow("bad id") << "\"id\": \"portrait\"" << "\"id\": \"../x\"" << "'id' may hold";
        QTest::newRow("version") << "\"version\": 1" << "\"version\": \"1\"" << "'version' must be";
        QTest::newRow("escape") << "portrait/face_mesh.safetensors" << "../../etc/passwd" << "must stay in";
        QTest::newRow("rate") << "\"max\": \"60\"" << "\"max\": \"fast\"" << "'max' must be a frame rate";
        QTest::newRow("rates") << "\"min\": \"5\"" << "\"min\": \"50\"" << "min <= default <= max";
        QTest::newRow("chunk") << "\"frames\": 25" << "\"frames\": 0" << "'frames' must be between";
        QTest::newRow("size") << "[1280, 720]" << "1280" << "must be [width, height]";
        QTest::newRow("seconds") << "\"look_ahead_seconds\": 0.6" << "\"look_ahead_seconds\": -1"
                                 << "'look_ahead_seconds' must be";
        QTest::newRow("stages") << "\"stages\": [" << "\"stages\": [1, " << "'stages' must be a list";
    }
    void a_broken_manifest_names_the_field()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, says);
        QString text = QString::fromUtf8(shipped());
        QVERIFY(text.contains(from));
        text.replace(text.indexOf(from), from.size(), to);
        const auto pack = parseManifest(text.toStdString());
        QVERIFY(!pack);
        QCOMPARE(pack.error().code(), ErrorCode::Corrupt);
        QVERIFY2(QString::fromStdString(pack.error().message()).contains(says),
                 pack.error().message().c_str());
    }

    void open_models_are_checked_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("says");
        QTest::newRow("whole") << "" << "" << "";
        QTest::newRow("model") << "\"flashtalk\", \"decoder\"" << "\"dance\", \"decoder\"" << "'model' must be one of \"flashhead\", \"flashtalk\"";
        QTest::newRow("steps") << "[1000, 750, 500, 250]" << "[1000, 750, 750, 250]" << "'steps' must be falling";
        QTest::newRow("no steps") << "[1000, 750, 500, 250]" << "[]" << "needs steps";
        QTest::newRow("frames") << "\"overlap\": 5" << "\"overlap\": 6" << "1 more than a multiple of 4";
        QTest::newRow("chunks") << "\"frames\": 28" << "\"frames\": 27" << "frames = avatar frames - overlap";
        QTest::newRow("rate") << "\"max\": \"25\"" << "\"max\": \"30\"" << "of an avatar engine must be 25";
        QTest::newRow("join") << "\"join_window\": 17" << "\"join_window\": 21" << "in whole latents";
        QTest::newRow("size") << "\"multiple\": 32" << "\"multiple\": 16" << "16 times the scale";
        QTest::newRow("network") << "\"network\": \"wan21\"" << "\"network\": 3" << "'network' of module 'vae'";
        QTest::newRow("both") << "\"network\": \"wan21\"" << "\"sha256\": \"x\", \"network\": \"wan21\"" << "without a sha256";
        QTest::newRow("no cost") << "\"cost\"" << "\"price\"" << "'cost' is missing";
        QTest::newRow("no plan") << "\"avatar\": {" << "\"plan\": {" << "'avatar' is missing";
    }
    void open_models_are_checked()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, says);
        QString text = QString::fromUtf8(shipped("flashtalk-14b-swiftvr"));
        QVERIFY(text.contains(from));
        text.replace(text.indexOf(from), from.size(), to);
        const auto pack = parseManifest(text.toStdString());
        QCOMPARE(pack.has_value(), says.isEmpty());
        if (!pack) {
            QVERIFY2(QString::fromStdString(pack.error().message()).contains(says), pack.error().message().c_str());
            return;
        }
        QCOMPARE(pack->avatar->newFrames(), 28);
        QCOMPARE(pack->joins().frames, 8);
        QCOMPARE(pack->avatar->loudness.value_or(0), -23.0);
        QVERIFY(!checkForProjects(*pack) && checkForProjects(portrait()));
        pipeline::RenderSettings settings;
        settings.width = 900;
        settings.height = 1500;
        const auto refused = checkSettings(*pack, settings);
        QVERIFY2(!refused && refused.error().message().find("896x1504") != std::string::npos, refused ? "" : refused.error().message().c_str());
    }

    // 47 and 49-53: sizes are checked before anything is loaded, and never changed silently.
    void case_047_to_053_sizes_are_checked_first_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<QString>("nearest");
        QTest::newRow("720p") << 1280 << 720 << "";
        QTest::newRow("536") << 720 << 536 << "";
        QTest::newRow("odd height") << 1058 << 793 << "1058x794";
        QTest::newRow("odd width") << 255 << 256 << "256x256";
        QTest::newRow("one pixel") << 1 << 1 << "64x64";
        QTest::newRow("zero") << 0 << 0 << "64x64";
        QTest::newRow("huge") << 100000 << 720 << "4096x720";
        QTest::newRow("negative") << -2 << 720 << "64x720";
    }
    void case_047_to_053_sizes_are_checked_first()
    {
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(QString, nearest);
        pipeline::RenderSettings settings;
        settings.width = width;
        settings.height = height;
        const auto result = checkSettings(portrait(), settings);
        QCOMPARE(result.has_value(), nearest.isEmpty());
        if (!result) {
            QCOMPARE(result.error().code(), ErrorCode::InvalidArgument);
            QVERIFY2(QString::fromStdString(result.error().message()).contains(nearest),
                     result.error().message().c_str());
        }
    }

    // 11: the rate comes from the engine's own data.
    void case_011_rates_outside_the_engine_are_refused()
    {
        pipeline::RenderSettings settings;
        settings.fps = {30000, 1001};
        QVERIFY(checkSettings(portrait(), settings));
        settings.fps = {240, 1};
        const auto result = checkSettings(portrait(), settings);
        QVERIFY(!result);
        QVERIFY(result.error().message().find("5 to 60") != std::string::npos);
    }

    // 58: the wrong checkpoint under the right name.
    void case_058_a_wrong_checkpoint_is_noticed()
    {
        QTemporaryDir folder;
        const std::filesystem::path models = folder.path().toStdString();
        PackManifest pack = portrait();
        pack.modules = {{"net", "net.bin", platform::sha256(std::string("right")), ""}};
        const auto missing = verifyModules(pack, models);
        QVERIFY(!missing);
        QCOMPARE(missing.error().code(), ErrorCode::NotFound);
        QVERIFY(platform::writeFile(models / "net.bin", std::string("wrong")));
        const auto wrong = verifyModules(pack, models);
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().code(), ErrorCode::Corrupt);
        QVERIFY(platform::writeFile(models / "net.bin", std::string("right")));
        QVERIFY(verifyModules(pack, models));
    }

    void the_installed_networks_are_the_packs_own()
    {
        const auto models = std::filesystem::path(LOQUOR_DEPS_DIR).parent_path() / "models";
        const auto result = verifyModules(portrait(), models);
        QVERIFY2(result, result ? "" : result.error().text().c_str());
    }
};

LOQUOR_TEST(tst_manifest)
#include "tst_manifest.moc"
