#include "core/pipeline/line_grid.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <vector>

using namespace loquor;
using namespace loquor::pipeline;

namespace {

std::vector<float> tone(double seconds, int rate)
{
    std::vector<float> out(static_cast<std::size_t>(seconds * rate));
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = 0.5f * static_cast<float>(std::sin(static_cast<double>(i) * 0.17));
    return out;
}

} // namespace

class tst_linegrid : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void padding_ends_on_a_frame()
    {
        const Rational fps{30000, 1001};
        SampleIndex start = 0;
        for (SampleIndex samples : {1, 735, 736, 22050, 100001}) {
            const SampleIndex pad = paddingToFrame(start, samples, 22050, fps);
            QVERIFY(pad >= 0 && pad < 737);
            const SampleIndex end = start + samples + pad;
            QCOMPARE(firstSampleOf(frameOf(end, 22050, fps), 22050, fps), end);
            QCOMPARE(frameOf(end, 22050, fps), frameOf(start + samples - 1, 22050, fps) + 1);
            start = end;
        }
        QCOMPARE(paddingToFrame(0, 640, 16000, {25, 1}), SampleIndex(0));
    }

    void cuts_in_the_pause()
    {
        const int rate = 16000;
        std::vector<float> sound = tone(30, rate);
        for (int i = 6 * rate; i < 6 * rate + rate / 2; ++i)
            sound[static_cast<std::size_t>(i)] = 0;
        const SampleIndex cut = cutAtPause(sound, 0, rate, {25, 1});
        QVERIFY(cut > 6 * rate && cut < 6 * rate + rate / 2);
        QCOMPARE(cut % 640, SampleIndex(0));
    }

    void short_rests_stay_whole_and_pieces_add_up()
    {
        const int rate = 16000;
        const std::vector<float> sound = tone(47.3, rate);
        SampleIndex start = 0;
        const auto total = static_cast<SampleIndex>(sound.size());
        int lines = 0;
        while (start < total) {
            const SampleIndex left = total - start;
            const auto window = static_cast<std::size_t>(std::min<SampleIndex>(left, 20 * rate));
            const std::span<const float> part(sound.data() + start, window);
            const SampleIndex cut = cutAtPause(part, start, rate, {25, 1});
            QVERIFY(cut > 0 && cut <= left);
            if (cut < left) {
                QVERIFY(cut >= 4 * rate && cut <= 10 * rate);
                QCOMPARE((start + cut) % 640, SampleIndex(0));
            }
            start += cut;
            ++lines;
        }
        QCOMPARE(start, total);
        QVERIFY(lines >= 5);
        QCOMPARE(cutAtPause(std::span(sound).first(100), 0, rate, {25, 1}), SampleIndex(100));
    }
};

LOQUOR_TEST(tst_linegrid)
#include "tst_linegrid.moc"
