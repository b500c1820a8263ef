// What is laid over pictures, one multiplication and one addition for each pixel. Private to core/media.
#pragma once

#include <cstdint>
#include <vector>

#include "core/media/yuv.h"

namespace loquor::media {

// Part of a picture, even in place and size.
class CaptionLayer
{
public:
    struct Mask // how much of each pixel a colour covers
    {
        int x = 0, y = 0, width = 0, height = 0, stride = 0;
        const std::uint8_t* cover = nullptr;
        std::uint32_t colour = 0; // 0xRRGGBBAA; AA: 255 is nothing, 0 all
    };

    // The masks one over the other, cut at the edges of a picture of this size.
    static CaptionLayer of(const std::vector<Mask>& masks, int width, int height);
    bool isEmpty() const { return m_width == 0; }
    int width() const { return m_width; }
    void lay(const YuvPlanes& picture) const;

private:
    int m_x = 0, m_y = 0, m_width = 0, m_height = 0;
    std::vector<std::uint8_t> m_keep, m_add;                      // luma: new = old * keep / 255 + add
    std::vector<std::uint8_t> m_chromaKeep, m_addU, m_addV;
};

} // namespace loquor::media
