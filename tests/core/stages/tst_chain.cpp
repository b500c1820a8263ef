#include "core/pipeline/pipeline.h"
#include "core/portrait/portrait_builder.h"
#include "core/stages/context_stage.h"
#include "core/stages/decode_stage.h"
#include "core/stages/line_source.h"
#include "core/stages/motion_stage.h"
#include "core/stages/refinement_stage.h"
#include "tests/core/portrait/synthetic_portrait.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace loquor;
using namespace loquor::stages;
using pipeline::ChunkSpec;

namespace {

class Collector : public pipeline::Sink<FrameGroup>
{
public:
    const char* name() const override { return "collect"; }
    std::size_t memoryEstimate() const override { return 0; }
    Result<void> consume(const ChunkSpec&, FrameGroup in, const CancelToken&) override
    {
        for (const FramePtr& frame : in.frames)
            frames.push_back(frame->image.data);
        motion.insert(motion.end(), in.motion.begin(), in.motion.end());
        samples += in.audio.frames();
        ++groups;
        return {};
    }
    Result<void> endChunk(const ChunkSpec&) override { return {}; }
    Result<void> endRun() override { return {}; }

    std::vector<std::vector<std::uint8_t>> frames;
    std::vector<portrait::Motion> motion;
    SampleIndex samples = 0;
    int groups = 0;
};

// Three seconds with sounds, in lines that end on frames.
std::shared_ptr<SpeechTrack> speech(bool phonemes)
{
    auto track = std::make_shared<SpeechTrack>(16000, 1);
    const char* symbols[] = {"", "m", "a", "p", "i", "s", "o", "b", "u", ""};
    for (int line = 0; line < 3; ++line) {
        TrackLine one;
        const bool last = line == 2;
        const SampleIndex samples = last ? 640 * 20 + 111 : 640 * 25;
        one.spec = {static_cast<std::uint64_t>(line + 1), line + 1, samples, last, false};
        one.audio = {16000, 1, std::vector<float>(static_cast<std::size_t>(samples))};
        for (std::size_t i = 0; i < one.audio.samples.size(); ++i)
            one.audio.samples[i] = .4f * static_cast<float>(std::sin(i * .05) * std::sin(i * .0004));
        if (phonemes) {
            for (int k = 0; k < 10; ++k)
                one.phonemes.push_back({symbols[k], line + k * .1, line + k * .1 + .1, 1, k == 2});
        }
        if (!track->append(std::move(one)))
            return nullptr;
    }
    return track;
}

std::shared_ptr<Collector> runChain(const ReferenceContext& reference, pipeline::ChunkNumbers numbers, bool phonemes)
{
    const Rational fps{25, 1};
    auto track = speech(phonemes);
    auto collector = std::make_shared<Collector>();
    pipeline::Pipeline chain;
    const QueueLimits few{2, 0, std::chrono::microseconds{0}};
    auto chunks = chain.from("plan", std::make_shared<LineSource>(track, fps, numbers, 7));
    auto context = chain.then<ChunkSpec, ChunkContext>(chunks, std::make_shared<ContextStage>(track, fps, ContextReach{}), few);
    auto motion = chain.then<ChunkContext, ChunkMotion>(
        context, std::make_shared<MotionStage>(7, fps, portrait::Style{}), few);
    auto refined = chain.then<ChunkMotion, ChunkMotion>(motion, std::make_shared<RefinementStage>(fps), few);
    auto painter = std::make_shared<FramePainter>(reference, Image(), reference.model->width, reference.model->height, 1);
    auto frames = chain.then<ChunkMotion, FrameGroup>(
        refined, std::make_shared<DecodeStage>(painter, reference.model->width, reference.model->height), few);
    chain.into<FrameGroup>(frames, collector, few);
    const auto result = chain.run({});
    return result ? collector : nullptr;
}

} // namespace

class tst_chain : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // 125: no seam where chunks meet. Standing test: chunked = unchunked.
    void case_125_chunks_leave_no_trace_data()
    {
        QTest::addColumn<bool>("phonemes");
        QTest::newRow("phonemes") << true;
        QTest::newRow("sound alone") << false;
    }
    void case_125_chunks_leave_no_trace()
    {
        QFETCH(bool, phonemes);
        ReferenceContext reference;
        reference.model = portrait::makeSyntheticPortrait({160, 96});
        const auto whole = runChain(reference, {1000, 1000}, phonemes);
        const auto small = runChain(reference, {3, 7}, phonemes);
        QVERIFY(whole && small);
        QCOMPARE(whole->frames.size(), std::size_t(71)); // ceil((50 * 640 + 20 * 640 + 111) / 640)
        QCOMPARE(small->frames.size(), whole->frames.size());
        QCOMPARE(small->samples, whole->samples);
        QVERIFY(small->groups > whole->groups);
        for (std::size_t i = 0; i < whole->frames.size(); ++i) {
            for (std::size_t k = 0; k < portrait::kParamCount; ++k)
                QVERIFY2(std::abs(whole->motion[i].value[k] - small->motion[i].value[k]) < 1e-5f,
                         qPrintable(QString("frame %1, parameter %2").arg(i).arg(k)));
            int most = 0;
            for (std::size_t p = 0; p < whole->frames[i].size(); ++p)
                most = std::max(most, std::abs(int(whole->frames[i][p]) - int(small->frames[i][p])));
            QVERIFY2(most <= 2, qPrintable(QString("frame %1 differs by %2").arg(i).arg(most)));
        }
    }
};

LOQUOR_TEST(tst_chain)
#include "tst_chain.moc"
