#include "ui/timeline/timeline_view.h"

#include <QImage>
#include <QSignalSpy>
#include <QWheelEvent>

#include "core/base/trace.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::ui;

namespace {

// Lines of four seconds with ten words and two chunks, a tenth of them stale.
std::shared_ptr<const TimelineLayout> layoutOf(int seconds)
{
    std::vector<LayoutLine> lines;
    for (int i = 0; 4 * i < seconds; ++i) {
        LayoutLine line;
        line.id = static_cast<std::uint64_t>(i) + 1;
        line.number = i + 1;
        line.label = QStringLiteral("This is line %1 of a long speech.").arg(i + 1);
        line.frames = 100;
        line.isMeasured = true;
        line.look = i % 10 == 3 ? Look::Stale : Look::Ready;
        line.grid = {60, 40};
        line.chunksMade = line.look == Look::Ready ? 2 : 0;
        line.joinFrames = i > 0 ? 6 : 0;
        line.isJoined = line.look == Look::Ready;
        std::vector<speech::Word> words;
        for (int w = 0; w < 10; ++w)
            words.push_back({"word" + std::to_string(w), .4 * w, .4 * w + .3, 0, 0, 1});
        line.words = std::make_shared<const std::vector<speech::Word>>(std::move(words));
        lines.push_back(std::move(line));
    }
    return std::make_shared<const TimelineLayout>(Rational{25, 1}, std::move(lines));
}

} // namespace

class tst_timeline : public QObject
{
    Q_OBJECT

    // CPU seconds of one painting of a speech of so many seconds; `zoom`: so many times more than all of it.
    static double paintCost(int seconds, double zoom, QImage& picture)
    {
        TimelineView timeline;
        timeline.resize(1400, timeline.sizeHint().height());
        timeline.setTimeLayout(layoutOf(seconds));
        if (zoom > 1)
            timeline.zoom(zoom, 700);
        picture = QImage(timeline.size(), QImage::Format_RGB32);
        timeline.render(&picture); // fonts are loaded
        const double before = threadCpuSeconds();
        for (int i = 0; i < 5; ++i)
            timeline.render(&picture);
        return (threadCpuSeconds() - before) / 5;
    }

private Q_SLOTS:
    // The timeline is painted with every picture: two hours of words must not hold the window up, at any zoom.
    void hoursPaintLikeMinutes()
    {
        QImage minute, hours;
        const double little = paintCost(60, 1, minute);
        for (const double zoom : {1.0, 10.0, 100.0, 1000.0}) {
            const double much = paintCost(2 * 3600, zoom, hours);
            QVERIFY2(much < .015 + 3 * little, qPrintable(QString("zoom %1: %2 ms, %3 ms").arg(zoom).arg(1e3 * little).arg(1e3 * much)));
        }
        QVERIFY(minute != hours);
    }

    void itFitsUntilItIsZoomed()
    {
        TimelineView timeline;
        timeline.resize(1000, 120);
        timeline.setTimeLayout(layoutOf(400));
        QVERIFY(timeline.contentWidth() <= 1000.5);
        timeline.setTimeLayout(layoutOf(800)); // more lines still fit
        QVERIFY(timeline.contentWidth() <= 1000.5);
        const FrameIndex under = timeline.frameAt(300);
        timeline.zoom(4, 300);
        QVERIFY(std::abs(timeline.frameAt(300) - under) <= 1); // zooms on the pointer
        QVERIFY(!timeline.isFitted());
        QVERIFY(timeline.contentWidth() > 3000);
        timeline.setOffset(1e9);
        QVERIFY(std::abs(timeline.offset() + 1000 - timeline.contentWidth()) < 1);
        timeline.setValue(5); // the playhead comes into sight
        QVERIFY(timeline.offset() < 1000);
        QTest::keyClick(&timeline, Qt::Key_0);
        QVERIFY(timeline.isFitted());
        QCOMPARE(timeline.offset(), 0.0);
        QTest::keyClick(&timeline, Qt::Key_Plus);
        QVERIFY(!timeline.isFitted());
    }

    void clicksScrubAndFailedChunksAreTriedAgain()
    {
        TimelineView timeline;
        timeline.resize(1000, 120);
        std::vector<LayoutLine> lines = layoutOf(8)->lines();
        lines[1].look = Look::Failed;
        lines[1].chunksMade = 1;
        timeline.setTimeLayout(std::make_shared<const TimelineLayout>(Rational{25, 1}, lines));
        QSignalSpy scrubbed(&timeline, &TimelineView::scrubbed), retry(&timeline, &TimelineView::retryRequested);
        QTest::mouseClick(&timeline, Qt::LeftButton, {}, QPoint(250, 75));
        QCOMPARE(scrubbed.count(), 1);
        QVERIFY(std::abs(scrubbed[0][0].toInt() - 50) <= 1);
        QCOMPARE(retry.count(), 0);
        QTest::mouseClick(&timeline, Qt::LeftButton, {}, QPoint(750, 75));
        QCOMPARE(retry.count(), 1);
        QVERIFY(timeline.accessibleDescription().contains("1 of 2 lines"));
    }

    void nothingIsNoCrash()
    {
        TimelineView timeline;
        timeline.resize(300, 100);
        QTest::mouseClick(&timeline, Qt::LeftButton, {}, QPoint(100, 50));
        timeline.zoom(3, 10);
        timeline.grab();
        timeline.setTimeLayout(std::make_shared<const TimelineLayout>());
        timeline.grab();
        QVERIFY(!timeline.isEnabled());
    }
};

LOQUOR_TEST(tst_timeline)
#include "tst_timeline.moc"
