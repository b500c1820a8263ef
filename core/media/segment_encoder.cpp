#include <algorithm>

#include "core/media/segment_export.h"
#include "core/media/segment_pictures.h"
#include "core/media/video_track.h"

namespace loquor::media {

Result<Mp4Summary> encodeSegments(const std::filesystem::path& file, const std::vector<SegmentPart>& parts,
                                  const ExportOptions& options, const SoundSource& sound, platform::IfExists ifExists,
                                  const CancelToken& cancel)
{
    LQ_TRY(const std::unique_ptr<SegmentExport> target, SegmentExport::create(file, options, sound, ifExists));
    LQ_TRY(VideoTrack track,
           VideoTrack::create(target->muxer(), codingOf(options.video), VideoTrack::Order::AsTheyCome));
    target->setVideoStream(track.stream());
    track.setBeforeEach([&target](FrameIndex frame) { return target->beforePicture(frame); });
    LQ_CHECKED(target->start(parts));
    SegmentPictures pictures(parts, options.video.width, options.video.height, 0, options.trace, cancel);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const TraceScope scope(options.trace, "encode", parts[i].of);
        for (FrameIndex k = 0; k < std::max<FrameIndex>(parts[i].frames, 1); ++k) {
            if (cancel.isCancelled())
                return cancelled();
            LQ_TRY(const AvFramePtr picture, pictures.next(i));
            LQ_CHECKED(track.add(*picture));
        }
        if (options.onProgress)
            options.onProgress(track.encoder().framesIn());
    }
    LQ_CHECKED(track.finish());
    return target->finish(track.encoder().framesIn(), &track.encoder());
}

} // namespace loquor::media
