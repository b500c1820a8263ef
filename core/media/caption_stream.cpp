#include "core/media/caption_stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>

namespace loquor::media {

namespace {

constexpr AVRational kMilliseconds{1, 1000};

// The sample description of a tx3g track: white, centred, at the bottom, one font.
constexpr std::array<std::uint8_t, 48> kCaptionStyle{
    0, 0, 0, 0, 1, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,       // flags, justification, colour, box
    0, 0, 0, 0, 0, 1, 0, 16, 0xFF, 0xFF, 0xFF, 0xFF,              // style: font 1, 16 points
    0, 0, 0, 18, 'f', 't', 'a', 'b', 0, 1, 0, 1, 5, 'A', 'r', 'i', 'a', 'l'};

} // namespace

Result<> checkCaptions(const std::vector<Caption>& captions)
{
    double before = 0;
    for (const Caption& caption : captions) {
        if (!(caption.start >= before - 1e-6) || !(caption.end > caption.start) || caption.text.size() > 0xFFFF)
            return fail(ErrorCode::InvalidArgument, "The caption '" + caption.text.substr(0, 40) +
                                                        "' is out of order or has no length.");
        before = caption.end;
    }
    return {};
}

Result<CaptionStream> CaptionStream::add(Mp4Muxer& muxer, const std::vector<Caption>& captions, const std::string& language)
{
    AVCodecParameters* parameters = avcodec_parameters_alloc();
    if (parameters == nullptr)
        throw std::bad_alloc();
    parameters->codec_type = AVMEDIA_TYPE_SUBTITLE;
    parameters->codec_id = AV_CODEC_ID_MOV_TEXT;
    parameters->extradata = static_cast<std::uint8_t*>(av_mallocz(kCaptionStyle.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    if (parameters->extradata != nullptr) {
        std::copy(kCaptionStyle.begin(), kCaptionStyle.end(), parameters->extradata);
        parameters->extradata_size = static_cast<int>(kCaptionStyle.size());
    }
    auto stream = muxer.addStream(*parameters, kMilliseconds);
    avcodec_parameters_free(&parameters);
    if (!stream)
        return fail(std::move(stream).error());
    if (!language.empty())
        av_dict_set(&(*stream)->metadata, "language", language.c_str(), 0);
    return CaptionStream(**stream, captions);
}

// A sample of a caption track: its length, its text; nothing is a sample too.
Result<> CaptionStream::write(double start, double end, const std::string& text, Mp4Muxer& muxer) const
{
    const auto from = static_cast<std::int64_t>(std::llround(start * 1000));
    const auto to = static_cast<std::int64_t>(std::llround(end * 1000));
    if (to <= from)
        return {};
    PacketPtr packet = makePacket();
    if (av_new_packet(packet.get(), static_cast<int>(text.size()) + 2) < 0)
        throw std::bad_alloc();
    packet->data[0] = static_cast<std::uint8_t>(text.size() >> 8);
    packet->data[1] = static_cast<std::uint8_t>(text.size() & 0xFF);
    std::copy(text.begin(), text.end(), packet->data + 2);
    packet->pts = packet->dts = from;
    packet->duration = to - from;
    packet->flags |= AV_PKT_FLAG_KEY;
    return muxer.writeNow(*packet, *m_stream, kMilliseconds);
}

Result<> CaptionStream::writeUntil(double seconds, Mp4Muxer& muxer)
{
    for (; m_next < m_captions->size(); ++m_next) {
        const Caption& caption = (*m_captions)[m_next];
        if (caption.start >= seconds)
            break;
        LQ_CHECKED(write(m_end, caption.start, {}, muxer));
        LQ_CHECKED(write(caption.start, caption.end, caption.text, muxer));
        m_end = caption.end;
    }
    return {};
}

Result<> CaptionStream::finish(double end, Mp4Muxer& muxer)
{
    LQ_CHECKED(writeUntil(end, muxer));
    return write(m_end, end, {}, muxer);
}

} // namespace loquor::media
