// A segment as it lies on the disk: its parameters and packets. Private to core/media.
#pragma once

#include "core/media/h264_chain.h"
#include "core/media/segments.h"

namespace loquor::media {

// Reads the packets of a segment once, in order; packet k is frame k. Errors name the file.
class SegmentFile
{
public:
    static Result<SegmentFile> open(const std::filesystem::path& file);

    const AVStream& stream() const { return *m_stream; }
    const std::string& shownName() const { return m_demuxer->shownName(); }
    // The next packet: true; the end: false. Damaged ones are Corrupt.
    Result<bool> next(AVPacket& packet);
    // InvalidArgument when the part holds no frames.
    Result<> checkPart(const SegmentPart& part) const;
    Error damage(const std::string& what) const;

private:
    SegmentFile() = default;
    std::unique_ptr<Demuxer> m_demuxer;
    AVStream* m_stream = nullptr;
    std::optional<H264ChainCheck> m_chain;
};

} // namespace loquor::media
