#include "ui/preview/timeline_widget.h"

#include <QImage>

#include "core/base/trace.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::ui;

class tst_timeline : public QObject
{
    Q_OBJECT

    // CPU seconds of one painting with the words of a speech of so many seconds.
    static double paintCost(int seconds, QImage& picture)
    {
        TimelineWidget timeline;
        timeline.resize(900, timeline.sizeHint().height());
        timeline.setProgress(25 * seconds, 25 * seconds);
        speech::Timing timing;
        for (int i = 0; 2 * i < 5 * seconds; ++i)
            timing.words.push_back({"word" + std::to_string(i), .4 * i, .4 * i + .3, 0, 0, 1});
        timeline.addWords(timing);
        for (int i = 0; i < seconds; ++i)
            timeline.addChunk(25);
        picture = QImage(timeline.size(), QImage::Format_RGB32);
        timeline.render(&picture); // fonts are loaded
        const double before = threadCpuSeconds();
        for (int i = 0; i < 5; ++i)
            timeline.render(&picture);
        return (threadCpuSeconds() - before) / 5;
    }

private Q_SLOTS:
    // The timeline is painted with every picture: three hours of words must not hold the window up.
    void hoursOfWordsPaintLikeMinutes()
    {
        QImage minute, hours;
        const double little = paintCost(60, minute), much = paintCost(3 * 3600, hours);
        QVERIFY2(much < .015 + 2 * little, qPrintable(QString("%1 ms, %2 ms").arg(1e3 * little).arg(1e3 * much)));
        // Marks and words are still there, and so is the colour of the bar between them.
        QVERIFY(minute != hours);
        QVERIFY(hours.pixel(450, hours.height() - 8) != 0);
    }
};

LOQUOR_TEST(tst_timeline)
#include "tst_timeline.moc"
