#include "core/stages/backdrop.h"
#include "core/stages/decode_stage.h"
#include "core/stages/frame_painter.h"
#include "core/stages/frame_pool.h"
#include "core/stages/motion_spool.h"
#include "tests/core/portrait/synthetic_portrait.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTemporaryDir>

#include <cstdlib>

using namespace loquor;
using namespace loquor::stages;

class tst_framepool : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void memory_is_used_again_only_when_nobody_looks()
    {
        FramePool pool(32, 16);
        FramePtr held = pool.take();
        auto second = pool.take();
        const std::uint8_t* address = second->image.data.data();
        QVERIFY(address != held->image.data.data());
        second.reset();
        QCOMPARE(pool.take()->image.data.data(), address);
    }

    void frames_outlive_their_pool()
    {
        FramePtr frame;
        {
            FramePool pool(8, 8);
            frame = pool.take();
        }
        QCOMPARE(frame->image.width, 8);
        frame.reset();
    }

    void motion_is_kept_by_frame()
    {
        QTemporaryDir folder;
        MotionSpool spool;
        QVERIFY(spool.open(folder.path().toStdString()));
        for (int i = 0; i < 10; ++i) {
            std::vector<portrait::Motion> group(3);
            for (int k = 0; k < 3; ++k)
                group[static_cast<std::size_t>(k)][portrait::Param::Jaw] = static_cast<float>(3 * i + k);
            QVERIFY(spool.append(group));
        }
        QCOMPARE(spool.count(), std::int64_t(30));
        QCOMPARE((*spool.at(17))[portrait::Param::Jaw], 17.f);
        QVERIFY(!spool.at(30) && !spool.at(-1));
        QVERIFY(QDir(folder.path()).isEmpty()); // it has no name
    }

    void the_canvas_lies_on_the_picture()
    {
        ReferenceContext reference;
        reference.model = portrait::makeSyntheticPortrait({200, 120});
        reference.offsetX = 20;
        reference.offsetY = 8;
        FramePainter painter(reference, {}, 240, 136, 1);
        Image out(240, 136, 3);
        painter.paint({}, out);
        const auto black = [&](int x, int y) {
            const std::uint8_t* p = out.row(y) + 3 * x;
            return p[0] == 0 && p[1] == 0 && p[2] == 0;
        };
        QVERIFY(black(0, 0) && black(19, 60) && black(220, 60) && black(100, 7) && black(100, 128));
        const std::uint8_t* inside = out.row(8) + 3 * 20;
        const std::uint8_t* photo = reference.model->canvas.row(0);
        QVERIFY(std::abs(inside[0] - photo[0]) < 4 && std::abs(inside[1] - photo[1]) < 4);

        auto green = makeBackdrop("#00ff00", 240, 136);
        QVERIFY(green);
        FramePainter coloured(reference, std::move(*green), 240, 136, 1);
        coloured.paint({}, out);
        QCOMPARE(int(out.row(2)[1]), 255);
    }

    void backgrounds_that_are_none()
    {
        QVERIFY(makeBackdrop("", 10, 10)->isEmpty());
        for (const char* wrong : {"#12345", "#1234567", "#gg0000", "#"}) {
            const auto result = makeBackdrop(wrong, 10, 10);
            QVERIFY(!result);
            QCOMPARE(result.error().code(), ErrorCode::InvalidArgument);
        }
        QCOMPARE(makeBackdrop("/nowhere/x.png", 10, 10).error().code(), ErrorCode::NotFound);
    }

    // A line that is continued in its middle smears the first frame as if it had drawn the one before.
    void continuedLinesKnowTheFrameBefore()
    {
        ReferenceContext reference;
        reference.model = portrait::makeSyntheticPortrait({.width = 640, .height = 384});
        portrait::Motion shut, open;
        open[portrait::Param::Jaw] = .9f;
        const auto draw = [&](ChunkMotion in, FrameIndex first) {
            pipeline::ChunkSpec chunk;
            chunk.firstFrame = first;
            chunk.frames = static_cast<int>(in.frames.size());
            DecodeStage stage(std::make_shared<FramePainter>(reference, Image(), 640, 384, 1), 640, 384);
            std::vector<std::uint8_t> last;
            float gap = 0;
            const auto done = stage.run(chunk, std::move(in), [&](FrameGroup group) {
                last = group.frames.back()->image.data;
                gap = group.lipGap.back();
                return true; }, {});
            return std::pair(done ? last : std::vector<std::uint8_t>(), gap);
        };
        ChunkMotion both, alone, continued;
        both.frames = {shut, open};
        alone.frames = continued.frames = {open};
        continued.before = shut;
        const auto whole = draw(both, 7), cut = draw(alone, 8), carried = draw(continued, 8);
        QVERIFY(!whole.first.empty() && carried == whole);
        QVERIFY(cut.first != whole.first && cut.second > whole.second + .01f);
    }
};

LOQUOR_TEST(tst_framepool)
#include "tst_framepool.moc"
