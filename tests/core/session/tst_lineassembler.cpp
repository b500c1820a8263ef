#include "core/base/random.h"
#include "core/session/line_assembler.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;

class tst_lineassembler : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // 13, 16: whole frames, no sample lost, doubled or changed.
    void case_013_016_pieces_join_to_the_whole_data()
    {
        QTest::addColumn<int>("rate");
        QTest::addColumn<int>("num");
        QTest::addColumn<int>("channels");
        QTest::newRow("25") << 22050 << 25000 << 1;
        QTest::newRow("29.97") << 44100 << 29970 << 2;
        QTest::newRow("12.5") << 8000 << 12500 << 1;
    }
    void case_013_016_pieces_join_to_the_whole()
    {
        QFETCH(int, rate);
        QFETCH(int, num);
        QFETCH(int, channels);
        const Rational fps = Rational::make(num, 1000);
        LineAssembler assembler(rate, channels, fps);
        Random random(3);
        std::vector<float> all, got;
        for (int i = 0; i < 40; ++i) {
            AudioBlock block{rate, channels, {}};
            block.samples.resize(static_cast<std::size_t>(1 + random.uniform() * 3000) * static_cast<std::size_t>(channels));
            for (float& sample : block.samples)
                sample = static_cast<float>(random.uniform());
            all.insert(all.end(), block.samples.begin(), block.samples.end());
            assembler.add(block);
            const AudioBlock piece = assembler.takeWhole();
            got.insert(got.end(), piece.samples.begin(), piece.samples.end());
            const SampleIndex at = assembler.start();
            QCOMPARE(firstSampleOf(frameOf(at, rate, fps), rate, fps), at); // a frame boundary
            QVERIFY(assembler.end() - at <= rate * 1000 / num + 1);
        }
        const AudioBlock rest = assembler.takeAll();
        got.insert(got.end(), rest.samples.begin(), rest.samples.end());
        QVERIFY(got == all);
    }

    void pauses_end_on_a_frame()
    {
        LineAssembler assembler(22050, 1, {25, 1});
        assembler.padToFrame();
        QCOMPARE(assembler.end(), SampleIndex(0));
        assembler.add({22050, 1, std::vector<float>(1000, 1.f)});
        assembler.addSilence(.2);
        QCOMPARE(assembler.end(), SampleIndex(5410));
        assembler.padToFrame();
        QCOMPARE(assembler.end(), SampleIndex(6174)); // 7 frames of 882
        const AudioBlock piece = assembler.takeWhole();
        QCOMPARE(piece.frames(), std::int64_t(6174));
        QCOMPARE(piece.samples[999], 1.f);
        QCOMPARE(piece.samples[1000], 0.f);
        QVERIFY(assembler.takeAll().samples.empty());
    }
};

LOQUOR_TEST(tst_lineassembler)
#include "tst_lineassembler.moc"
