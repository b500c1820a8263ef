#include "core/base/check.h"
#include "core/base/random.h"
#include "core/pipeline/chunk_plan.h"
#include "core/pipeline/line_grid.h"
#include "core/pipeline/playback_order.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <set>

using namespace loquor;
using namespace loquor::pipeline;

namespace {

constexpr JoinNumbers kPortrait{6, 2, 2, JoinAt::Lines};

std::vector<ChunkSpec> drain(ChunkPlan& plan)
{
    std::vector<ChunkSpec> out;
    while (auto chunk = plan.next())
        out.push_back(*chunk);
    return out;
}

ChunkPlan linePlan(JoinNumbers joins = kPortrait, ChunkNumbers numbers = {8, 25})
{
    return {{25, 1}, 16000, numbers, 5, {GridMode::Lines, joins}};
}

std::vector<ChunkSpec> planOf(const std::vector<FrameIndex>& lines, JoinNumbers joins = kPortrait)
{
    ChunkPlan plan = linePlan(joins);
    std::vector<ChunkSpec> out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool added = bool(plan.addLine({100 + i, static_cast<int>(i) + 1, 640 * lines[i],
                                              i + 1 == lines.size(), false, lines[i]}));
        LOQUOR_CHECK(added);
        for (const ChunkSpec& chunk : drain(plan))
            out.push_back(chunk);
    }
    LOQUOR_CHECK(plan.isFinished());
    return out;
}

std::string order(const std::vector<ChunkSpec>& chunks)
{
    std::string out;
    int made = 0;
    for (const ChunkSpec& chunk : chunks) {
        out += out.empty() ? "" : " ";
        out += toString(chunk.kind);
        out += std::to_string(chunk.kind == ChunkKind::N ? made++ : made - 2);
    }
    return out;
}

} // namespace

