#include "core/media/stream_decoder.h"

namespace loquor::media {

Result<> StreamDecoder::open(Demuxer& demuxer, AVStream& stream, int threads, const char* what)
{
    m_demuxer = &demuxer;
    m_stream = &stream;
    m_what = what;
    m_isDraining = false;
    LQ_TRY(m_decoder, openDecoder(stream, threads, demuxer.shownName()));
    return {};
}

void StreamDecoder::restart()
{
    m_isDraining = false;
    avcodec_flush_buffers(m_decoder.get());
}

Result<bool> StreamDecoder::next(AVFrame& frame)
{
    for (;;) {
        const int code = avcodec_receive_frame(m_decoder.get(), &frame);
        if (code == 0)
            return true;
        if (code == AVERROR_EOF)
            return false;
        if (code != AVERROR(EAGAIN))
            noteDamage(code);
        if (m_isDraining)
            return false;
        LQ_CHECKED(feed());
    }
}

Result<> StreamDecoder::feed()
{
    auto more = m_demuxer->readPacket(*m_packet);
    if (!more && m_demuxer->readErrno() != 0)
        return fail(std::move(more).error());
    if (!more)
        noteDamage(AVERROR_INVALIDDATA); // a cut file ends here
    if (!more || !*more) {
        m_isDraining = true;
        avcodec_send_packet(m_decoder.get(), nullptr);
        return {};
    }
    if (m_packet->stream_index == m_stream->index)
        if (const int code = avcodec_send_packet(m_decoder.get(), m_packet.get()); code < 0)
            noteDamage(code);
    av_packet_unref(m_packet.get());
    return {};
}

void StreamDecoder::noteDamage(int code)
{
    ++m_damaged;
    m_lastError = avError(code, "Cannot decode the " + m_what + " in " + m_demuxer->shownName());
}

} // namespace loquor::media
