#include "core/stages/refinement_stage.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <limits>

using namespace loquor;
using namespace loquor::stages;
using portrait::Motion;
using portrait::Param;

namespace {

pipeline::ChunkSpec chunkOf(int frames, FrameIndex first = 0)
{
    pipeline::ChunkSpec out;
    out.frames = frames;
    out.firstFrame = first;
    return out;
}

Result<ChunkMotion> refined(RefinementStage& stage, const pipeline::ChunkSpec& chunk, ChunkMotion in)
{
    ChunkMotion out;
    LQ_CHECKED(stage.run(chunk, std::move(in),
                         [&out](ChunkMotion motion) {
                             out = std::move(motion);
                             return true;
                         },
                         {}));
    return out;
}

} // namespace

class tst_refinementstage : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void values_stay_in_range()
    {
        RefinementStage stage({25, 1});
        ChunkMotion in;
        in.frames.resize(2);
        in.frames[0][Param::Jaw] = 9;
        in.frames[0][Param::GazeX] = -9;
        in.frames[1][Param::Yaw] = 90;
        in.frames[1][Param::Pucker] = .5f;
        const auto out = refined(stage, chunkOf(2), in);
        QVERIFY(out);
        QVERIFY(out->frames[0][Param::Jaw] <= 1.2f);
        QCOMPARE(out->frames[0][Param::GazeX], -1.f);
        QCOMPARE(out->frames[1][Param::Yaw], 12.f);
        QCOMPARE(out->frames[1][Param::Pucker], .5f);
    }

    // 80, 139: numbers that are none end the run and are named.
    void case_080_139_not_a_number_is_named()
    {
        RefinementStage stage({25, 1});
        for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
            ChunkMotion in;
            in.frames.resize(3);
            in.frames[2][Param::Roll] = bad;
            const auto out = refined(stage, chunkOf(3, 40), in);
            QVERIFY(!out);
            QVERIFY(out.error().message().find("frame 42") != std::string::npos);
        }
    }

    void lips_meet_in_every_bilabial_and_only_there()
    {
        RefinementStage stage({25, 1});
        ChunkMotion in;
        in.frames.resize(10);
        // clang-format off
        in.sounds = {{"p", .10, .14, 1, false}, {"a", .14, .26, 1, false}, {"m", .26, .34, 1, false},
                     {"b", .9, 1.0, 1, false}}; // the last one lies beyond this chunk
        // clang-format on
        const auto out = refined(stage, chunkOf(10), in);
        QVERIFY(out);
        for (int i = 0; i < 10; ++i) {
            const bool closed = out->frames[static_cast<std::size_t>(i)][Param::Close] >= .9f;
            QCOMPARE(closed, i == 3 || i == 7);
        }
        QCOMPARE(stage.closuresHelped(), 2);
    }

    void chunks_do_not_matter()
    {
        RefinementStage stage({25, 1});
        ChunkMotion whole;
        whole.frames.resize(12);
        whole.sounds = {{"b", .2, .28, 1, false}, {"m", .30, .42, 1, false}};
        for (std::size_t i = 0; i < 12; ++i)
            whole.frames[i][Param::Jaw] = static_cast<float>(i) / 8;
        const auto expected = refined(stage, chunkOf(12), whole);
        QVERIFY(expected);
        for (int first = 0; first < 12; first += 5) {
            ChunkMotion part = whole;
            const int count = std::min(5, 12 - first);
            part.frames.assign(whole.frames.begin() + first, whole.frames.begin() + first + count);
            const auto out = refined(stage, chunkOf(count, first), part);
            QVERIFY(out);
            for (int i = 0; i < count; ++i)
                QVERIFY(out->frames[static_cast<std::size_t>(i)] ==
                        expected->frames[static_cast<std::size_t>(first + i)]);
        }
    }
};

LOQUOR_TEST(tst_refinementstage)
#include "tst_refinementstage.moc"
