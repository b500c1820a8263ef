#include <cstring>

#include "core/media/segment_export.h"
#include "core/media/segment_file.h"

namespace loquor::media {

namespace {

// Copies the pictures of parts, one after the other.
class Copier
{
public:
    Copier(SegmentExport& target, const ExportOptions& options, const std::vector<SegmentPart>& parts)
        : m_target(target), m_options(options), m_parts(parts)
    {
    }

    Result<> copy(const SegmentPart& part)
    {
        LQ_TRY(SegmentFile file, SegmentFile::open(part.file));
        LQ_CHECKED(fits(file));
        LQ_CHECKED(file.checkPart(part));
        FrameIndex number = 0;
        for (; number < part.fromFrame + part.frames; ++number) {
            av_packet_unref(m_packet.get());
            LQ_TRY(const bool more, file.next(*m_packet));
            if (!more)
                break;
            if (number < part.fromFrame)
                continue;
            if (number == part.fromFrame && (m_packet->flags & AV_PKT_FLAG_KEY) == 0)
                return fail(ErrorCode::InvalidArgument, "The chunk video " + file.shownName() +
                                                            " cannot be cut at frame " + std::to_string(number) +
                                                            ": it is no key frame.");
            LQ_CHECKED(write());
        }
        if (number < part.fromFrame + part.frames)
            return fail(file.damage("has " + std::to_string(number) + " of " +
                                    std::to_string(part.fromFrame + part.frames) + " frames"));
        return {};
    }
    FrameIndex frames() const { return m_frames; }

private:
    Result<> write()
    {
        LQ_CHECKED(m_target.beforePicture(m_frames));
        const AVRational timeBase = av_inv_q(toAv(m_options.video.fps));
        m_packet->pts = m_packet->dts = m_frames++;
        m_packet->duration = 1;
        m_packet->pos = -1;
        return m_target.muxer().writeNow(*m_packet, m_target.videoStream(), timeBase);
    }

    // The first segment gives the parameters, all others must have the same.
    Result<> fits(const SegmentFile& file)
    {
        const AVCodecParameters& p = *file.stream().codecpar;
        if (p.width != m_options.video.width || p.height != m_options.video.height)
            return fail(ErrorCode::InvalidArgument, "The chunk video " + file.shownName() + " is " +
                                                        std::to_string(p.width) + "x" + std::to_string(p.height) +
                                                        ", the others are " + std::to_string(m_options.video.width) +
                                                        "x" + std::to_string(m_options.video.height) + ".");
        const std::vector<std::uint8_t> sets(p.extradata, p.extradata + p.extradata_size);
        if (m_sets.empty()) {
            m_sets = sets;
            return start(p);
        }
        if (sets != m_sets)
            return fail(ErrorCode::InvalidArgument, "The chunk video " + file.shownName() +
                                                        " was encoded with other settings than the one before it.");
        return {};
    }

    Result<> start(const AVCodecParameters& first)
    {
        AVCodecParameters* parameters = avcodec_parameters_alloc();
        if (parameters == nullptr || avcodec_parameters_copy(parameters, &first) < 0)
            throw std::bad_alloc();
        parameters->codec_tag = 0;
        parameters->format = AV_PIX_FMT_YUV420P;
        parameters->sample_aspect_ratio = {1, 1};
        parameters->video_delay = 0;
        parameters->bit_rate = 0;
        tagAsBt709(*parameters);
        auto stream = m_target.muxer().addStream(*parameters, av_inv_q(toAv(m_options.video.fps)));
        avcodec_parameters_free(&parameters);
        if (!stream)
            return fail(std::move(stream).error());
        (*stream)->avg_frame_rate = toAv(m_options.video.fps);
        m_target.setVideoStream(*stream);
        return m_target.start(m_parts);
    }

    SegmentExport& m_target;
    const ExportOptions& m_options;
    const std::vector<SegmentPart>& m_parts;
    PacketPtr m_packet = makePacket();
    std::vector<std::uint8_t> m_sets; // SPS and PPS
    FrameIndex m_frames = 0;
};

Result<Mp4Summary> copyAll(SegmentExport& target, const std::vector<SegmentPart>& parts, const ExportOptions& options,
                           const CancelToken& cancel)
{
    if (parts.empty())
        return fail(ErrorCode::EmptyInput, "There are no pictures to export.");
    Copier copier(target, options, parts);
    for (const SegmentPart& part : parts) {
        if (cancel.isCancelled())
            return cancelled();
        {
            const TraceScope scope(options.trace, "copy", part.of);
            LQ_CHECKED(copier.copy(part));
        }
        if (options.onProgress)
            options.onProgress(copier.frames());
    }
    return target.finish(copier.frames(), nullptr);
}

} // namespace

Result<Mp4Summary> copySegments(const std::filesystem::path& file, const std::vector<SegmentPart>& parts,
                                const ExportOptions& options, const SoundSource& sound, platform::IfExists ifExists,
                                const CancelToken& cancel)
{
    LQ_TRY(const std::unique_ptr<SegmentExport> target, SegmentExport::create(file, options, sound, ifExists));
    return copyAll(*target, parts, options, cancel); // destruction removes what was not finished
}

} // namespace loquor::media
