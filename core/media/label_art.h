// A label drawn once, and laid over pictures of one size. Private to core/media.
#pragma once

#include <cstdint>
#include <vector>

#include "core/media/ffmpeg_support.h"
#include "core/media/picture_label.h"

namespace loquor::media {

// Immutable. FFmpeg's drawtext draws the letters (FreeType, a font of the system that has them); what it gives is
// kept as one multiplication and one addition for each pixel of the field.
class LabelArt
{
public:
    // InvalidArgument: no room for the text, a size out of range, control characters. Unsupported: no font.
    static Result<LabelArt> draw(const PictureLabel& label, int width, int height);
    // On yuv420p of that size, limited range, which must be writable.
    void lay(AVFrame& picture) const;
    // Rows of its field.
    int top() const { return m_luma.y; }
    int bottom() const { return m_luma.y + m_luma.height; }

private:
    struct Plane
    {
        int x = 0, y = 0, width = 0, height = 0;
        std::vector<std::uint8_t> keep, add; // new = old * keep / 255 + add
    };
    static void layPlane(const Plane& plane, std::uint8_t* data, int stride);

    Plane m_luma, m_chroma;
};

} // namespace loquor::media