class tst_joins : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void execution_order_is_n0_n1_i0_n2_i1()
    {
        QCOMPARE(order(planOf({8, 8, 8, 8})), std::string("N0 N1 I0 N2 I1 N3 I2"));
        QCOMPARE(order(planOf({8, 58, 8})), std::string("N0 N1 I0 N2 N3 N4 I3"));
        const JoinNumbers everywhere{6, 2, 2, JoinAt::Chunks};
        QCOMPARE(order(planOf({58, 8}, everywhere)), std::string("N0 N1 I0 N2 I1 N3 I2"));
        QCOMPARE(order(planOf({58, 8}, {})), std::string("N0 N1 N2 N3"));
    }

    void a_join_knows_its_neighbours()
    {
        const auto chunks = planOf({33, 40});
        const ChunkSpec& left = chunks[1];
        const ChunkSpec& right = chunks[2];
        const ChunkSpec& join = chunks[3];
        QCOMPARE(join.kind, ChunkKind::I);
        QCOMPARE(join.index, 3);
        QCOMPARE(join.leftChunk, left.index);
        QCOMPARE(join.rightChunk, right.index);
        QCOMPARE(join.frames, 6);
        QCOMPARE(join.joinFrames, 6);
        QCOMPARE(right.joinFrames, 6);
        QCOMPARE(left.joinFrames, 0);
        QCOMPARE(join.firstFrame, FrameIndex(33));
        QCOMPARE(join.frameInLine, FrameIndex(0));
        QCOMPARE(join.lineId, right.lineId);
        QCOMPARE(join.samples, SampleIndex(0));
        QVERIFY(!join.endsRun && !join.endsLine);
        QCOMPARE(join.anchorsLeft, 2);
        QCOMPARE(join.anchorsRight, 2);
        QVERIFY(join.seed != right.seed && join.seed != left.seed);
    }

    void playback_order_shows_every_frame_once()
    {
        for (const JoinAt at : {JoinAt::None, JoinAt::Lines, JoinAt::Chunks}) {
            const auto chunks = planOf({40, 1, 2, 7, 8, 9, 33, 34, 100}, {6, 2, 2, at});
            FrameIndex next = 0;
            for (const ShownPart& part : playbackOrder(chunks)) {
                QCOMPARE(part.at, next);
                QVERIFY(part.frames > 0);
                next += part.frames;
            }
            QCOMPARE(next, FrameIndex(234));
        }
        const auto parts = playbackOrder(planOf({33, 40}));
        QCOMPARE(parts[2], (ShownPart{3, 0, 6, 33})); // the join, though made after its neighbour
        QCOMPARE(parts[3], (ShownPart{2, 6, 2, 39}));
    }

    void short_lines_keep_their_anchors()
    {
        // A line of two frames is all anchors: nothing to replace.
        auto chunks = planOf({8, 2, 8});
        QCOMPARE(order(chunks), std::string("N0 N1 N2 I1"));
        QCOMPARE(chunks[1].joinFrames, 0);
        // One of five leaves three.
        chunks = planOf({8, 5, 8});
        QCOMPARE(chunks[2].frames, 3);
        // A line of one frame offers one anchor.
        chunks = planOf({1, 8});
        QCOMPARE(chunks[2].anchorsLeft, 1);
        // The last chunk of a line holds the anchors of the join behind it.
        for (FrameIndex frames = 3; frames < 120; ++frames) {
            const auto line = planOf({frames, 8});
            const auto last = std::find_if(line.begin(), line.end(), [](const ChunkSpec& c) { return c.endsLine; });
            QVERIFY2(last->frames >= 2, qPrintable(QString::number(frames)));
            QVERIFY(std::all_of(line.begin(), line.end(), [](const ChunkSpec& c) { return c.frames <= 25; }));
        }
    }

    void every_line_counts_from_its_own_start()
    {
        ChunkPlan plan({30000, 1001}, 44100, {8, 25}, 5, {GridMode::Lines, kPortrait});
        QVERIFY(plan.addLine({1, 1, 100'000, false}));
        const auto first = drain(plan);
        QVERIFY(plan.addLine({2, 2, 100'000, true}));
        auto second = drain(plan);
        std::erase_if(second, [](const ChunkSpec& c) { return c.kind == ChunkKind::I; });
        QCOMPARE(first.size(), second.size());
        for (std::size_t i = 0; i < first.size(); ++i) {
            QCOMPARE(second[i].frameInLine, first[i].frameInLine);
            QCOMPARE(second[i].sampleInLine, first[i].sampleInLine);
            QCOMPARE(second[i].frames, first[i].frames);
            QCOMPARE(second[i].samples, first[i].samples);
            QCOMPARE(second[i].firstSample, first[i].firstSample + 100'000);
            QCOMPARE(second[i].sampleInLine, firstSampleOf(second[i].frameInLine, 44100, {30000, 1001}));
        }
        QVERIFY(first[0].startsLine && !first[1].startsLine);
        QCOMPARE(second[0].frames, 8);
        QCOMPARE(plan.samplesPlanned(), SampleIndex(200'000));
    }

    void frames_of_a_line_hold_its_sound()
    {
        const Rational fps{24000, 1001};
        for (const int rate : {16000, 22050, 44100, 48000}) {
            for (FrameIndex frames : {1, 2, 7, 100, 1439}) {
                const SampleIndex most = samplesOfLine(frames, rate, fps);
                QCOMPARE(framesOfLine(most, rate, fps), frames);
                QCOMPARE(framesOfLine(most + 1, rate, fps), frames + 1);
                // A piece of a recording, cut on its frames, is one sample shorter at times.
                for (FrameIndex start : {1, 17, 1000}) {
                    const SampleIndex piece = firstSampleOf(start + frames, rate, fps) - firstSampleOf(start, rate, fps);
                    QVERIFY(piece == most || piece == most - 1);
                    QCOMPARE(framesOfLine(piece, rate, fps), frames);
                }
            }
        }
        QCOMPARE(framesOfLine(0, 16000, fps), FrameIndex(0));
    }

    void silence_fills_a_line_longer_than_its_sound()
    {
        ChunkPlan plan = linePlan();
        QVERIFY(plan.addLine({1, 1, 640 * 10 + 5, true, false, 60}));
        SampleIndex samples = 0;
        FrameIndex frames = 0;
        for (const ChunkSpec& chunk : drain(plan)) {
            QVERIFY(chunk.samples >= 0);
            samples += chunk.samples;
            frames += chunk.frames;
        }
        QCOMPARE(samples, SampleIndex(640 * 10 + 5));
        QCOMPARE(frames, FrameIndex(60));
        ChunkPlan other = linePlan();
        const auto tooMuch = other.addLine({1, 1, 640 * 10 + 1, true, false, 10});
        QVERIFY(!tooMuch);
        QVERIFY(tooMuch.error().message().find("more sound than its 10 frames") != std::string::npos);
    }

    void pieces_of_a_line_join_nothing_inside_it()
    {
        ChunkPlan plan = linePlan();
        QVERIFY(plan.addLine({1, 1, 640 * 20, false}));
        drain(plan);
        QVERIFY(plan.addLine({2, 2, 640 * 20, false}));
        QCOMPARE(order(drain(plan)), std::string("N0 I-1 N1"));
        QVERIFY(plan.addLine({2, 2, 640 * 20 + 3, false, true}));
        const auto piece = drain(plan);
        QCOMPARE(piece[0].kind, ChunkKind::N);
        QCOMPARE(piece[0].frameInLine, FrameIndex(20));
        QCOMPARE(piece[0].sampleInLine, SampleIndex(640 * 20));
        QVERIFY(!piece[0].startsLine);
        const auto ragged = plan.addLine({2, 2, 640, false, true});
        QVERIFY(!ragged);
        QCOMPARE(ragged.error().code(), ErrorCode::InvalidArgument);
        QVERIFY(plan.addLine({3, 3, 640, true}));
    }

    void an_edit_leaves_other_lines_alone()
    {
        const auto before = planOf({40, 40, 40});
        const auto after = planOf({40, 77, 40});
        const auto lastOf = [](std::vector<ChunkSpec> chunks) {
            std::erase_if(chunks, [](const ChunkSpec& c) { return c.lineId != 102 || c.kind == ChunkKind::I; });
            for (ChunkSpec& chunk : chunks) {
                chunk.index = 0;
                chunk.firstFrame = chunk.firstSample = 0; // places in the run, not in the line
            }
            return chunks;
        };
        QVERIFY(lastOf(before) == lastOf(after));
        QCOMPARE(lastOf(before).size(), std::size_t(3));
    }

    // 13: frames rounded down to a multiple of the model's number, and the sound cut with them.
    void case_013_nothing_is_cut_to_a_multiple_of_the_chunk()
    {
        for (FrameIndex frames = 1; frames < 80; ++frames) {
            for (const SampleIndex missing : {0, 1, 639}) { // a last frame that is not full
                ChunkPlan plan = linePlan();
                const SampleIndex samples = 640 * frames - missing;
                QVERIFY(plan.addLine({1, 1, samples, true}));
                SampleIndex heard = 0;
                FrameIndex seen = 0;
                for (const ChunkSpec& chunk : drain(plan)) {
                    QCOMPARE(chunk.sampleInLine, heard);
                    QCOMPARE(chunk.frameInLine, seen);
                    heard += chunk.samples;
                    seen += chunk.frames;
                }
                QCOMPARE(heard, samples);
                QCOMPARE(seen, frames);
            }
        }
    }

    // 112: a hard limit met by accident. One line of any length becomes as many chunks as it needs.
    void case_112_long_lines_chain_by_themselves()
    {
        ChunkPlan plan = linePlan();
        constexpr FrameIndex kHour = 25 * 3600;
        QVERIFY(plan.addLine({1, 1, 640 * kHour, true}));
        FrameIndex seen = 0;
        int chunks = 0;
        while (const auto chunk = plan.next()) {
            seen += chunk->frames;
            ++chunks;
        }
        QCOMPARE(seen, kHour);
        QCOMPARE(chunks, 1 + (kHour - 8 + 24) / 25);
    }

    // 20: 15 frames off when rates were converted. The same sound lasts as long at every rate.
    void case_020_every_rate_gives_the_same_length()
    {
        constexpr SampleIndex kSound = SampleIndex(5400) * 48'000 + 777;
        for (const char* name : {"23.976", "25", "29.97", "30", "50", "59.94", "60"}) {
            const Rational fps = *Rational::parse(name);
            ChunkPlan plan(fps, 48'000, {8, 25}, 1, {GridMode::Lines, kPortrait});
            QVERIFY(plan.addLine({1, 1, kSound, true}));
            const FrameIndex frames = plan.framesPlanned();
            QVERIFY(firstSampleOf(frames, 48'000, fps) >= kSound);
            QVERIFY(firstSampleOf(frames - 1, 48'000, fps) < kSound);
        }
    }

    // 19: exact frame counts over two hours, at every rate, on both grids, in constant memory.
    void case_019_two_hours_have_exactly_their_frames_data()
    {
        QTest::addColumn<QString>("fps");
        for (const char* fps : {"23.976", "25", "29.97", "30", "50", "59.94", "60"})
            QTest::newRow(fps) << QString(fps);
    }
    void case_019_two_hours_have_exactly_their_frames()
    {
        QFETCH(QString, fps);
        const Rational rate = *Rational::parse(fps.toStdString());
        constexpr int kHertz = 44100;
        constexpr SampleIndex kTwoHours = SampleIndex(7200) * kHertz + 1; // one sample beyond
        for (const GridMode grid : {GridMode::Run, GridMode::Lines}) {
            ChunkPlan plan(rate, kHertz, {8, 25}, 9, {grid, kPortrait});
            PlaybackSequence sequence;
            std::vector<ShownPart> parts;
            Random random(3);
            SampleIndex start = 0;
            FrameIndex startFrame = 0, shown = 0, made = 0;
            for (int line = 1; !plan.isFinished(); ++line) {
                SampleIndex samples = kHertz * 2 + static_cast<SampleIndex>(random.uniform() * kHertz * 6);
                const bool last = start + samples >= kTwoHours;
                samples = last ? kTwoHours - start
                               : samples + paddingToFrame(start, samples, kHertz, rate);
                const FrameIndex end = last ? framesCovering(kTwoHours, kHertz, rate)
                                            : frameOf(start + samples, kHertz, rate);
                const FrameIndex frames = grid == GridMode::Lines ? end - startFrame : 0;
                QVERIFY(plan.addLine({static_cast<std::uint64_t>(line), line, samples, last, false, frames}));
                while (const auto chunk = plan.next()) {
                    made += chunk->kind == ChunkKind::N ? chunk->frames : 0;
                    parts.clear();
                    sequence.add(*chunk, parts);
                    for (const ShownPart& part : parts) {
                        QCOMPARE(part.at, shown);
                        shown += part.frames;
                    }
                }
                start += samples;
                startFrame = end;
            }
            // ceil(samples x fps / rate), in integers
            const auto product = kTwoHours * rate.num;
            const auto divisor = kHertz * rate.den;
            const FrameIndex exact = (product + divisor - 1) / divisor;
            QCOMPARE(made, exact);
            QCOMPARE(shown, exact);
            QCOMPARE(plan.framesPlanned(), exact);
            QCOMPARE(plan.samplesPlanned(), kTwoHours);
            QVERIFY(!sequence.isWaiting());
        }
    }
};

LOQUOR_TEST(tst_joins)
#include "tst_joins.moc"
