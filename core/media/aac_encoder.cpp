#include <algorithm>

#include "core/base/trace.h"
#include "core/media/mp4_encoders.h"

namespace loquor::media {

// At lower rates one AAC frame is longer than a video frame, and players expect these two.
int aacRate(int audioRate)
{
    return audioRate == 44'100 ? 44'100 : 48'000;
}

Result<AacEncoder> AacEncoder::create(const AacCoding& coding, bool globalHeader)
{
    const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_AAC);
    if (codec == nullptr)
        return fail(ErrorCode::Unsupported, "This FFmpeg has no AAC encoder.");
    AacEncoder self;
    self.m_context.reset(avcodec_alloc_context3(codec));
    self.m_frame = makeFrame();
    self.m_packet = makePacket();
    AVCodecContext& context = *self.m_context;
    const int rate = aacRate(coding.rate);
    context.sample_rate = rate;
    context.sample_fmt = AV_SAMPLE_FMT_FLTP;
    context.bit_rate = coding.bitrate;
    context.time_base = {1, rate};
    context.thread_count = 1;
    av_channel_layout_default(&context.ch_layout, coding.channels);
    // Half the time of FFmpeg's usual search, and closer to the sound at our rates (see DESIGN.md).
    av_opt_set(context.priv_data, "aac_coder", "fast", 0);
    if (globalHeader)
        context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if (const int code = avcodec_open2(&context, codec, nullptr); code < 0)
        return fail(avError(code, "Cannot start the AAC encoder for " +
                                      std::to_string(coding.channels) + " channels"));
    if (rate != coding.rate) {
        SwrConverter::Input input;
        input.sampleRate = coding.rate;
        av_channel_layout_default(&input.layout, coding.channels);
        LQ_TRY(SwrConverter converter, SwrConverter::create(input, rate, coding.channels));
        self.m_converter = std::make_unique<SwrConverter>(std::move(converter));
    }
    return self;
}

Result<> AacEncoder::encode(const float* samples, SampleIndex frames, const PacketSink& sink)
{
    constexpr SampleIndex kPiece = 1 << 15;
    const int channels = m_context->ch_layout.nb_channels;
    for (SampleIndex done = 0; done < frames; done += kPiece) {
        const SampleIndex count = std::min(frames - done, kPiece);
        const float* from = samples + done * channels;
        const double start = threadCpuSeconds();
        if (m_converter) {
            const auto* data = reinterpret_cast<const std::uint8_t*>(from);
            LQ_CHECKED(m_converter->push(&data, static_cast<int>(count), m_pending));
        } else {
            m_pending.insert(m_pending.end(), from, from + count * channels);
        }
        m_conversionCpu += threadCpuSeconds() - start;
        m_in += count;
        LQ_CHECKED(sendPending(sink, false));
    }
    return {};
}

Result<> AacEncoder::sendPending(const PacketSink& sink, bool isLast)
{
    const auto channels = static_cast<std::size_t>(m_context->ch_layout.nb_channels);
    const auto size = static_cast<std::size_t>(m_context->frame_size);
    std::size_t taken = 0;
    for (;;) {
        const std::size_t left = m_pending.size() / channels - taken;
        const std::size_t count = std::min(left, size);
        if (count == 0 || (count < size && !isLast))
            break;
        const double start = threadCpuSeconds();
        AVFrame& frame = *m_frame;
        av_frame_unref(&frame);
        frame.format = m_context->sample_fmt;
        frame.nb_samples = static_cast<int>(count);
        frame.sample_rate = m_context->sample_rate;
        av_channel_layout_copy(&frame.ch_layout, &m_context->ch_layout);
        if (const int code = av_frame_get_buffer(&frame, 0); code < 0)
            return fail(avError(code, "Cannot encode the sound"));
        for (std::size_t c = 0; c < channels; ++c) {
            auto* to = reinterpret_cast<float*>(frame.extended_data[c]);
            for (std::size_t i = 0; i < count; ++i)
                to[i] = m_pending[(taken + i) * channels + c];
        }
        frame.pts = m_sent;
        m_sent += static_cast<SampleIndex>(count);
        taken += count;
        const int code = avcodec_send_frame(m_context.get(), &frame);
        m_cpu += threadCpuSeconds() - start;
        if (code < 0)
            return fail(avError(code, "Cannot encode the sound"));
        LQ_CHECKED(receive(sink));
    }
    m_pending.erase(m_pending.begin(),
                    m_pending.begin() + static_cast<std::ptrdiff_t>(taken * channels));
    return {};
}

Result<> AacEncoder::receive(const PacketSink& sink)
{
    for (;;) {
        const double start = threadCpuSeconds();
        const int code = avcodec_receive_packet(m_context.get(), m_packet.get());
        m_cpu += threadCpuSeconds() - start;
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF)
            return {};
        if (code < 0)
            return fail(avError(code, "Cannot encode the sound"));
        LQ_CHECKED(sink(*m_packet));
    }
}

Result<> AacEncoder::finish(const PacketSink& sink)
{
    if (m_converter)
        LQ_CHECKED(m_converter->finish(m_pending));
    LQ_CHECKED(sendPending(sink, true));
    if (const int code = avcodec_send_frame(m_context.get(), nullptr); code < 0)
        return fail(avError(code, "Cannot encode the sound"));
    return receive(sink);
}

} // namespace loquor::media
