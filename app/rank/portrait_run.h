// The portrait pack's pipeline, put together for one run.
#pragma once

#include <chrono>
#include <memory>

#include "app/rank/encode_sink.h"
#include "app/rank/job_context.h"
#include "app/rank/reference_desk.h"
#include "app/rank/scrubber.h"
#include "core/comm/frame_ring.h"
#include "core/packs/manifest.h"
#include "core/stages/project_chain.h"
#include "core/stages/speech_track.h"

namespace loquor::rank {

struct RunTools
{
    const packs::PackManifest& pack;
    ReferenceDesk& desk;
    Scrubber& scrubber;
    comm::FrameRing* ring; // null: no preview
    std::filesystem::path cacheFolder;
    Tell tell;
    WorkCounter& work;
    double cpuBefore = 0; // CPU seconds of this process that belong to earlier runs
    std::shared_ptr<stages::FrameStage> behindDecode; // see runProgram()
};

// What both kinds of runs begin with: the person made ready, and what is behind them. Tells the session.
struct Prepared
{
    stages::ReferenceContext reference;
    Image backdrop;
};
Result<Prepared> prepareRun(comm::JobId job, const stages::ReferenceRequest& request, const RunTools& tools,
                            Trace& trace, const CancelToken& cancel);
// What took how long, for whoever asked for it; a failure is a warning. An empty name: nobody did.
void writeTrace(const Trace& trace, comm::JobId job, const std::filesystem::path& file, const Tell& tell);
// Drawing and encoding run side by side and share the processor.
int sharedThreads();
// The video that a run writes.
Result<media::Mp4Writer> openWriter(const comm::StartRender& job);
// What a finished run tells: all that sink and trace know.
comm::RenderDone doneOf(const comm::StartRender& job, const EncodeSink& sink, const Trace& trace, const std::string& pack, double cpuBefore);
// What the stages of a run may use together: a run that needs more is refused before it starts, with advice.
std::size_t memoryBudget();

// Blocks until the video is finished, failed or cancelled. Lines arrive through `track` meanwhile.
Result<comm::RenderDone> runPortrait(const comm::StartRender& job, std::shared_ptr<stages::SpeechTrack> track,
                                     const RunTools& tools, const CancelToken& cancel);

// A line as it came in, in the terms of the stages; tags that mean nothing are reported in `unknown`.
stages::TrackLine toTrackLine(comm::SpeechLine line, std::vector<std::string>& unknown);

} // namespace loquor::rank
