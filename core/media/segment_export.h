// What copying and encoding segments into one file have in common: sound, captions, tags, order, end.
// Private to core/media.
#pragma once

#include <optional>

#include "core/media/aac_spans.h"
#include "core/media/caption_stream.h"
#include "core/media/segments.h"

namespace loquor::media {

// Create, add the video stream, start(), then before each picture beforePicture(), finish().
// Whoever gives up calls discard().
class SegmentExport
{
public:
    static Result<std::unique_ptr<SegmentExport>> create(const std::filesystem::path& file, const ExportOptions& options,
                                                         SoundSource sound, platform::IfExists ifExists);

    Mp4Muxer& muxer() { return *m_muxer; }
    void setVideoStream(AVStream* stream) { m_videoStream = stream; }
    const AVStream& videoStream() const { return *m_videoStream; }
    // Adds the other streams and writes the header. The parts say how large the index becomes.
    Result<> start(const std::vector<SegmentPart>& parts);
    // To be called before the pictures are written, in order: sound and captions up to somewhat beyond this one,
    // so that a reader finds them beside their pictures (less than half a second away).
    Result<> beforePicture(FrameIndex frame);
    // The rest; checks lengths and the file itself; the file gets its name. `encoder` may be null.
    Result<Mp4Summary> finish(FrameIndex frames, const H264Encoder* encoder);
    void discard() { m_muxer->file().discard(); }

private:
    SegmentExport() = default;
    std::int64_t roomForIndex(const std::vector<SegmentPart>& parts) const;
    Result<> pullSound();
    Result<> writeSound(double until);
    Result<> checkLengths(FrameIndex frames) const;

    ExportOptions m_options;
    SoundSource m_sound;
    std::unique_ptr<Mp4Muxer> m_muxer;
    AVStream* m_videoStream = nullptr;
    AVStream* m_audioStream = nullptr;
    std::optional<AacSpans> m_spans;
    PacketPtr m_held; // a sound packet that is not due yet
    bool m_soundEnded = false;
    FrameIndex m_soundUntil = 0; // sound and captions are written up to here
    std::optional<CaptionStream> m_captions;
};

} // namespace loquor::media
