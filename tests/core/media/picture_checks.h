// What the tests of the loader share: flat pictures, near-enough colours.
#pragma once

#include <vector>

#include <QDebug>
#include <QString>

#include "core/media/image_loader.h"
#include "tests/core/media/picture_files.h"

namespace loquor::test {

inline QString text(const Error& error)
{
    return QString::fromStdString(error.text());
}

inline Image flat(int width, int height, std::vector<std::uint8_t> pixel)
{
    Image image(width, height, static_cast<int>(pixel.size()));
    for (std::size_t i = 0; i < image.data.size(); ++i)
        image.data[i] = pixel[i % pixel.size()];
    return image;
}

inline media::LoadedImage loaded(const Bytes& bytes, const media::ImageOptions& options = {})
{
    auto result = media::loadImage(bytes, "test", options);
    if (!result) {
        qWarning("%s", result.error().text().c_str());
        return {};
    }
    return std::move(*result);
}

inline QString colourAt(const Image& image, int x, int y)
{
    if (image.isEmpty())
        return "nothing";
    const std::uint8_t* p = image.row(y) + 3 * x;
    return QString("%1 %2 %3").arg(p[0]).arg(p[1]).arg(p[2]);
}

inline bool isNear(const Image& image, int x, int y, int r, int g, int b, int tolerance)
{
    if (image.isEmpty())
        return false;
    const std::uint8_t* p = image.row(y) + 3 * x;
    const bool ok = std::abs(p[0] - r) <= tolerance && std::abs(p[1] - g) <= tolerance &&
                    std::abs(p[2] - b) <= tolerance;
    if (!ok)
        qWarning("is %s", qPrintable(colourAt(image, x, y)));
    return ok;
}

// 48 x 32: red upper left quarter, green upper right, blue lower left, white lower right.
inline Image quarters()
{
    Image image(48, 32, 3);
    for (int y = 0; y < 32; ++y)
        for (int x = 0; x < 48; ++x) {
            std::uint8_t* p = image.row(y) + 3 * x;
            const bool right = x >= 24, low = y >= 16;
            p[0] = right == low ? 255 : 0;
            p[1] = right ? 255 : 0;
            p[2] = low ? 255 : 0;
        }
    return image;
}

} // namespace loquor::test
