#include "core/pipeline/frame_gate.h"
#include "tests/support/fake_pack.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <limits>

using namespace loquor;
using namespace loquor::pipeline;
using namespace loquor::fake;

namespace {

ChunkSpec chunkOf(int frames)
{
    ChunkSpec chunk;
    chunk.frames = frames;
    return chunk;
}

std::vector<FrameLook> looks(int count, double luma, double contrast)
{
    return std::vector<FrameLook>(static_cast<std::size_t>(count), FrameLook{luma, contrast, true});
}

Image striped(int low, int high)
{
    Image image(64, 36, 3);
    for (int y = 0; y < image.height; ++y)
        std::fill_n(image.row(y), image.stride(), static_cast<std::uint8_t>(y % 8 < 4 ? low : high));
    return image;
}

// What is seen of a run, and where its seams are.
SeamSteps seamsOf(const FakePack& pack)
{
    auto store = std::make_shared<FakeStore>(pack);
    if (!runFake(pack, {}, store))
        return {0, 0, 1e9, 1e9};
    std::vector<FrameLook> all;
    for (const FakeFrame& frame : store->frames)
        all.push_back(lookAt(frame.rgb));
    std::vector<FrameIndex> seams;
    for (const ChunkSpec& chunk : store->chunks) {
        if (chunk.startsLine && chunk.firstFrame > 0) {
            seams.push_back(chunk.firstFrame);
            seams.push_back(chunk.firstFrame + 6);
        }
    }
    return measureSeams(all, seams);
}

FakePack manyLines(bool joined)
{
    FakePack pack;
    pack.lines.assign(30, 50);
    if (!joined)
        pack.plan.joins = {};
    return pack;
}

} // namespace

