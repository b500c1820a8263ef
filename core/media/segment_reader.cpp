#include "core/media/rgb_converter.h"
#include "core/media/segment_file.h"
#include "core/media/segments.h"

namespace loquor::media {

struct SegmentReader::Impl
{
    std::optional<SegmentFile> file;
    std::vector<PacketPtr> packets;
    CodecPtr decoder;
    RgbConverter converter;
    AvFramePtr decoded = makeFrame();
    FrameIndex next = -1; // the frame that the decoder gives next; -1 = nothing was sent

    Result<> read(const std::filesystem::path& path)
    {
        LQ_TRY(file, SegmentFile::open(path));
        for (;;) {
            PacketPtr packet = makePacket();
            LQ_TRY(const bool more, file->next(*packet));
            if (!more)
                break;
            packets.push_back(std::move(packet));
        }
        if (packets.empty() || !isKey(0))
            return fail(file->damage("holds no pictures"));
        // One thread: others would hold frames back that are wanted now.
        LQ_TRY(decoder, openDecoder(file->stream(), 1, file->shownName()));
        const AVCodecParameters& p = *file->stream().codecpar;
        converter.configure({}, p.width, p.height);
        return {};
    }

    bool isKey(FrameIndex frame) const
    {
        return (packets[static_cast<std::size_t>(frame)]->flags & AV_PKT_FLAG_KEY) != 0;
    }

    // Decodes the frame that follows the one decoded before. Without B frames each packet gives its picture.
    Result<> decodeNext()
    {
        const int sent = avcodec_send_packet(decoder.get(), packets[static_cast<std::size_t>(next)].get());
        const int code = sent < 0 ? sent : avcodec_receive_frame(decoder.get(), decoded.get());
        if (code < 0)
            return fail(file->damage("cannot be decoded at frame " + std::to_string(next)));
        ++next;
        return {};
    }

    Result<Image> frame(FrameIndex wanted)
    {
        FrameIndex key = wanted;
        while (!isKey(key))
            --key;
        if (next < 0 || next > wanted || key > next) {
            avcodec_flush_buffers(decoder.get());
            next = key;
        }
        while (next <= wanted)
            LQ_CHECKED(decodeNext());
        return converter.convert(*decoded);
    }
};

SegmentReader::SegmentReader(std::unique_ptr<Impl> impl)
    : m(std::move(impl))
{
}
SegmentReader::~SegmentReader() = default;
SegmentReader::SegmentReader(SegmentReader&&) noexcept = default;
SegmentReader& SegmentReader::operator=(SegmentReader&&) noexcept = default;

Result<SegmentReader> SegmentReader::open(const std::filesystem::path& file)
{
    auto impl = std::make_unique<Impl>();
    LQ_CHECKED(impl->read(file));
    return SegmentReader(std::move(impl));
}

std::int64_t SegmentReader::frames() const
{
    return static_cast<std::int64_t>(m->packets.size());
}

int SegmentReader::width() const
{
    return m->file->stream().codecpar->width;
}

int SegmentReader::height() const
{
    return m->file->stream().codecpar->height;
}

bool SegmentReader::isKeyFrame(FrameIndex frame) const
{
    return frame >= 0 && frame < frames() && m->isKey(frame);
}

Result<Image> SegmentReader::frame(FrameIndex frame)
{
    if (frame < 0 || frame >= frames())
        return fail(ErrorCode::InvalidArgument, "The chunk video " + m->file->shownName() + " has no frame " +
                                                    std::to_string(frame) + ".");
    auto image = m->frame(frame);
    if (!image) {
        avcodec_flush_buffers(m->decoder.get());
        m->next = -1;
    }
    return image;
}

} // namespace loquor::media
