#include "core/media/segment_export.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/media/mp4_check.h"
#include "core/platform/paths.h"

namespace loquor::media {

namespace {

constexpr SampleIndex kSoundPiece = 1 << 16;
constexpr double kRunSeconds = .3; // of sound, between pictures

} // namespace

Result<std::unique_ptr<SegmentExport>> SegmentExport::create(const std::filesystem::path& file,
                                                             const ExportOptions& options, SoundSource sound,
                                                             platform::IfExists ifExists)
{
    LQ_CHECKED(checkOptions(options.video));
    LQ_CHECKED(checkCaptions(options.captions));
    if (options.video.audioRate > 0 && !sound)
        return fail(ErrorCode::InvalidArgument, "A video with sound needs sound.");
    LQ_TRY(platform::AtomicFile target, platform::AtomicFile::create(file, ifExists));
    std::unique_ptr<SegmentExport> out(new SegmentExport);
    out->m_options = options;
    out->m_sound = std::move(sound);
    LQ_TRY(out->m_muxer, Mp4Muxer::create(std::move(target)));
    return out;
}

Result<> SegmentExport::start(const std::vector<SegmentPart>& parts)
{
    const Mp4Options& video = m_options.video;
    if (video.audioRate > 0) {
        LQ_TRY(AacSpans spans, AacSpans::create({video.audioRate, video.audioChannels, video.audioBitrate},
                                                m_options.soundThreads));
        m_spans.emplace(std::move(spans));
        LQ_TRY(m_audioStream, m_muxer->addStream(m_spans->context()));
    } else {
        m_soundEnded = true;
    }
    if (!m_options.captions.empty()) {
        LQ_TRY(CaptionStream captions, CaptionStream::add(*m_muxer, m_options.captions, m_options.captionLanguage));
        m_captions.emplace(std::move(captions));
    }
    m_muxer->setTags(video.tags);
    return m_muxer->writeHeader({.inFront = true, .room = roomForIndex(parts)});
}

// Room for the index in front spares moving the whole file when it is known at the end. A frame takes at
// most 21 bytes of it (size, key frame, order of display, dependency), a sound packet 4, a run of samples
// in the file 20; the rest is small.
std::int64_t SegmentExport::roomForIndex(const std::vector<SegmentPart>& parts) const
{
    std::int64_t frames = 0;
    for (const SegmentPart& part : parts)
        frames += std::max<FrameIndex>(part.frames, 0);
    const double seconds = secondsOf(frames, m_options.video.fps);
    const auto packets = m_spans ? static_cast<std::int64_t>(seconds * aacRate(m_options.video.audioRate) / 1024) : 0;
    std::int64_t text = 0;
    for (const auto& [name, value] : m_options.video.tags)
        text += static_cast<std::int64_t>(2 * (name.size() + value.size()) + 200);
    const auto runs = 3 * static_cast<std::int64_t>(seconds / kRunSeconds + 1) + frames / 4;
    return frames * 24 + packets * 6 + runs * 20 + text +
           static_cast<std::int64_t>(m_options.captions.size()) * 100 + (64 << 10);
}

Result<> SegmentExport::pullSound()
{
    LQ_TRY(const AudioBlock block, m_sound(kSoundPiece));
    if (block.samples.empty()) {
        m_soundEnded = true;
        return m_spans->finish();
    }
    if (block.sampleRate != m_options.video.audioRate || block.channels != m_options.video.audioChannels)
        return fail(ErrorCode::InvalidArgument, "The sound has another shape than the video was started with.");
    return m_spans->add(block.samples.data(), block.frames());
}

Result<> SegmentExport::writeSound(double until)
{
    while (m_spans) {
        if (!m_held) {
            LQ_TRY(m_held, m_spans->next());
            if (!m_held && m_soundEnded)
                return {};
            if (!m_held) {
                LQ_CHECKED(pullSound());
                continue;
            }
        }
        const AVRational timeBase = m_spans->context().time_base;
        if (static_cast<double>(m_held->pts) * av_q2d(timeBase) >= until)
            return {};
        LQ_CHECKED(m_muxer->writeNow(*m_held, *m_audioStream, timeBase));
        m_held.reset();
    }
    return {};
}

Result<> SegmentExport::beforePicture(FrameIndex frame)
{
    if (frame < m_soundUntil)
        return {};
    const auto step = static_cast<FrameIndex>(kRunSeconds * m_options.video.fps.toDouble());
    m_soundUntil = frame + std::max<FrameIndex>(step, 1);
    const double seconds = secondsOf(m_soundUntil, m_options.video.fps);
    LQ_CHECKED(writeSound(seconds));
    return m_captions ? m_captions->writeUntil(seconds, *m_muxer) : Result<>();
}

Result<> SegmentExport::checkLengths(FrameIndex frames) const
{
    const std::string name = platform::quotedPath(m_muxer->file().path());
    if (frames == 0)
        return fail(ErrorCode::EmptyInput, "There are no pictures to write to " + name + ".");
    if (!m_spans)
        return {};
    const double picture = secondsOf(frames, m_options.video.fps);
    const double sound = static_cast<double>(m_spans->framesIn()) / m_options.video.audioRate;
    if (std::abs(picture - sound) * m_options.video.fps.toDouble() >= 1.0)
        return fail(ErrorCode::Corrupt, "Picture and sound of " + name + " differ in length: " +
                                            std::to_string(picture) + " and " + std::to_string(sound) + " seconds.");
    return {};
}

Result<Mp4Summary> SegmentExport::finish(FrameIndex frames, const H264Encoder* encoder)
{
    LQ_CHECKED(writeSound(std::numeric_limits<double>::infinity()));
    LQ_CHECKED(checkLengths(frames));
    const double end = secondsOf(frames, m_options.video.fps);
    if (m_captions)
        LQ_CHECKED(m_captions->finish(end, *m_muxer));
    LQ_CHECKED(m_muxer->writeTrailer());
    const Mp4Options& video = m_options.video;
    LQ_CHECKED(verifyMp4(m_muxer->file(), {video.width, video.height, video.fps, frames, m_spans.has_value()}));
    Mp4Summary out;
    out.frames = frames;
    out.videoSeconds = end;
    if (encoder != nullptr) {
        out.encoderCpuSeconds = encoder->cpuSeconds();
        out.conversionCpuSeconds = encoder->conversionCpuSeconds();
    }
    if (m_spans) {
        out.audioFrames = m_spans->framesIn();
        out.audioSeconds = static_cast<double>(out.audioFrames) / video.audioRate;
        out.encoderCpuSeconds += m_spans->cpuSeconds();
        out.conversionCpuSeconds += m_spans->conversionCpuSeconds();
    }
    LQ_TRY(out.bytes, m_muxer->commit());
    return out;
}

} // namespace loquor::media