class tst_framegate : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void looks_at_pixels()
    {
        const FrameLook look = lookAt(striped(60, 100));
        QCOMPARE(look.luma, 700.0 / 9); // 4 of the 9 rows looked at are bright
        QVERIFY(std::abs(look.contrast - 19.876) < .01);
        QCOMPARE(lookAt(Image(64, 36, 1)).contrast, 0.0);
        std::vector<float> rgb(300, .5f);
        QVERIFY(lookAt(rgb).isFinite);
        QVERIFY(std::abs(lookAt(rgb).luma - 127.5) < 1e-6);
        rgb[7] = std::numeric_limits<float>::infinity();
        QVERIFY(!lookAt(rgb).isFinite);
        Image red(64, 36, 3);
        for (std::size_t i = 0; i < red.data.size(); i += 3)
            red.data[i] = 90;
        QCOMPARE(lookAt(red).red, 90.0);
        QCOMPARE(lookAt(red).blue, 0.0);
        const std::uint64_t print = lookAt(red).print;
        QVERIFY(print != 0 && print == lookAt(Image(red)).print);
        red.data[red.stride() * 20 + 7] = 1;
        QVERIFY(print != lookAt(red).print);
    }

    // 139: first frame good, then black.
    void case_139_black_after_good_names_the_setting()
    {
        FrameGate gate("attention mode");
        QVERIFY(gate.check(chunkOf(25), looks(25, 120, 40)));
        QVERIFY(gate.check(chunkOf(25), looks(4, 0, 0))); // a few are no proof yet
        const auto result = gate.check(chunkOf(25), looks(4, 0, 0));
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::Corrupt);
        QCOMPARE(result.error().message(),
                 std::string("The engine made black frames after good ones. Rendering was stopped; look at "
                             "the setting 'attention mode'."));
    }

    void case_139_one_colour_and_no_numbers_too()
    {
        FrameGate gate("precision");
        QVERIFY(gate.check(chunkOf(8), looks(1, 120, 40)));
        const auto grey = gate.check(chunkOf(8), looks(8, 128, .1));
        QVERIFY(!grey && grey.error().message().find("a single colour") != std::string::npos);
        FrameGate fresh("precision");
        const FrameLook nan{std::nan(""), 0, false};
        const auto none = fresh.check(chunkOf(25), std::span(&nan, 1));
        QVERIFY(!none && none.error().message().find("not numbers") != std::string::npos);
        QVERIFY(none.error().message().find("after good ones") == std::string::npos);
    }

    void dark_and_flat_pictures_pass()
    {
        FrameGate gate("precision");
        QVERIFY(gate.check(chunkOf(25), looks(100, 0, 0)));      // black from the start: asked for
        QVERIFY(gate.check(chunkOf(25), looks(25, 9, 5)));       // dark, but something is seen
        for (int i = 0; i < 20; ++i) {                           // a flash of black now and then
            QVERIFY(gate.check(chunkOf(25), looks(7, 0, 0)));
            QVERIFY(gate.check(chunkOf(25), looks(1, 9, 5)));
        }
    }

    void what_an_engine_never_makes_is_a_fault()
    {
        const auto rules = [] { return GateRules{"size", true, true, 14}; };
        FrameGate black(rules());
        const auto first = black.check(chunkOf(8), looks(8, 0, 0));
        QVERIFY(!first && first.error().message().find("made black frames.") != std::string::npos);

        std::vector<FrameLook> moving(40, FrameLook{120, 40});
        for (std::size_t i = 0; i < moving.size(); ++i) {
            moving[i].print = i / 5 + 1; // five of them are the same, then the next
            moving[i].red = 20 + 3 * std::sin(static_cast<double>(i));
        }
        FrameGate gate(rules());
        QVERIFY(gate.check(chunkOf(25), moving));
        std::vector<FrameLook> still(8, moving.back());
        const auto frozen = gate.check(chunkOf(25), still);
        QVERIFY(!frozen && frozen.error().message().find("stands still") != std::string::npos);
        QVERIFY(FrameGate("precision").check(chunkOf(25), still)); // an engine of which nothing is known

        for (double FrameLook::* value : {&FrameLook::luma, &FrameLook::red, &FrameLook::blue}) {
            FrameGate fresh(rules());
            QVERIFY(fresh.check(chunkOf(25), std::span(moving).first(1)));
            FrameLook step = moving[5];
            step.*value += 13;
            QVERIFY(fresh.check(chunkOf(25), std::span(&step, 1)));
            step.*value += 18;
            const auto jump = fresh.check(chunkOf(25), std::span(&step, 1));
            QVERIFY(!jump && jump.error().message().find("jump of colour") != std::string::npos);
        }
    }

    // 139 in a whole run: stopped at the first bad chunk, nothing of later ones is made.
    void case_139_a_run_stops_after_one_bad_chunk()
    {
        FakePack pack;
        pack.faults = std::make_shared<FaultPlan>(
            std::vector<FaultAt>{{"decode", 2, -1, ChunkKind::N, Fault::OneColour}});
        auto store = std::make_shared<FakeStore>(pack);
        const auto result = runFake(pack, {}, store);
        QVERIFY(!result);
        QVERIFY(result.error().text().find("line 2") != std::string::npos);
        QCOMPARE(pack.faults->attempts("decode", 3, 0), 0);
    }

    // 125: a flash at every seam. 130: start and end of pieces differ. 133: contrast jumps.
    void case_125_and_133_joins_hide_seams()
    {
        const SeamSteps joined = seamsOf(manyLines(true));
        QVERIFY2(joined.areHidden(), qPrintable(QString("%1 > %2").arg(joined.lumaWorstSeam).arg(joined.lumaInside95)));
        QVERIFY(joined.lumaInside95 > .5);
        const SeamSteps plain = seamsOf(manyLines(false));
        QVERIFY(!plain.areHidden());
        QVERIFY(plain.lumaWorstSeam > 10);
    }

    // 128: colour moves along the clip. 131: what rolls on from chunk to chunk must not add up.
    void case_128_and_131_looks_do_not_drift()
    {
        FakePack pack;
        pack.lines.assign(60, 50);
        auto store = std::make_shared<FakeStore>(pack);
        QVERIFY(runFake(pack, {}, store));
        std::vector<FrameLook> all;
        for (const FakeFrame& frame : store->frames)
            all.push_back(lookAt(frame.rgb));
        const LookDrift early = measureDrift(std::span(all).first(500), 100);
        const LookDrift whole = measureDrift(all, 100);
        QVERIFY2(whole.luma < early.luma + 25, qPrintable(QString("%1 %2").arg(whole.luma).arg(early.luma)));
        QVERIFY(whole.contrast < .1);
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].luma += .03 * static_cast<double>(i); // one level in 33 frames
            all[i].contrast -= .005 * static_cast<double>(i);
        }
        QVERIFY(measureDrift(all, 100).luma > early.luma + 50);
        QVERIFY(measureDrift(all, 100).contrast > 10);
    }

    void case_130_the_seam_measure_sees_small_flashes()
    {
        std::vector<FrameLook> all;
        for (int i = 0; i < 100; ++i)
            all.push_back({100 + std::sin(i * .2), 40 + .2 * std::sin(i * .3), true});
        const FrameIndex seam[] = {50};
        QVERIFY(measureSeams(all, seam).areHidden());
        all[50].luma += 3;
        QVERIFY(!measureSeams(all, seam).areHidden());
        all[50].luma -= 3;
        all[50].contrast += 2;
        QVERIFY(!measureSeams(all, seam).areHidden());
    }
};

LOQUOR_TEST(tst_framegate)
#include "tst_framegate.moc"
