#include "core/media/audio_convert.h"

#include <algorithm>

#include "core/media/swr_converter.h"

namespace loquor::media {

struct AudioConverter::Impl
{
    SwrConverter swr;
    int channels;
};

AudioConverter::AudioConverter(std::unique_ptr<Impl> impl) : m(std::move(impl))
{
}
AudioConverter::~AudioConverter() = default;
AudioConverter::AudioConverter(AudioConverter&&) noexcept = default;
AudioConverter& AudioConverter::operator=(AudioConverter&&) noexcept = default;

Result<AudioConverter> AudioConverter::create(int fromRate, int fromChannels, int toRate,
                                              int toChannels)
{
    routeFfmpegLog();
    SwrConverter::Input input;
    input.sampleRate = fromRate;
    if (fromChannels > 0)
        av_channel_layout_default(&input.layout, fromChannels);
    LQ_TRY(SwrConverter swr, SwrConverter::create(input, toRate, toChannels));
    return AudioConverter(std::make_unique<Impl>(Impl{std::move(swr), fromChannels}));
}

Result<> AudioConverter::push(const float* samples, SampleIndex frames, std::vector<float>& out)
{
    constexpr SampleIndex kPiece = 1 << 16;
    for (SampleIndex done = 0; done < frames; done += kPiece) {
        const auto* data = reinterpret_cast<const std::uint8_t*>(samples + done * m->channels);
        LQ_CHECKED(m->swr.push(&data, static_cast<int>(std::min(frames - done, kPiece)), out));
    }
    return {};
}

Result<> AudioConverter::finish(std::vector<float>& out)
{
    return m->swr.finish(out);
}

Result<AudioBlock> converted(const AudioBlock& block, int sampleRate, int channels)
{
    const int toChannels = channels > 0 ? channels : block.channels;
    if (block.sampleRate == sampleRate && block.channels == toChannels)
        return block;
    LQ_TRY(AudioConverter converter,
           AudioConverter::create(block.sampleRate, block.channels, sampleRate, toChannels));
    AudioBlock out;
    out.sampleRate = sampleRate;
    out.channels = toChannels;
    LQ_CHECKED(converter.push(block.samples.data(), block.frames(), out.samples));
    LQ_CHECKED(converter.finish(out.samples));
    return out;
}

} // namespace loquor::media
