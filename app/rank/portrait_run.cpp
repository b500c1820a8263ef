#include "app/rank/portrait_run.h"

#include <algorithm>
#include <thread>

#include "app/rank/encode_sink.h"
#include "core/base/trace.h"
#include "core/pipeline/pipeline.h"
#include "core/platform/memory.h"
#include "core/stages/backdrop.h"
#include "core/stages/context_stage.h"
#include "core/stages/decode_stage.h"
#include "core/stages/line_source.h"
#include "core/stages/motion_stage.h"
#include "core/stages/picture_gate.h"
#include "core/stages/refinement_stage.h"

namespace loquor::rank {

namespace {

using Clock = std::chrono::steady_clock;
using pipeline::ChunkSpec;

constexpr std::size_t kFrameQueueBytes = 32u << 20;

portrait::Style readStyle(const comm::StartRender& job, const Tell& tell)
{
    const portrait::PromptReading prompt = portrait::readPrompt(job.settings.prompt);
    for (const std::string& word : prompt.unknown)
        tell(comm::JobWarning{job.id, "The motion prompt has a word this version does not know: '" + word + "'."});
    return prompt.style;
}

Result<void> runStages(const comm::StartRender& job, const std::shared_ptr<stages::SpeechTrack>& track,
                       const RunTools& tools, std::shared_ptr<stages::FramePainter> painter,
                       std::shared_ptr<EncodeSink> sink, Trace& trace, const CancelToken& cancel)
{
    const pipeline::RenderSettings& settings = job.settings;
    const std::uint64_t seed = settings.seed.value_or(0);
    pipeline::Pipeline chain({.trace = &trace, .log = nullptr, .memoryBudget = memoryBudget()});
    auto chunks = chain.from("plan", std::make_shared<stages::LineSource>(track, settings.fps,
                                                                          tools.pack.chunks, seed));
    const QueueLimits few{2, 0, std::chrono::microseconds{0}};
    auto context = chain.then<ChunkSpec, stages::ChunkContext>(
        chunks,
        std::make_shared<stages::ContextStage>(
            track, settings.fps,
            stages::ContextReach{tools.pack.lookBehindSeconds, tools.pack.lookAheadSeconds}),
        few);
    auto motion = chain.then<stages::ChunkContext, stages::ChunkMotion>(
        context, std::make_shared<stages::MotionStage>(seed, settings.fps, readStyle(job, tools.tell)), few);
    auto refined = chain.then<stages::ChunkMotion, stages::ChunkMotion>(
        motion, std::make_shared<stages::RefinementStage>(settings.fps), few);
    auto frames = chain.then<stages::ChunkMotion, stages::FrameGroup>(
        refined,
        std::make_shared<stages::DecodeStage>(std::move(painter), settings.width, settings.height), few);
    frames = chain.then<stages::FrameGroup, stages::FrameGroup>(frames, stages::makePictureGate(), few);
    chain.into<stages::FrameGroup>(frames, std::move(sink),
                                   {0, kFrameQueueBytes, std::chrono::microseconds{0}});
    return chain.run(cancel);
}

} // namespace

Result<media::Mp4Writer> openWriter(const comm::StartRender& job)
{
    media::Mp4Options options;
    options.width = job.settings.width;
    options.height = job.settings.height;
    options.fps = job.settings.fps;
    options.audioRate = job.sampleRate;
    options.audioChannels = job.channels;
    options.threads = std::min(2, sharedThreads());
    options.tags = job.metadata;
    options.label = job.label;
    options.captionStyle = job.captionStyle;
    return media::Mp4Writer::create(job.output, options,
                                    job.overwrite ? platform::IfExists::Replace : platform::IfExists::Refuse);
}

comm::RenderDone doneOf(const comm::StartRender& job, const EncodeSink& sink, const Trace& trace, const std::string& pack, double cpuBefore)
{
    comm::RenderDone done;
    done.job = job.id;
    done.frames = sink.summary().frames;
    done.samples = sink.summary().audioFrames;
    done.firstFrameSeconds = sink.firstFrameSeconds();
    done.encoderCpuSeconds = sink.summary().encoderCpuSeconds;
    done.engineCpuSeconds = processCpuSeconds() - cpuBefore - done.encoderCpuSeconds;
    done.peakRssMb = static_cast<double>(platform::memoryUse().peakRssBytes) / 1e6;
    for (const auto& [name, cost] : trace.totals())
        done.stages[name] = {cost.wallSeconds, cost.cpuSeconds, cost.count};
    done.pack = pack;
    return done;
}

int sharedThreads()
{
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 2, 1, 4);
}

