// The samples of a caption track in an MP4 (tx3g). Private to core/media.
#pragma once

#include <string>
#include <vector>

#include "core/media/ffmpeg_support.h"
#include "core/media/mp4_encoders.h"
#include "core/media/segments.h"

namespace loquor::media {

// InvalidArgument: out of order, without length, too long.
Result<> checkCaptions(const std::vector<Caption>& captions);

// Whoever writes the pictures calls writeUntil() in order of time. The captions must outlive it.
class CaptionStream
{
public:
    // Before the muxer's header. `language`: three letters; "" = none.
    static Result<CaptionStream> add(Mp4Muxer& muxer, const std::vector<Caption>& captions, const std::string& language = {});

    // The captions that begin before this time, in seconds.
    Result<> writeUntil(double seconds, Mp4Muxer& muxer);
    // The rest, and nothing up to the end of the video.
    Result<> finish(double end, Mp4Muxer& muxer);

private:
    CaptionStream(AVStream& stream, const std::vector<Caption>& captions) : m_stream(&stream), m_captions(&captions) {}
    Result<> write(double start, double end, const std::string& text, Mp4Muxer& muxer) const;

    AVStream* m_stream;
    const std::vector<Caption>* m_captions;
    std::size_t m_next = 0;
    double m_end = 0; // of what was written
};

} // namespace loquor::media
