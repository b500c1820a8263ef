#include "core/media/caption_layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace loquor::media {

namespace {

struct Yuv
{
    float y = 0, u = 0, v = 0;
};

// BT.709, limited range.
Yuv yuvOf(std::uint32_t colour)
{
    const auto part = [colour](int shift) { return static_cast<double>(colour >> shift & 0xFF) / 255; };
    const double r = part(24), g = part(16), b = part(8);
    const double y = .2126 * r + .7152 * g + .0722 * b;
    return {static_cast<float>(16 + 219 * y), static_cast<float>(128 + 224 * (b - y) / 1.8556),
            static_cast<float>(128 + 224 * (r - y) / 1.5748)};
}

std::uint8_t rounded(float value)
{
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.f, 255.f)));
}

struct Pixel
{
    float keep = 1, y = 0, u = 0, v = 0;
};

void layRow(const std::uint8_t* keep, const std::uint8_t* add, int count, std::uint8_t* row)
{
    for (int x = 0; x < count; ++x) {
        const auto product = static_cast<std::uint16_t>(row[x] * keep[x] + 128);
        const int kept = (product + (product >> 8)) >> 8; // divided by 255, exactly rounded
        row[x] = static_cast<std::uint8_t>(std::min(kept + add[x], 255));
    }
}

} // namespace

CaptionLayer CaptionLayer::of(const std::vector<Mask>& masks, int width, int height)
{
    CaptionLayer out;
    int left = width, top = height, right = 0, bottom = 0;
    for (const Mask& mask : masks) {
        left = std::min(left, std::max(mask.x, 0));
        top = std::min(top, std::max(mask.y, 0));
        right = std::max(right, std::min(mask.x + mask.width, width));
        bottom = std::max(bottom, std::min(mask.y + mask.height, height));
    }
    if (right <= left || bottom <= top)
        return out;
    out.m_x = left & ~1;
    out.m_y = top & ~1;
    out.m_width = (right - out.m_x + 1) & ~1; // sizes of pictures are even: it stays inside
    out.m_height = (bottom - out.m_y + 1) & ~1;
    const auto row = static_cast<std::size_t>(out.m_width);
    std::vector<Pixel> pixels(row * static_cast<std::size_t>(out.m_height));
    for (const Mask& mask : masks) {
        const Yuv colour = yuvOf(mask.colour);
        const float strength = static_cast<float>(255 - (mask.colour & 0xFF)) / (255.f * 255.f);
        for (int y = std::max(mask.y, 0); y < std::min(mask.y + mask.height, height); ++y) {
            const std::uint8_t* cover = mask.cover + static_cast<std::ptrdiff_t>(y - mask.y) * mask.stride;
            for (int x = std::max(mask.x, 0); x < std::min(mask.x + mask.width, width); ++x) {
                const float a = static_cast<float>(cover[x - mask.x]) * strength;
                Pixel& p = pixels[static_cast<std::size_t>(y - out.m_y) * row + static_cast<std::size_t>(x - out.m_x)];
                p.keep *= 1 - a;
                p.y += a * (colour.y - p.y);
                p.u += a * (colour.u - p.u);
                p.v += a * (colour.v - p.v);
            }
        }
    }
    for (const Pixel& p : pixels) {
        out.m_keep.push_back(rounded(255 * p.keep));
        out.m_add.push_back(rounded(p.y));
    }
    for (std::size_t y = 0; y < static_cast<std::size_t>(out.m_height); y += 2) {
        for (std::size_t x = 0; x < row; x += 2) {
            const std::array four{pixels[y * row + x], pixels[y * row + x + 1], pixels[(y + 1) * row + x], pixels[(y + 1) * row + x + 1]};
            const auto mean = [&four](float Pixel::* part) {
                return (four[0].*part + four[1].*part + four[2].*part + four[3].*part) / 4;
            };
            out.m_chromaKeep.push_back(rounded(255 * mean(&Pixel::keep)));
            out.m_addU.push_back(rounded(mean(&Pixel::u)));
            out.m_addV.push_back(rounded(mean(&Pixel::v)));
        }
    }
    return out;
}

void CaptionLayer::lay(const YuvPlanes& picture) const
{
    for (int y = 0; y < m_height; ++y) {
        const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(m_width);
        layRow(&m_keep[at], &m_add[at], m_width, picture.y + (m_y + y) * picture.yStride + m_x);
    }
    for (int y = 0; y < m_height / 2; ++y) {
        const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(m_width / 2);
        layRow(&m_chromaKeep[at], &m_addU[at], m_width / 2, picture.u + (m_y / 2 + y) * picture.uStride + m_x / 2);
        layRow(&m_chromaKeep[at], &m_addV[at], m_width / 2, picture.v + (m_y / 2 + y) * picture.vStride + m_x / 2);
    }
}

} // namespace loquor::media
