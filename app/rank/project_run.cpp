#include "app/rank/project_run.h"

#include <mutex>

#include "app/rank/segment_sink.h"
#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/platform/memory.h"
#include "core/stages/project_chain.h"

namespace loquor::rank {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFrameQueueBytes = 32u << 20;

// The first task that failed ends the run: the session starts it again behind the last finished chunk.
class FirstFault
{
public:
    explicit FirstFault(const CancelToken& parent) : m_cancel(parent) {}
    void set(const pipeline::ChunkSpec& chunk, Error error)
    {
        {
            std::lock_guard lock(m_mutex);
            if (m_error)
                return;
            error.addContext("making chunk " + std::to_string(chunk.indexInLine + 1) + " of line " +
                             std::to_string(chunk.line));
            m_error = std::move(error);
        }
        m_cancel.cancel();
    }
    CancelToken token() const { return m_cancel.token(); }
    std::optional<Error> take()
    {
        std::lock_guard lock(m_mutex);
        return m_error;
    }

private:
    CancelSource m_cancel;
    std::mutex m_mutex;
    std::optional<Error> m_error; // m_mutex
};

std::vector<portrait::Sound> toSounds(const speech::Timing& timing)
{
    std::vector<portrait::Sound> out;
    for (const speech::Phoneme& p : timing.phonemes)
        out.push_back({p.symbol, p.start, p.end, p.confidence, p.stressed});
    return out;
}

std::vector<portrait::Cue> toCues(const std::vector<comm::LineCue>& cues, std::vector<std::string>& unknown)
{
    std::vector<portrait::Cue> out;
    for (const comm::LineCue& cue : cues) {
        if (const auto kind = portrait::cueFromTag(cue.tag))
            out.push_back({*kind, cue.time, cue.strength});
        else
            unknown.push_back("The direction [" + cue.tag + "] is not known and was left out.");
    }
    return out;
}

} // namespace

stages::RunShape shapeOf(const comm::StartProject& job, const packs::PackManifest& pack)
{
    stages::RunShape out;
    out.fps = job.settings.fps;
    out.sampleRate = job.sampleRate;
    out.channels = job.channels;
    out.numbers = pack.chunks;
    out.joins = pack.joins();
    return out;
}

stages::JoinTask toTask(comm::MakeJoin join, const packs::PackManifest& pack)
{
    return {join.task, 0, join.number, pack.joins().frames, std::move(join.left), std::move(join.right)};
}

stages::LineTask toTask(comm::MakeLine line, std::vector<std::string>& unknown)
{
    stages::LineTask out;
    out.task = line.task;
    out.lineId = line.id;
    out.number = line.number;
    out.seed = line.seed;
    const portrait::PromptReading prompt = portrait::readPrompt(line.prompt);
    for (const std::string& word : prompt.unknown)
        unknown.push_back("The motion prompt has a word this version does not know: '" + word + "'.");
    out.style = prompt.style;
    out.start = line.boundaryFrom == comm::BoundaryFrom::Before  ? stages::LineStart::Before
                : line.boundaryFrom == comm::BoundaryFrom::Given ? stages::LineStart::Given
                                                                 : stages::LineStart::Nothing;
    out.boundary = std::move(line.boundary);
    out.firstChunk = line.firstChunk;
    out.audio = std::move(line.audio);
    out.contextBefore = line.contextBefore;
    out.contextAfter = line.contextAfter;
    out.open = line.open;
    out.known = line.known;
    if (!line.audioOnly)
        out.sounds = toSounds(line.timing);
    out.cues = toCues(line.cues, unknown);
    return out;
}

stages::LinePiece toPiece(comm::LinePiece piece, std::vector<std::string>& unknown)
{
    return {piece.task, std::move(piece.audio), toSounds(piece.timing), toCues(piece.cues, unknown), piece.isLast, piece.known};
}

Result<comm::ProjectDone> runProject(const comm::StartProject& job, std::shared_ptr<stages::TaskQueue> queue,
                                     const RunTools& tools, bool& preparing, const CancelToken& cancel)
{
    preparing = true;
    Trace trace;
    const auto started = Clock::now();
    LQ_TRY(Prepared prepared, prepareRun(job.id, {job.reference, job.settings}, tools, trace, cancel));
    auto painter = std::make_shared<stages::FramePainter>(prepared.reference, std::move(prepared.backdrop),
                                                          job.settings.width, job.settings.height, sharedThreads());
    preparing = false;
    comm::FrameRing* ring = tools.ring;
    if (ring && !ring->configure(job.settings.width, job.settings.height))
        ring = nullptr;
    FirstFault fault(cancel);
    auto faults = std::make_shared<stages::TaskFaults>(
        [&](const pipeline::ChunkSpec& chunk, const Error& error) { fault.set(chunk, error); });
    auto sink = std::make_shared<SegmentSink>(
        SegmentSinkOptions{job.id, job.staging, job.settings.width, job.settings.height, job.settings.fps,
                           queue->shape().joins, started, job.firstIndex},
        faults, ring, tools.tell, tools.work);
    pipeline::Pipeline chain({.trace = &trace, .log = nullptr, .memoryBudget = memoryBudget()});
    auto frames = stages::addProjectStages(
        chain, queue, faults, stages::ContextReach{tools.pack.lookBehindSeconds, tools.pack.lookAheadSeconds},
        std::move(painter), job.settings.width, job.settings.height, tools.behindDecode);
    chain.into<stages::FrameGroup>(frames, sink, {0, kFrameQueueBytes, std::chrono::microseconds{0}});
    auto ran = chain.run(fault.token());
    writeTrace(trace, job.id, job.trace, tools.tell);
    if (auto error = fault.take(); error && !cancel.isCancelled())
        return fail(std::move(*error));
    // Without a single chunk nothing can be made of this run as it is: no use in trying again.
    preparing = !ran && ran.error().code() == ErrorCode::OutOfMemory && sink->isEmpty();
    LQ_CHECKED(std::move(ran));

    comm::ProjectDone done;
    done.job = job.id;
    done.encoderCpuSeconds = sink->encoderCpuSeconds();
    done.engineCpuSeconds = processCpuSeconds() - tools.cpuBefore - done.encoderCpuSeconds;
    done.peakRssMb = static_cast<double>(platform::memoryUse().peakRssBytes) / 1e6;
    for (const auto& [name, cost] : trace.totals())
        done.stages[name] = {cost.wallSeconds, cost.cpuSeconds, cost.count};
    done.pack = tools.pack.label();
    return done;
}

} // namespace loquor::rank
