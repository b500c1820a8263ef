// libswresample with exact lengths. Private to core/media.
#pragma once

#include <vector>

#include "core/media/ffmpeg_support.h"

namespace loquor::media {

// From any FFmpeg sample format, layout and rate to interleaved float.
class SwrConverter
{
public:
    struct Input
    {
        AVSampleFormat format = AV_SAMPLE_FMT_FLT;
        AVChannelLayout layout{};
        int sampleRate = 0;
    };
    // `channels` 0 = as the input.
    static Result<SwrConverter> create(const Input& input, int sampleRate, int channels);

    int channels() const { return m_channels; }
    bool isFor(const Input& input) const;
    // Appends the output of `frames` sample frames; data as in AVFrame::extended_data.
    Result<> push(const std::uint8_t* const* data, int frames, std::vector<float>& out);
    Result<> pushSilence(std::int64_t frames, std::vector<float>& out);
    // Appends the rest; afterwards exactly ceil(in * rate / inRate) frames came out in all.
    Result<> finish(std::vector<float>& out);

private:
    Result<> convert(const std::uint8_t* const* data, int frames, std::vector<float>& out);
    void append(int frames, std::vector<float>& out);

    SwrPtr m_swr;
    Input m_input;
    int m_rate = 0;
    int m_channels = 0;    // delivered
    int m_swrChannels = 0; // that libswresample makes; averaged here when it knows no mix
    std::int64_t m_in = 0, m_out = 0;
    std::vector<float> m_buffer;
};

} // namespace loquor::media
