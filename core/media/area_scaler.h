// Streaming area-average reduction: rows in, smaller rows out. Private to core/media.
#pragma once

#include <cstdint>
#include <vector>

#include "core/media/image.h"

namespace loquor::media {

// Every output pixel is the exact average of the source area it covers. Output size must not exceed
// the input size. Holds two rows of sums.
class AreaScaler
{
public:
    AreaScaler(int width, int height, int channels, int outWidth, int outHeight);
    // Takes the next of `height` rows, top down.
    void push(const std::uint8_t* row);
    // Complete once all rows were pushed; empties the scaler.
    Image take() { return std::move(m_out); }

private:
    void reduceRow(const std::uint8_t* row);
    void emitRow();

    struct Span
    {
        int first = 0, last = 0; // source columns, inclusive
        float firstWeight = 0, lastWeight = 0;
    };
    int m_width, m_height, m_channels;
    Image m_out;
    std::vector<Span> m_spans;
    std::vector<float> m_row, m_sums;
    int m_inRow = 0, m_outRow = 0;
    bool m_isCopy;
};

} // namespace loquor::media
