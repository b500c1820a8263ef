#include "tests/support/fake_pack.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.h"
#include "core/base/random.h"

namespace loquor::fake {

using namespace loquor::pipeline;

namespace {

constexpr int kSampleRate = 16'000;
constexpr SampleIndex kSamplesPerFrame = 640; // 25 fps

class FakeSource : public ChunkSource
{
public:
    explicit FakeSource(const FakePack& pack)
        : m_pack(pack), m_plan({25, 1}, kSampleRate, pack.chunks, pack.seed, pack.plan)
    {
    }
    Result<std::optional<ChunkSpec>> next(const CancelToken&) override
    {
        for (;;) {
            if (auto chunk = m_plan.next())
                return chunk;
            if (m_plan.isFinished())
                return std::nullopt;
            const bool endless = m_pack.endless > 0;
            const FrameIndex frames = endless ? m_pack.endless : m_pack.lines.at(m_taken);
            ++m_taken;
            const int number = m_pack.firstLine + static_cast<int>(m_taken) - 1;
            LQ_CHECKED(m_plan.addLine({static_cast<std::uint64_t>(number), number, kSamplesPerFrame * frames,
                                       !endless && m_taken == m_pack.lines.size()}));
        }
    }

private:
    const FakePack m_pack;
    ChunkPlan m_plan;
    std::size_t m_taken = 0; // lines
};

class FakeMotionStage : public Stage<ChunkSpec, FakeMotion>, public Stateful
{
public:
    explicit FakeMotionStage(const FakePack& pack) : m_pack(pack) {}
    const char* name() const override { return "motion"; }
    std::size_t memoryEstimate() const override { return m_pack.motionMemory; }

    Result<void> run(const ChunkSpec& chunk, ChunkSpec, const Emit<FakeMotion>& emit,
                     const CancelToken& cancel) override
    {
        LQ_CHECKED(suffer(m_pack.faults->begin(name(), chunk), cancel));
        m_pack.clock->pass(m_pack.motionTime * chunk.frames);
        FakeMotion out;
        out.poses = chunk.kind == ChunkKind::N ? numbered(chunk) : joined(chunk);
        out.live = LiveTag(m_pack.live, out.cost().bytes);
        return emit(std::move(out)) ? Result<void>{} : cancelled();
    }

    std::vector<std::uint8_t> saveState() const override
    {
        ByteWriter out;
        out.put(m_now);
        out.putAll(m_right);
        return out.take();
    }
    Result<void> restoreState(const std::vector<std::uint8_t>& bytes) override
    {
        ByteReader in(bytes);
        m_now = in.get<FakePose>();
        m_right = in.getAll<FakePose>();
        if (!in.isOk() || !in.isAtEnd())
            return fail(ErrorCode::Corrupt, "Not a state of the fake motion.");
        return {};
    }

private:
    std::vector<FakePose> numbered(const ChunkSpec& chunk)
    {
        m_left = std::move(m_right);
        m_right.clear();
        const double phase = static_cast<double>(mixSeed(m_pack.seed, chunk.lineId) % 628) / 100.0;
        for (int i = 0; i < chunk.frames; ++i) {
            const FrameIndex frame = chunk.frameInLine + i;
            m_now.speech = std::sin(.07 * static_cast<double>(frame) + phase);
            m_now.lean += .1 * (std::sin(phase) - m_now.lean);
            m_now.trail = mixSeed(mixSeed(m_now.trail, chunk.lineId), static_cast<std::uint64_t>(frame));
            m_right.push_back(m_now);
        }
        return m_right;
    }
    // The step at the join and its speed, faded out to nothing at the first frame that is not replaced.
    std::vector<FakePose> joined(const ChunkSpec& chunk) const
    {
        std::vector<FakePose> out(m_right.begin(), m_right.begin() + chunk.frames);
        const double before = m_left.back().speech;
        const double speed = m_left.size() > 1 ? before - m_left[m_left.size() - 2].speech : 0;
        const double ownSpeed = m_right[1].speech - m_right[0].speech;
        const double step = before - (m_right[0].speech - ownSpeed); // one frame before the join
        const double length = chunk.frames + 1;
        for (int i = 0; i < chunk.frames; ++i) {
            const double t = (i + 1) / length, left = (1 - t) * (1 - t);
            FakePose& pose = out[static_cast<std::size_t>(i)];
            pose.speech += step * left * (1 + 2 * t) + (speed - ownSpeed) * length * t * left;
            pose.trail = mixSeed(pose.trail, chunk.seed);
        }
        return out;
    }

    const FakePack m_pack;
    FakePose m_now;
    std::vector<FakePose> m_left, m_right; // of the last two N chunks
};

class FakeDecodeStage : public Stage<FakeMotion, FakeFrames>
{
public:
    explicit FakeDecodeStage(const FakePack& pack) : m_pack(pack) {}
    const char* name() const override { return "decode"; }
    std::size_t memoryEstimate() const override { return m_pack.decodeMemory; }

