#include "core/media/swr_converter.h"

#include <algorithm>
#include <array>

namespace loquor::media {

namespace {

bool sameLayout(const AVChannelLayout& a, const AVChannelLayout& b)
{
    return av_channel_layout_compare(&a, &b) == 0;
}

} // namespace

Result<SwrConverter> SwrConverter::create(const Input& input, int sampleRate, int channels)
{
    const std::string what = "Cannot convert sound from " + std::to_string(input.sampleRate) +
                             " Hz, " + std::to_string(input.layout.nb_channels) + " channels to " +
                             std::to_string(sampleRate) + " Hz";
    if (input.sampleRate < 1 || sampleRate < 1 || input.layout.nb_channels < 1 || channels < 0)
        return fail(ErrorCode::InvalidArgument, what + ".");
    SwrConverter self;
    self.m_input = input;
    self.m_rate = sampleRate;
    self.m_channels = channels > 0 ? channels : input.layout.nb_channels;
    // Files that do not say where their channels belong: the usual order for the count, and for
    // unusual counts plain averaging (see append).
    AVChannelLayout from = input.layout;
    if (from.order == AV_CHANNEL_ORDER_UNSPEC)
        av_channel_layout_default(&from, input.layout.nb_channels);
    AVChannelLayout to{};
    av_channel_layout_default(&to, self.m_channels);
    if (from.order == AV_CHANNEL_ORDER_UNSPEC || to.order == AV_CHANNEL_ORDER_UNSPEC ||
        self.m_channels == input.layout.nb_channels)
        to = from;
    self.m_swrChannels = to.nb_channels;
    SwrContext* swr = nullptr;
    int code = swr_alloc_set_opts2(&swr, &to, AV_SAMPLE_FMT_FLT, sampleRate, &from, input.format,
                                   input.sampleRate, 0, nullptr);
    self.m_swr.reset(swr);
    if (code < 0)
        return fail(avError(code, what));
    // Without this bound float mixes add up: two equal channels would become 3 dB louder.
    av_opt_set_double(swr, "rematrix_maxval", 1.0, 0);
    av_opt_set_int(swr, "resampler", SWR_ENGINE_SOXR, 0);
    av_opt_set_double(swr, "precision", 24, 0);
    code = swr_init(swr);
    if (code < 0)
        return fail(avError(code, what));
    return self;
}

bool SwrConverter::isFor(const Input& input) const
{
    return input.format == m_input.format && input.sampleRate == m_input.sampleRate &&
           sameLayout(input.layout, m_input.layout);
}

void SwrConverter::append(int frames, std::vector<float>& out)
{
    const auto count = static_cast<std::size_t>(frames);
    const auto from = static_cast<std::size_t>(m_swrChannels);
    const auto to = static_cast<std::size_t>(m_channels);
    m_out += frames;
    if (from == to) {
        out.insert(out.end(), m_buffer.begin(),
                   m_buffer.begin() + static_cast<std::ptrdiff_t>(count * from));
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        float sum = 0;
        for (std::size_t c = 0; c < from; ++c)
            sum += m_buffer[i * from + c];
        out.insert(out.end(), to, sum / static_cast<float>(from));
    }
}

Result<> SwrConverter::convert(const std::uint8_t* const* data, int frames, std::vector<float>& out)
{
    const int room = std::max(swr_get_out_samples(m_swr.get(), frames), 64);
    m_buffer.resize(static_cast<std::size_t>(room) * static_cast<std::size_t>(m_swrChannels));
    auto* to = reinterpret_cast<std::uint8_t*>(m_buffer.data());
    // The input pointers are only read; FFmpeg 5 lacks the const.
    const int made =
        swr_convert(m_swr.get(), &to, room, const_cast<const std::uint8_t**>(data), frames);
    if (made < 0)
        return fail(avError(made, "Cannot convert sound"));
    append(made, out);
    return {};
}

Result<> SwrConverter::push(const std::uint8_t* const* data, int frames, std::vector<float>& out)
{
    if (frames <= 0)
        return {};
    m_in += frames;
    return convert(data, frames, out);
}

Result<> SwrConverter::pushSilence(std::int64_t frames, std::vector<float>& out)
{
    constexpr int kPiece = 4096;
    AvFramePtr silence = makeFrame();
    silence->format = m_input.format;
    silence->nb_samples = kPiece;
    av_channel_layout_copy(&silence->ch_layout, &m_input.layout);
    if (const int code = av_frame_get_buffer(silence.get(), 0); code < 0)
        return fail(avError(code, "Cannot convert sound"));
    av_samples_set_silence(silence->extended_data, 0, kPiece, m_input.layout.nb_channels,
                           m_input.format);
    for (; frames > 0; frames -= kPiece)
        LQ_CHECKED(push(silence->extended_data,
                        static_cast<int>(std::min<std::int64_t>(frames, kPiece)), out));
    return {};
}

Result<> SwrConverter::finish(std::vector<float>& out)
{
    const std::int64_t want = mulDivCeil(m_in, m_rate, m_input.sampleRate);
    for (std::int64_t before = -1; m_out != before && m_out < want;) {
        before = m_out;
        LQ_CHECKED(convert(nullptr, 0, out));
    }
    // The resampler may round the last sample the other way.
    const std::int64_t excess = m_out - want;
    const auto channels = static_cast<std::int64_t>(m_channels);
    out.resize(static_cast<std::size_t>(static_cast<std::int64_t>(out.size()) - excess * channels));
    m_out = want;
    return {};
}

} // namespace loquor::media