std::size_t memoryBudget()
{
    return static_cast<std::size_t>(platform::availableMemory());
}

Result<Prepared> prepareRun(comm::JobId job, const stages::ReferenceRequest& request, const RunTools& tools,
                            Trace& trace, const CancelToken& cancel)
{
    tools.tell(comm::JobProgress{job, "reference", 0, 0});
    Prepared out;
    LQ_TRY(out.reference, tools.desk.prepare(request, &trace, cancel));
    ++tools.work;
    for (const std::string& warning : out.reference.warnings)
        tools.tell(comm::JobWarning{job, warning});
    const pipeline::RenderSettings& settings = request.settings;
    LQ_TRY(out.backdrop, stages::makeBackdrop(settings.background, settings.width, settings.height));
    return out;
}

void writeTrace(const Trace& trace, comm::JobId job, const std::filesystem::path& file, const Tell& tell)
{
    if (file.empty())
        return;
    if (auto written = trace.writeChromeTrace(file, "loquor-rank"); !written)
        tell(comm::JobWarning{job, written.error().message()});
}

Result<comm::RenderDone> runPortrait(const comm::StartRender& job, std::shared_ptr<stages::SpeechTrack> track,
                                     const RunTools& tools, const CancelToken& cancel)
{
    const auto started = Clock::now();
    Trace trace;
    LQ_TRY(Prepared prepared, prepareRun(job.id, {job.reference, job.settings}, tools, trace, cancel));
    const stages::ReferenceContext& reference = prepared.reference;
    Image& backdrop = prepared.backdrop;
    LQ_TRY(media::Mp4Writer writer, openWriter(job));
    std::shared_ptr<stages::MotionSpool> spool; // only for somebody who watches
    comm::FrameRing* ring = tools.ring;
    if (ring) {
        if (auto fits = ring->configure(job.settings.width, job.settings.height); !fits) {
            tools.tell(comm::JobWarning{job.id, fits.error().message()});
            ring = nullptr;
        }
        spool = std::make_shared<stages::MotionSpool>();
        LQ_CHECKED(spool->open(tools.cacheFolder));
        tools.scrubber.start(job.id, reference, backdrop, job.settings.width, job.settings.height, spool);
    }
    auto painter = std::make_shared<stages::FramePainter>(reference, std::move(backdrop), job.settings.width,
                                                          job.settings.height, sharedThreads());
    auto sink = std::make_shared<EncodeSink>(job.id, std::move(writer), job.captionStyle ? track : nullptr, ring, spool, tools.tell,
                                             tools.work, started);
    auto ran = runStages(job, track, tools, std::move(painter), sink, trace, cancel);
    writeTrace(trace, job.id, job.trace, tools.tell);
    LQ_CHECKED(std::move(ran));

    return doneOf(job, *sink, trace, tools.pack.label(), tools.cpuBefore);
}

stages::TrackLine toTrackLine(comm::SpeechLine line, std::vector<std::string>& unknown)
{
    stages::TrackLine out;
    out.spec = {line.id, line.number, line.audio.frames(), line.isLast, line.continues};
    out.phonemes = std::move(line.timing.phonemes);
    for (const comm::LineCue& cue : line.cues) {
        if (const auto kind = portrait::cueFromTag(cue.tag))
            out.cues.push_back({*kind, cue.time, cue.strength});
        else
            unknown.push_back(cue.tag);
    }
    out.audio = std::move(line.audio);
    out.captions = std::move(line.captions);
    return out;
}

} // namespace loquor::rank
