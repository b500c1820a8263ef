#include "ui/models/readiness.h"

#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/models/media_checks.h"

using namespace loquor;
using namespace loquor::ui;
using loquor::test::setScript;

namespace {

MediaCheck usable(const char* kind, int faces = 1)
{
    MediaCheck check;
    check.report.emplace();
    check.report->kind = kind;
    check.report->usable = true;
    check.report->durationSeconds = 10;
    check.report->faces.resize(static_cast<std::size_t>(faces));
    return check;
}

project::Scene readyScene()
{
    project::Scene scene = project::firstScene();
    scene.reference.file = "face.jpg";
    scene.reference.consentAt = "2026-11-30T10:00:00Z";
    setScript(scene, "Hello.");
    return scene;
}

} // namespace

class tst_readiness : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void words_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("words");
        QTest::newRow("empty") << "" << 0;
        QTest::newRow("spaces") << " \n\t " << 0;
        QTest::newRow("tags only") << "[smile] [pause 0.5s]" << 0;
        QTest::newRow("punctuation") << "... !? --" << 0;
        QTest::newRow("english") << "Don't stop, it's 5 o'clock." << 5;
        QTest::newRow("tag and words") << "[nod] yes sir" << 2;
        QTest::newRow("chinese") << QString::fromUtf8("我们去北京") << 5;
        QTest::newRow("vietnamese") << QString::fromUtf8("Xin chào các bạn") << 4;
    }
    void words()
    {
        QFETCH(QString, text);
        QFETCH(int, words);
        QCOMPARE(countWords(text), words);
        QCOMPARE(hasWords(text), words > 0);
    }

    void readyWhenAllIsThere()
    {
        QVERIFY(Readiness::missing(readyScene(), usable("image"), {}).isEmpty());
    }

    void case_092_every_missing_piece_is_named()
    {
        const auto first = [](const project::Scene& scene, const MediaCheck& reference,
                              const MediaCheck& recording = {}) {
            return Readiness::missing(scene, reference, recording).value(0);
        };
        QVERIFY(first(project::firstScene(), {}).contains("photo"));
        MediaCheck pending;
        pending.pending = true;
        QVERIFY(first(readyScene(), pending).contains("checked"));
        MediaCheck bad = usable("image", 0);
        bad.report->usable = false;
        bad.report->problems = {"no face was found"};
        QCOMPARE(first(readyScene(), bad), QStringLiteral("no face was found"));
        project::Scene scene = readyScene();
        scene.reference.consentAt.clear();
        QVERIFY(first(scene, usable("image")).contains("likeness"));
        scene = readyScene();
        QVERIFY(first(scene, usable("image", 3)).contains("face"));
        scene.reference.faceIndex = 2;
        QVERIFY(first(scene, usable("image", 3)).isEmpty());
        scene = readyScene();
        setScript(scene, "[smile]");
        QVERIFY(first(scene, usable("image")).contains("say"));
        scene.speech.mode = project::SpeechMode::Recording;
        QVERIFY(first(scene, usable("image")).contains("sound file"));
        scene.speech.audioFile = "a.wav";
        MediaCheck silent = usable("audio");
        silent.report->usable = false;
        silent.report->problems = {"the recording is silent"};
        QCOMPARE(first(scene, usable("image"), silent), QStringLiteral("the recording is silent"));
        QVERIFY(first(scene, usable("image"), usable("audio")).isEmpty());
    }

    // What is asked for is not what is just being looked at, or already there.
    void emptyTextsFitTheState()
    {
        const project::Scene nothing = project::firstScene();
        QCOMPARE(Readiness::missing(nothing, {}, {}, QStringLiteral("a.jpg")).value(0), QStringLiteral("Looking at a.jpg…"));
        QVERIFY(Readiness::missing(readyScene(), usable("image"), {}, QStringLiteral("b.jpg")).isEmpty());
        QVERIFY(Readiness::stage(nothing, {}, {}).title.contains("Drop a photo"));
        QVERIFY(Readiness::stage(nothing, {}, {}).hint.contains("write"));
        QVERIFY(Readiness::stage(nothing, {}, QStringLiteral("a.jpg")).title.contains("a.jpg"));
        project::Scene written = readyScene();
        written.reference = {};
        QVERIFY(!Readiness::stage(written, {}, {}).hint.contains("write"));
        MediaCheck pending;
        pending.pending = true;
        QVERIFY(Readiness::stage(readyScene(), pending, {}).title.contains("Looking at"));
        MediaCheck missing = usable("unknown", 0);
        missing.report->usable = false;
        QVERIFY(Readiness::stage(readyScene(), missing, {}).hint.contains("left"));
    }

    void estimateGrowsWithTextAndSize()
    {
        project::Document document;
        document.scenes.front() = readyScene();
        std::string text = "word word ";
        setScript(document.scenes.front(), text);
        const CostEstimate two = estimateCost(document, {}, 2);
        QVERIFY(two.videoSeconds > 0.5 && two.videoSeconds < 2);
        for (int i = 0; i < 98; ++i)
            text += "word ";
        setScript(document.scenes.front(), text);
        const CostEstimate hundred = estimateCost(document, {}, 2);
        QVERIFY(std::abs(hundred.videoSeconds - 50 * two.videoSeconds) < 1e-6);
        document.output.width = 1920;
        document.output.height = 1080;
        QVERIFY(estimateCost(document, {}, 2).fileBytes > 2 * hundred.fileBytes);
        document.scenes.front().speech.mode = project::SpeechMode::Recording;
        QCOMPARE(estimateCost(document, usable("audio"), 2).videoSeconds, 10.0);
        QCOMPARE(estimateCost(document, {}, 2).videoSeconds, 0.0);
    }
};

LOQUOR_TEST(tst_readiness)
#include "tst_readiness.moc"
