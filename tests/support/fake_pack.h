// An engine without a network: plan -> motion -> decode -> gate -> playback order -> store, with rolling
// state, joins and faults. Instant, or as slow as its clock says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/pipeline/chunk_plan.h"
#include "core/pipeline/frame_gate.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/fake_faults.h"

namespace loquor::fake {

// Where the person's head is in one frame; smooth inside a line, jumps between lines unless joined.
struct FakePose
{
    double lean = 0;   // rolls on from chunk to chunk
    double speech = 0; // belongs to the line
    std::uint64_t trail = 0; // hash of all that came before: shows any difference

    friend bool operator==(const FakePose&, const FakePose&) = default;
};

struct FakeMotion
{
    std::vector<FakePose> poses;
    LiveTag live;
    ItemCost cost() const { return {poses.size() * sizeof(FakePose), std::chrono::microseconds{0}}; }
};

// A small grey picture.
struct FakeFrame
{
    FrameIndex index = 0; // of the run
    FakePose pose;
    std::vector<float> rgb;

    friend bool operator==(const FakeFrame&, const FakeFrame&) = default;
};

struct FakeFrames
{
    std::vector<FakeFrame> frames;
    LiveTag live;

    ItemCost cost() const;
    int frameCount() const { return static_cast<int>(frames.size()); }
    bool dropFront(int count)
    {
        frames.erase(frames.begin(), frames.begin() + count);
        return !frames.empty();
    }
    std::vector<pipeline::FrameLook> looks() const;
};

struct FakePack
{
    std::vector<FrameIndex> lines{60, 60, 60}; // frames of each
    int endless = 0;                           // > 0: lines of this many frames without end
    pipeline::ChunkNumbers chunks{8, 25};
    pipeline::PlanOptions plan{pipeline::GridMode::Lines, {6, 2, 2, pipeline::JoinAt::Lines}};
    int firstLine = 1;                         // number of lines[0]
    std::uint64_t seed = 7;
    int groupFrames = 4;                       // of decode
    int pixels = 64;                           // of a frame
    std::chrono::microseconds motionTime{0}, decodeTime{0}, storeTime{0}; // per frame, on the clock
    std::size_t motionMemory = 0, decodeMemory = 0;         // declared
    std::shared_ptr<FaultPlan> faults = std::make_shared<FaultPlan>();
    std::shared_ptr<FakeClock> clock = std::make_shared<FakeClock>();
    std::shared_ptr<LiveCount> live = std::make_shared<LiveCount>(); // payloads and packets
};

std::shared_ptr<pipeline::ChunkSource> makeFakeSource(const FakePack& pack);
std::shared_ptr<pipeline::Stage<ChunkSpec, FakeMotion>> makeFakeMotion(const FakePack& pack); // Stateful
std::shared_ptr<pipeline::Stage<FakeMotion, FakeFrames>> makeFakeDecode(const FakePack& pack);

// Keeps what arrives, in order; behind every chunk the state and what is alive.
class FakeStore : public pipeline::Sink<FakeFrames>, public pipeline::StateKeeper
{
public:
    explicit FakeStore(const FakePack& pack, bool keepsFrames = true)
        : m_pack(pack), m_keepsFrames(keepsFrames)
    {
    }
    const char* name() const override { return "store"; }
    std::size_t memoryEstimate() const override { return 0; }
    Result<void> consume(const ChunkSpec& chunk, FakeFrames in, const CancelToken& cancel) override;
    Result<void> keepState(const ChunkSpec& chunk, pipeline::RollingState state) override;
    Result<void> endChunk(const ChunkSpec& chunk) override;
    Result<void> endRun() override;

    std::vector<FakeFrame> frames;      // empty unless it keeps them
    std::vector<ChunkSpec> chunks;      // in the order in which they were complete
    std::vector<LiveNumbers> aliveAfter; // behind each of them
    pipeline::RollingState state;       // behind the last N chunk
    std::atomic<std::int64_t> received{0};
    int chunksAtFirstFrame = -1;        // complete when the first frame came
    bool ended = false;
    std::function<void(const ChunkSpec&)> onChunk; // may be empty
    std::function<void()> onEnd;                   // may be empty

private:
    const FakePack m_pack;
    const bool m_keepsFrames;
};

enum class Executor { Streaming = 1,
                      Batch };

struct FakeRunOptions
{
    Executor executor = Executor::Streaming;
    pipeline::BatchOptions batch;
    QueueLimits limits{2, 0, std::chrono::microseconds{0}};
    pipeline::PipelineOptions pipeline;
};

// The whole chain into `store`.
Result<void> runFake(const FakePack& pack, FakeRunOptions options, std::shared_ptr<FakeStore> store,
                     const CancelToken& cancel = {});

} // namespace loquor::fake

namespace loquor::pipeline {

template<>
struct SpillTraits<fake::FakeMotion>
{
    static void write(const fake::FakeMotion& value, ByteWriter& out) { out.putAll(value.poses); }
    static Result<fake::FakeMotion> read(ByteReader& in);
};

template<>
struct SpillTraits<fake::FakeFrames>
{
    static void write(const fake::FakeFrames& value, ByteWriter& out);
    static Result<fake::FakeFrames> read(ByteReader& in);
};

} // namespace loquor::pipeline
