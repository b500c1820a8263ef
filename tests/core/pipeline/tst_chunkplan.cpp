#include "core/base/random.h"
#include "core/pipeline/chunk_plan.h"
#include "core/pipeline/line_grid.h"
#include "tests/support/test_main.h"

#include <set>

using namespace loquor;
using namespace loquor::pipeline;

namespace {

// Takes every chunk of the plan's current line.
std::vector<ChunkSpec> drain(ChunkPlan& plan)
{
    std::vector<ChunkSpec> out;
    while (auto chunk = plan.next())
        out.push_back(*chunk);
    return out;
}

} // namespace

class tst_chunkplan : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // What is certain of a line that is still being said stays so, however long it gets.
    void certain_chunks_do_not_depend_on_what_follows()
    {
        const auto planOf = [](FrameIndex frames) {
            ChunkPlan plan({25, 1}, 48000, {8, 25}, 7, {GridMode::Lines, {6, 2, 2, JoinAt::Lines}});
            LineSpec line;
            line.frames = frames;
            line.samples = firstSampleOf(frames, 48000, {25, 1});
            line.isLast = true;
            if (!plan.addLine(line))
                throw std::runtime_error("no plan");
            return plan;
        };
        int certain = 0;
        for (FrameIndex known = 1; known < 90; ++known) {
            for (FrameIndex more = 0; more < 40; ++more) {
                ChunkPlan partial = planOf(known), whole = planOf(known + more);
                while (partial.isNextCertain()) {
                    QVERIFY(partial.next() == whole.next());
                    ++certain;
                }
            }
        }
        QVERIFY(certain > 2000);
        QVERIFY(planOf(10).isNextCertain());
        QVERIFY(!planOf(9).isNextCertain()); // one frame is no end of a line that anchors a join
    }

    // 10: extra seconds at the end. 13: cut speech. 16: a ledger maps samples to frames once.
    void case_010_and_016_samples_and_frames_are_covered_once_data()
    {
        QTest::addColumn<int>("rate");
        QTest::addColumn<int>("num");
        QTest::addColumn<int>("den");
        for (int rate : {8000, 16000, 22050, 44100, 48000}) {
            for (auto [num, den] : {std::pair{25, 1}, {30000, 1001}, {24000, 1001}, {60, 1}, {1, 1}})
                QTest::addRow("%d Hz, %d/%d", rate, num, den) << rate << num << den;
        }
    }
    void case_010_and_016_samples_and_frames_are_covered_once()
    {
        QFETCH(int, rate);
        QFETCH(int, num);
        QFETCH(int, den);
        const Rational fps = Rational::make(num, den);
        ChunkPlan plan(fps, rate, {8, 25}, 7);
        Random random(42);
        SampleIndex start = 0;
        SampleIndex nextSample = 0;
        FrameIndex nextFrame = 0;
        for (int line = 1; line <= 30; ++line) {
            SampleIndex samples = 1 + static_cast<SampleIndex>(random.uniform() * rate * 6);
            const bool last = line == 30;
            if (!last)
                samples += paddingToFrame(start, samples, rate, fps);
            QVERIFY(plan.addLine({static_cast<std::uint64_t>(line), line, samples, last}));
            for (const ChunkSpec& chunk : drain(plan)) {
                QCOMPARE(chunk.firstFrame, nextFrame);
                QCOMPARE(chunk.firstSample, nextSample);
                QVERIFY(chunk.frames >= 1 && chunk.frames <= 25);
                QVERIFY(chunk.samples >= (chunk.endsRun ? 0 : 1));
                nextFrame += chunk.frames;
                nextSample += chunk.samples;
                QCOMPARE(frameOf(chunk.firstSample, rate, fps), chunk.firstFrame);
            }
            start += samples;
        }
        QVERIFY(plan.isFinished());
        QCOMPARE(nextSample, start);
        QCOMPARE(nextFrame, framesCovering(start, rate, fps));
    }

    void lines_start_their_own_grid()
    {
        ChunkPlan plan({25, 1}, 16000, {8, 25}, 1);
        QVERIFY(plan.addLine({11, 1, 640 * 60, false}));
        const auto first = drain(plan);
        QCOMPARE(first.size(), std::size_t(4)); // 8 + 25 + 25 + 2
        QCOMPARE(first[0].frames, 8);
        QCOMPARE(first[3].frames, 2);
        QVERIFY(first[3].endsLine && !first[3].endsRun);
        QVERIFY(plan.needsLine());
        QVERIFY(plan.addLine({12, 2, 640 * 26 + 1, true}));
        const auto second = drain(plan);
        QCOMPARE(second[0].firstFrame, FrameIndex(60));
        QCOMPARE(second[0].frames, 25);
        QCOMPARE(second[0].indexInLine, 0);
        QCOMPARE(second[0].index, 4);
        QCOMPARE(second[1].frames, 2);
        QVERIFY(second[1].endsRun);
        QCOMPARE(second[1].samples, SampleIndex(641));
        QVERIFY(!plan.needsLine() && plan.isFinished());
    }

    void seeds_belong_to_the_line_not_to_its_place()
    {
        ChunkPlan one({25, 1}, 16000, {25, 25}, 5);
        QVERIFY(one.addLine({77, 1, 64000, true}));
        ChunkPlan two({25, 1}, 16000, {25, 25}, 5);
        QVERIFY(two.addLine({1, 1, 32000, false}));
        drain(two);
        QVERIFY(two.addLine({77, 2, 64000, true}));
        const auto a = drain(one);
        const auto b = drain(two);
        QCOMPARE(a.size(), b.size());
        std::set<std::uint64_t> seeds;
        for (std::size_t i = 0; i < a.size(); ++i) {
            QCOMPARE(a[i].seed, b[i].seed);
            seeds.insert(a[i].seed);
        }
        QCOMPARE(seeds.size(), a.size());
    }

    void pieces_of_a_line_count_on()
    {
        ChunkPlan plan({25, 1}, 16000, {25, 25}, 5);
        QVERIFY(plan.addLine({9, 1, 640 * 30, false}));
        const auto first = drain(plan);
        QVERIFY(plan.addLine({9, 1, 640 * 30, true, true}));
        const auto second = drain(plan);
        QCOMPARE(first.back().indexInLine, 1);
        QCOMPARE(second.front().indexInLine, 2);
        QVERIFY(second.front().seed != first.front().seed);
    }

    void refuses_what_would_break_the_timeline()
    {
        ChunkPlan plan({25, 1}, 16000, {8, 25}, 1);
        auto ragged = plan.addLine({1, 1, 641, false});
        QVERIFY(!ragged);
        QCOMPARE(ragged.error().code(), ErrorCode::InvalidArgument);
        QVERIFY(ragged.error().message().find("frame boundary") != std::string::npos);
        QVERIFY(!plan.addLine({1, 1, 0, false}));
        QVERIFY(plan.addLine({1, 1, 640, true}));
        drain(plan);
        QVERIFY(!plan.addLine({2, 2, 640, true}));
    }

    // 19: a 90-minute film at 29.97 ended 21 frames off.
    void case_019_two_hours_at_29_97_lose_nothing()
    {
        const Rational fps{30000, 1001};
        const int rate = 44100;
        ChunkPlan plan(fps, rate, {8, 25}, 1);
        SampleIndex start = 0;
        FrameIndex frames = 0;
        for (int line = 1; line <= 1000; ++line) {
            SampleIndex samples = 7 * rate + 200 + line;
            samples += paddingToFrame(start, samples, rate, fps);
            QVERIFY(plan.addLine({static_cast<std::uint64_t>(line), line, samples, line == 1000}));
            for (const ChunkSpec& chunk : drain(plan))
                frames += chunk.frames;
            start += samples;
        }
        QVERIFY(start > SampleIndex(7000) * rate);
        QCOMPARE(frames, framesCovering(start, rate, fps));
        QCOMPARE(plan.samplesPlanned(), start);
    }
};

LOQUOR_TEST(tst_chunkplan)
#include "tst_chunkplan.moc"
