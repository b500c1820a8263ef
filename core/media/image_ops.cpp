#include "core/media/image_ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/check.h"
#include "core/media/area_scaler.h"

namespace loquor::media {

AreaScaler::AreaScaler(int width, int height, int channels, int outWidth, int outHeight)
    : m_width(width), m_height(height), m_channels(channels), m_out(outWidth, outHeight, channels),
      m_isCopy(width == outWidth && height == outHeight)
{
    LOQUOR_CHECK(outWidth > 0 && outHeight > 0 && outWidth <= width && outHeight <= height);
    if (m_isCopy)
        return;
    const double step = static_cast<double>(width) / outWidth;
    m_spans.resize(static_cast<std::size_t>(outWidth));
    for (int x = 0; x < outWidth; ++x) {
        Span& span = m_spans[static_cast<std::size_t>(x)];
        const double begin = x * step;
        const double end = std::min((x + 1) * step, static_cast<double>(width));
        span.first = static_cast<int>(begin);
        span.last = std::min(static_cast<int>(std::ceil(end)) - 1, width - 1);
        const double area = end - begin;
        span.firstWeight = static_cast<float>((std::min(end, span.first + 1.0) - begin) / area);
        span.lastWeight = static_cast<float>((end - std::max(begin, span.last * 1.0)) / area);
    }
    m_row.resize(m_out.stride());
    m_sums.assign(m_out.stride(), 0.0f);
}

void AreaScaler::reduceRow(const std::uint8_t* row)
{
    const float inner = static_cast<float>(m_out.width) / static_cast<float>(m_width);
    float* out = m_row.data();
    for (const Span& span : m_spans) {
        for (int c = 0; c < m_channels; ++c) {
            const std::uint8_t* p = row + std::ptrdiff_t{span.first} * m_channels + c;
            float sum = span.firstWeight * static_cast<float>(*p);
            if (span.last > span.first) {
                int whole = 0;
                for (int x = span.first + 1; x < span.last; ++x)
                    whole += *(p += m_channels);
                p += m_channels;
                sum += inner * static_cast<float>(whole) + span.lastWeight * static_cast<float>(*p);
            }
            *out++ = sum;
        }
    }
}

void AreaScaler::emitRow()
{
    std::uint8_t* out = m_out.row(m_outRow++);
    for (std::size_t i = 0; i < m_sums.size(); ++i)
        out[i] = static_cast<std::uint8_t>(std::clamp(m_sums[i] + 0.5f, 0.0f, 255.0f));
    std::fill(m_sums.begin(), m_sums.end(), 0.0f);
}

void AreaScaler::push(const std::uint8_t* row)
{
    LOQUOR_CHECK(m_inRow < m_height);
    if (m_isCopy) {
        std::memcpy(m_out.row(m_inRow++), row, m_out.stride());
        return;
    }
    reduceRow(row);
    // In units of 1/outHeight source rows everything is a whole number: no drift over many rows.
    std::int64_t begin = static_cast<std::int64_t>(m_inRow) * m_out.height;
    const std::int64_t end = begin + m_out.height;
    while (begin < end && m_outRow < m_out.height) {
        const std::int64_t outEnd = static_cast<std::int64_t>(m_outRow + 1) * m_height;
        const std::int64_t until = std::min(end, outEnd);
        const float weight = static_cast<float>(until - begin) / static_cast<float>(m_height);
        for (std::size_t i = 0; i < m_sums.size(); ++i)
            m_sums[i] += weight * m_row[i];
        begin = until;
        if (until == outEnd)
            emitRow();
    }
    ++m_inRow;
}

Image oriented(Image image, int orientation)
{
    if (orientation <= 1 || orientation > 8)
        return image;
    const bool swaps = orientation >= 5;
    const int w = image.width;
    const int h = image.height;
    const int c = image.channels;
    Image out(swaps ? h : w, swaps ? w : h, c);
    // Output pixel (x, y) comes from source (u, v): exchanged for the four orientations that turn
    // by a quarter, then mirrored along the source's axes.
    const bool mirrorU =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool mirrorV =
        orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    for (int y = 0; y < out.height; ++y) {
        std::uint8_t* to = out.row(y);
        for (int x = 0; x < out.width; ++x) {
            int u = swaps ? y : x;
            int v = swaps ? x : y;
            u = mirrorU ? w - 1 - u : u;
            v = mirrorV ? h - 1 - v : v;
            const std::uint8_t* from = image.row(v) + std::ptrdiff_t{u} * c;
            for (int i = 0; i < c; ++i)
                *to++ = from[i];
        }
    }
    return out;
}

Image scaledDown(const Image& image, int width, int height)
{
    AreaScaler scaler(image.width, image.height, image.channels, width, height);
    for (int y = 0; y < image.height; ++y)
        scaler.push(image.row(y));
    return scaler.take();
}

Size fittingSize(int width, int height, int boxWidth, int boxHeight)
{
    const double scale = std::min(
        {1.0, static_cast<double>(boxWidth) / width, static_cast<double>(boxHeight) / height});
    return {std::max(1, static_cast<int>(std::lround(width * scale))),
            std::max(1, static_cast<int>(std::lround(height * scale)))};
}

} // namespace loquor::media