    Result<void> run(const ChunkSpec& chunk, FakeMotion in, const Emit<FakeFrames>& emit,
                     const CancelToken& cancel) override
    {
        const Fault fault = m_pack.faults->begin(name(), chunk);
        LQ_CHECKED(suffer(fault, cancel));
        for (std::size_t at = 0; at < in.poses.size();) {
            FakeFrames out;
            for (int i = 0; i < m_pack.groupFrames && at < in.poses.size(); ++i, ++at)
                out.frames.push_back({chunk.firstFrame + static_cast<FrameIndex>(at), in.poses[at],
                                      paint(in.poses[at], fault)});
            m_pack.clock->pass(m_pack.decodeTime * out.frameCount());
            out.live = LiveTag(m_pack.live, out.cost().bytes);
            if (!emit(std::move(out)))
                return cancelled();
        }
        return {};
    }

private:
    std::vector<float> paint(const FakePose& pose, Fault fault) const
    {
        std::vector<float> rgb(static_cast<std::size_t>(m_pack.pixels) * 3, 0.f);
        if (fault == Fault::Black)
            return rgb;
        const double shade = fault == Fault::OneColour ? 0 : .2;
        const double grey = .5 + .2 * pose.speech + .05 * pose.lean;
        const auto half = rgb.begin() + static_cast<std::ptrdiff_t>(rgb.size() / 6 * 3);
        std::fill(rgb.begin(), half, static_cast<float>(grey + shade));
        std::fill(half, rgb.end(), static_cast<float>(grey - shade));
        if (fault == Fault::Nan)
            rgb[rgb.size() / 2] = std::numeric_limits<float>::quiet_NaN();
        return rgb;
    }

    const FakePack m_pack;
};

} // namespace

ItemCost FakeFrames::cost() const
{
    ItemCost sum;
    for (const FakeFrame& frame : frames)
        sum.bytes += sizeof frame + frame.rgb.size() * sizeof(float);
    return sum;
}

std::vector<FrameLook> FakeFrames::looks() const
{
    std::vector<FrameLook> out;
    for (const FakeFrame& frame : frames)
        out.push_back(lookAt(frame.rgb));
    return out;
}

std::shared_ptr<ChunkSource> makeFakeSource(const FakePack& pack)
{
    return std::make_shared<FakeSource>(pack);
}

std::shared_ptr<Stage<ChunkSpec, FakeMotion>> makeFakeMotion(const FakePack& pack)
{
    return std::make_shared<FakeMotionStage>(pack);
}

std::shared_ptr<Stage<FakeMotion, FakeFrames>> makeFakeDecode(const FakePack& pack)
{
    return std::make_shared<FakeDecodeStage>(pack);
}

Result<void> FakeStore::consume(const ChunkSpec&, FakeFrames in, const CancelToken&)
{
    if (received == 0)
        chunksAtFirstFrame = static_cast<int>(chunks.size());
    received += in.frameCount();
    m_pack.clock->pass(m_pack.storeTime * in.frameCount());
    if (m_keepsFrames)
        frames.insert(frames.end(), std::make_move_iterator(in.frames.begin()),
                      std::make_move_iterator(in.frames.end()));
    return {};
}

Result<void> FakeStore::keepState(const ChunkSpec&, RollingState newest)
{
    state = std::move(newest);
    return {};
}

Result<void> FakeStore::endChunk(const ChunkSpec& chunk)
{
    chunks.push_back(chunk);
    aliveAfter.push_back(m_pack.live->now());
    if (onChunk)
        onChunk(chunk);
    return {};
}

Result<void> FakeStore::endRun()
{
    if (onEnd)
        onEnd();
    ended = true;
    return {};
}

Result<void> runFake(const FakePack& pack, FakeRunOptions options, std::shared_ptr<FakeStore> store,
                     const CancelToken& cancel)
{
    options.pipeline.live = pack.live;
    Pipeline pipeline(options.pipeline);
    auto specs = pipeline.from("plan", makeFakeSource(pack));
    auto motion = pipeline.then(specs, makeFakeMotion(pack), options.limits);
    auto frames = pipeline.then(motion, makeFakeDecode(pack), options.limits);
    std::shared_ptr<Stage<FakeFrames, FakeFrames>> gate =
        std::make_shared<GateStage<FakeFrames>>("precision");
    auto good = pipeline.then(frames, gate, options.limits);
    auto ordered = pipeline.inPlaybackOrder(good, options.limits);
    pipeline.into(ordered, std::shared_ptr<Sink<FakeFrames>>(std::move(store)), options.limits);
    return options.executor == Executor::Batch ? pipeline.runBatch(options.batch, cancel)
                                               : pipeline.run(cancel);
}

} // namespace loquor::fake

namespace loquor::pipeline {

Result<fake::FakeMotion> SpillTraits<fake::FakeMotion>::read(ByteReader& in)
{
    fake::FakeMotion out;
    out.poses = in.getAll<fake::FakePose>();
    if (!in.isOk())
        return fail(ErrorCode::Corrupt, "A spilled motion is cut.");
    return out;
}

void SpillTraits<fake::FakeFrames>::write(const fake::FakeFrames& value, ByteWriter& out)
{
    out.put(value.frames.size());
    for (const fake::FakeFrame& frame : value.frames) {
        out.put(frame.index);
        out.put(frame.pose);
        out.putAll(frame.rgb);
    }
}

Result<fake::FakeFrames> SpillTraits<fake::FakeFrames>::read(ByteReader& in)
{
    fake::FakeFrames out;
    for (auto left = in.get<std::size_t>(); left > 0 && in.isOk(); --left) {
        fake::FakeFrame frame;
        frame.index = in.get<FrameIndex>();
        frame.pose = in.get<fake::FakePose>();
        frame.rgb = in.getAll<float>();
        out.frames.push_back(std::move(frame));
    }
    if (!in.isOk())
        return fail(ErrorCode::Corrupt, "Spilled frames are cut.");
    return out;
}

} // namespace loquor::pipeline
