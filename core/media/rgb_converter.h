// Decoded frames to RGB. Private to core/media.
#pragma once

#include "core/media/ffmpeg_support.h"
#include "core/media/image.h"
#include "core/media/video_reader.h"

namespace loquor::media {

// To RGB of one size, transparent parts on a colour. Keeps its tables from frame to frame.
class RgbConverter
{
public:
    void configure(const VideoReadOptions& options, int width, int height);
    Result<Image> convert(const AVFrame& frame);

private:
    Result<> prepare(const AVFrame& frame, AVPixelFormat format, bool isTransparent);
    Image onBackground(const Image& rgba) const;

    VideoReadOptions m_options;
    int m_width = 0, m_height = 0;
    SwsPtr m_scaler;
    AVPixelFormat m_format = AV_PIX_FMT_NONE;
    int m_fromWidth = 0, m_fromHeight = 0, m_matrix = 0;
    bool m_isFull = false;
};

} // namespace loquor::media
