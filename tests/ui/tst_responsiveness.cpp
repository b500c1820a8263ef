// The window answers: the event loop is never kept busy for long, whatever the user opens or makes.
#include <QComboBox>
#include <QImage>
#include <QSettings>

#include "core/base/trace.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/bridge/heartbeat.h"
#include "ui/preview/preview_panel.h"
#include "ui/preview/preview_widget.h"
#include "ui/settings/store_settings.h"

using namespace loquor;
using namespace loquor::ui;
using loquor::test::StudioFixture;

namespace {

// Milliseconds, of a plain build.
double longest()
{
    return 100 * test::slowdown();
}

// Works for so long (of the processor: on a busy machine the clock would count others) without going
// back to the event loop.
void work(double seconds)
{
    const double end = threadCpuSeconds() + seconds;
    while (threadCpuSeconds() < end) {
    }
}

#define EXPECT_LIVELY(heartbeat)                                                                          \
    do {                                                                                                  \
        QTest::qWait(120);                                                                                \
        for (const Heartbeat::Stall& stall : (heartbeat).stalls())                                        \
            qWarning("%.0f ms: %s, %.0f ms", stall.milliseconds, qPrintable(stall.what), stall.longest);  \
        QVERIFY2((heartbeat).worst() < longest(), qPrintable(QString("%1 ms").arg((heartbeat).worst()))); \
        (heartbeat).forget();                                                                             \
    } while (false)

} // namespace

class tst_responsiveness : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aStallIsNoticedAndNamed()
    {
        Heartbeat heartbeat;
        QTest::qWait(200);
        heartbeat.forget();
        auto* lazy = new QTimer(&heartbeat);
        lazy->setSingleShot(true);
        connect(lazy, &QTimer::timeout, this, [] { work(.3); });
        lazy->start(10);
        QTRY_VERIFY_WITH_TIMEOUT(!heartbeat.stalls().empty(), 60'000);
        const Heartbeat::Stall& stall = heartbeat.stalls().front();
        QVERIFY2(stall.what == "Timer of QTimer in loquor::ui::Heartbeat", qPrintable(stall.what));
        QVERIFY2(stall.longest >= 290, qPrintable(QString::number(stall.longest)));
        QVERIFY2(stall.milliseconds > 100 && stall.milliseconds < 1000 * test::slowdown(), qPrintable(QString::number(stall.milliseconds)));
        heartbeat.forget();
        QTest::qWait(300);
        QVERIFY(heartbeat.stalls().empty());
    }

    // The main flow, with pictures as large as in reality.
    void nothingKeepsTheWindowFromAnswering()
    {
        StudioFixture s;
        Heartbeat& heartbeat = s.window->heartbeat();
        s.session.pictureWidth = 1280;
        s.session.pictureHeight = 720;
        StudioFixture::settle();
        QTest::qWait(300);
        heartbeat.forget();

        // 100 megapixels on the disk; the engine shows at most 1280.
        QImage large(12'500, 8'000, QImage::Format_Mono);
        large.fill(1);
        QVERIFY(large.save(s.qpath("large.bmp")));
        session::CheckReport report;
        report.kind = "image";
        report.usable = true;
        report.width = 12'500;
        report.height = 8'000;
        report.faces = {test::faceAt(1, .4f, .2f, .3f)};
        s.session.setCheck(s.path("large.bmp"), report, test::drawPortrait(1280, 819));
        heartbeat.forget(); // the file was made here
        s.drop({s.qpath("large.bmp")});
        QTRY_VERIFY(!s.window->previewPanel().picture().still().isNull());
        s.window->model().edit(EditKind::Text, QStringLiteral("t"), [](project::Document& document) {
            test::setScript(document.scenes.front(), "Good evening. This is said.");
            document.scenes.front().reference.consentAt = "2026-11-30T10:00:00Z";
        });
        EXPECT_LIVELY(heartbeat);

        s.window->generate();
        s.session.begin(1500);
        for (int chunk = 0; chunk < 20; ++chunk) {
            s.session.makeFrames(75);
            QTest::qWait(20);
        }
        s.session.finish();
        EXPECT_LIVELY(heartbeat);

        for (int frame = 0; frame < 1500; frame += 37) {
            s.window->playback().seek(frame);
            QTest::qWait(5);
        }
        EXPECT_LIVELY(heartbeat);

        s.window->exportTo(s.qpath("out.mp4"));
        s.session.begin(1500);
        for (int chunk = 0; chunk < 20; ++chunk) {
            s.session.makeFrames(75);
            QTest::qWait(10);
        }
        s.session.finish();
        EXPECT_LIVELY(heartbeat);
    }

    // Written behind the UI thread, and read at once nevertheless.
    void settingsAreThereAtOnceAndOnTheDiskLater()
    {
        storeSettings([](QSettings& settings) { settings.setValue("test/word", "first"); });
        storeSettings([](QSettings& settings) { settings.setValue("test/word", "second"); });
        QCOMPARE(QSettings().value("test/word").toString(), QString("second"));
        StudioFixture::settle();
        QFile file(QSettings().fileName());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("word=second"));
    }
};

LOQUOR_TEST(tst_responsiveness)
#include "tst_responsiveness.moc"
