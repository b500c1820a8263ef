#include "core/stages/line_context_stage.h"

#include <algorithm>
#include <cmath>

#include "core/portrait/motion_join.h"
#include "core/stages/mono.h"

namespace loquor::stages {

using pipeline::ChunkSpec;

portrait::SpeechWindow lineWindow(const LineTask& line, double from, double to)
{
    portrait::SpeechWindow out;
    for (const portrait::Sound& sound : line.sounds)
        if (sound.end > from && sound.start < to)
            out.sounds.push_back(sound);
    for (const portrait::Cue& cue : line.cues)
        if (cue.time >= from && cue.time < to)
            out.cues.push_back(cue);
    const int rate = line.audio.sampleRate;
    const auto first = std::max(-line.contextBefore, static_cast<SampleIndex>(std::floor(from * rate)));
    const auto last = std::max(first, static_cast<SampleIndex>(std::ceil(to * rate)));
    const SampleIndex known = std::clamp(line.samples() + line.contextAfter, first, last);
    out.audioStart = static_cast<double>(first) / rate;
    out.audio = {rate, 1, {}};
    out.audio.samples.reserve(static_cast<std::size_t>(last - first));
    appendMono(out.audio.samples, line.audio.samples.data() + (first + line.contextBefore) * line.audio.channels,
               known - first, line.audio.channels);
    out.audio.samples.resize(static_cast<std::size_t>(last - first));
    return out;
}

namespace {

// A little more than asked for: frame times and sample times round differently.
constexpr double kSlack = 0.05;

} // namespace

double windowEnd(const ChunkSpec& chunk, Rational fps, ContextReach reach)
{
    const FrameIndex behind = chunk.frameInLine + chunk.frames + portrait::kJoinAnchors;
    return secondsOf(behind, fps) + reach.aheadSeconds + kSlack;
}

LineContextStage::LineContextStage(std::shared_ptr<TaskQueue> queue, ContextReach reach)
    : m_queue(std::move(queue)), m_reach(reach)
{
}

ChunkContext LineContextStage::lineContext(const ChunkSpec& chunk)
{
    ChunkContext out;
    out.line = m_queue->line(chunk.task);
    const LineTask& line = *out.line;
    const Rational fps = m_queue->shape().fps;
    out.window = lineWindow(line, secondsOf(chunk.frameInLine, fps) - m_reach.behindSeconds - kSlack,
                            windowEnd(chunk, fps, m_reach));
    const auto begin = line.audio.samples.begin() +
                       (line.contextBefore + chunk.sampleInLine) * line.audio.channels;
    out.audio = {line.audio.sampleRate, line.audio.channels, {begin, begin + chunk.samples * line.audio.channels}};
    out.startsTask = chunk.indexInLine == line.firstChunk;
    if (chunk.endsLine)
        m_queue->release(chunk.task);
    return out;
}

Result<void> LineContextStage::run(const ChunkSpec& chunk, ChunkSpec, const pipeline::Emit<ChunkContext>& emit,
                                   const CancelToken&)
{
    ChunkContext context;
    if (chunk.kind == pipeline::ChunkKind::N) {
        context = lineContext(chunk);
    } else {
        context.join = m_queue->join(chunk.task);
        m_queue->release(chunk.task);
    }
    return emit(std::move(context)) ? Result<void>{} : cancelled();
}

} // namespace loquor::stages
