#include "core/portrait/face_texture.h"

#include <cmath>

#include "core/base/check.h"
#include "core/portrait/vector_math.h"

namespace loquor::portrait {
namespace {

constexpr double kSoftPhoto = 1.2; // canvas px per photo px

std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

std::uint8_t toByte(float value)
{
    return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0l, 255l));
}

// A rectangle of an image at scale 1 or 2. At 2 even texels are its pixels and odd ones lie half way
// (six-point filter, exact on the pixels).
class Enlarger
{
public:
    Enlarger(const Image& image, const Box& box, int scale)
        : m_image(image), m_box(box), m_scale(scale), m_width(scale * (box.width() - 1) + 1),
          m_height(scale * (box.height() - 1) + 1)
    {
    }
    int width() const { return m_width; }
    int height() const { return m_height; }
    // 4-byte texels, the image's channels first, the others 255; rows of width + 1 texels and one
    // more row, the last ones repeated.
    std::vector<std::uint8_t> run() const
    {
        const auto channels = index(m_image.channels);
        std::vector<std::uint8_t> out(4 * index(m_width + 1) * index(m_height + 1), 255);
        std::vector<float> row(channels * index(m_box.width()));
        for (int y = 0; y <= m_height; ++y) {
            sourceRow(std::min(y, m_height - 1), row);
            std::uint8_t* texel = out.data() + 4 * index(m_width + 1) * index(y);
            for (int x = 0; x <= m_width; ++x, texel += 4) {
                for (std::size_t c = 0; c < channels; ++c)
                    texel[c] = toByte(tap(std::min(x, m_width - 1), [&](int i) {
                        return row[index(std::clamp(i, 0, m_box.width() - 1)) * channels + c];
                    }));
            }
        }
        return out;
    }

private:
    template<class Get>
    float tap(int texel, Get get) const
    {
        const int i = texel / m_scale;
        if (texel % m_scale == 0)
            return get(i);
        return (150.f * (get(i) + get(i + 1)) - 25.f * (get(i - 1) + get(i + 2)) +
                3.f * (get(i - 2) + get(i + 3))) /
               256.f;
    }
    void sourceRow(int texelRow, std::vector<float>& row) const
    {
        const std::size_t first = index(m_box.left) * index(m_image.channels);
        for (std::size_t x = 0; x < row.size(); ++x)
            row[x] = tap(texelRow, [&](int j) {
                const int y = std::clamp(m_box.top + j, m_box.top, m_box.bottom - 1);
                return static_cast<float>(m_image.row(y)[first + x]);
            });
    }

    const Image& m_image;
    Box m_box;
    int m_scale, m_width, m_height;
};

Box scaled(const Box& pixels, int scale)
{
    return {scale * pixels.left, scale * pixels.top, scale * (pixels.right - 1) + 1,
            scale * (pixels.bottom - 1) + 1};
}

// Calls found(y, left, right) for the stretches of a box where `changes(i)` of its texels, counted row
// by row; what lies close together is one stretch.
template<class Changes, class Found>
void findRuns(const Box& box, Changes changes, Found found)
{
    constexpr int kBridge = 8;
    std::size_t i = 0;
    for (int y = box.top; y < box.bottom; ++y) {
        int left = 0, right = -1;
        for (int x = box.left; x < box.right; ++x, ++i) {
            if (!changes(i))
                continue;
            if (right >= 0 && x - right >= kBridge) {
                found(y, left, right);
                right = -1;
            }
            if (right < 0)
                left = x;
            right = x + 1;
        }
        if (right >= 0)
            found(y, left, right);
    }
}

Box intersection(const Box& a, const Box& b)
{
    return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
            std::min(a.bottom, b.bottom)};
}

} // namespace

FaceTexture::FaceTexture(PortraitModelPtr model) : m_model(std::move(model))
{
    const PortraitModel& m = *m_model;
    LOQUOR_CHECK(m.layer.channels == 4 && m.layer.width == m.width && m.layer.height == m.height);
    // An enlarged photo has nothing between its pixels that linear sampling would lose.
    m_fine.scale = m.photoScale > kSoftPhoto ? 1 : 2;
    const Enlarger enlarger(m.layer, {0, 0, m.width, m.height}, m_fine.scale);
    m_still = m_texels = enlarger.run();
    m_fine.pixels = m_texels.data();
    m_fine.width = enlarger.width();
    m_fine.height = enlarger.height();
    for (std::size_t k = 0; k < 2; ++k)
        makeLid(m.eyes[k], m_lids[k]);
    for (std::size_t k = 0; k < 3; ++k)
        makeWrinkle(k, m_wrinkles[k]);
}

void FaceTexture::makeLid(const EyeModel& eye, LidPatch& patch)
{
    const PortraitModel& m = *m_model;
    std::vector<Point2> rim;
    for (const auto* contour : {&eye.upper, &eye.lower})
        for (const int v : *contour)
            rim.push_back({m.restXY[2 * index(v)], m.restXY[2 * index(v) + 1]});
    const Box pixels = boundsOf(rim, .14f * m.u, m.width, m.height);
    if (pixels.isEmpty() || m.lid.isEmpty() || m.lidBand.isEmpty())
        return;
    patch.box = scaled(pixels, m_fine.scale);
    const Enlarger enlarger(m.lid, pixels, m_fine.scale);
    const std::vector<std::uint8_t> lid = enlarger.run(), band = Enlarger(m.lidBand, pixels, m_fine.scale).run();
    for (int y = 0; y < patch.box.height(); ++y) {
        const std::size_t at = 4 * index(enlarger.width() + 1) * index(y);
        for (std::size_t i = 0; i < 4 * index(patch.box.width()); ++i)
            patch.lid.push_back(i % 4 == 3 ? band[at + i - 3] : lid[at + i]);
    }
    findRuns(
        patch.box, [&](std::size_t i) { return patch.lid[4 * i + 3] != 0; },
        [&](int y, int left, int right) { patch.runs.push_back({y, left, right}); });
}

void FaceTexture::makeWrinkle(std::size_t channel, WrinkleMap& map)
{
    const PortraitModel& m = *m_model;
    if (m.detail.isEmpty())
        return;
    const Box limits = intersection({m.detailBox[0], m.detailBox[1], m.detailBox[2],
                                     m.detailBox[3]},
                                    {0, 0, m.width, m.height});
    Box pixels{m.width, m.height, 0, 0};
    for (int y = limits.top; y < limits.bottom; ++y)
        for (int x = limits.left; x < limits.right; ++x)
            if (std::abs(m.detail.row(y)[3 * index(x) + channel] - 128) > 1)
                pixels = {std::min(pixels.left, x), std::min(pixels.top, y),
                          std::max(pixels.right, x + 1), std::max(pixels.bottom, y + 1)};
    if (pixels.isEmpty())
        return;
    map.box = scaled(pixels, m_fine.scale);
    const Enlarger enlarger(m.detail, pixels, m_fine.scale);
    const std::vector<std::uint8_t> texels = enlarger.run();
    for (int y = 0; y < map.box.height(); ++y) {
        const std::uint8_t* row = texels.data() + 4 * index(enlarger.width() + 1) * index(y);
        for (int x = 0; x < map.box.width(); ++x)
            map.gain.push_back(static_cast<std::int8_t>(row[4 * index(x) + channel] - 128));
    }
    findRuns(
        map.box, [&](std::size_t i) { return map.gain[i] != 0; },
        [&](int y, int left, int right) { map.runs.push_back({y, left, right}); });
}

void FaceTexture::paintLids(const Run& run)
{
    for (const LidPatch& patch : m_lids) {
        const int left = std::max(run.left, patch.box.left), right = std::min(run.right, patch.box.right);
        if (patch.level == 0 || run.y < patch.box.top || run.y >= patch.box.bottom)
            continue;
        const int row = (run.y - patch.box.top) * patch.box.width();
        for (int x = left; x < right; ++x) {
            const std::uint8_t* lid = patch.lid.data() + 4 * index(row + x - patch.box.left);
            std::uint8_t* texel = m_texels.data() + 4 * (index(m_fine.width + 1) * index(run.y) + index(x));
            constexpr int kOne = 255 * kLidLevels;
            const int w = lid[3] * patch.level;
            for (int c = 0; c < 3; ++c)
                texel[c] = static_cast<std::uint8_t>(
                    (texel[c] * (kOne - w) + lid[c] * w + kOne / 2) / kOne);
        }
    }
}

void FaceTexture::paintWrinkles(const Run& run)
{
    m_gain.assign(index(run.right - run.left), 0);
    bool any = false;
    for (const WrinkleMap& map : m_wrinkles) {
        const int left = std::max(run.left, map.box.left), right = std::min(run.right, map.box.right);
        if (map.level == 0 || left >= right || run.y < map.box.top || run.y >= map.box.bottom)
            continue;
        any = true;
        const std::int8_t* in =
            map.gain.data() + (run.y - map.box.top) * map.box.width() + left - map.box.left;
        int* out = m_gain.data() + left - run.left;
        for (int x = 0; x < right - left; ++x)
            out[x] += in[x] * map.level;
    }
    if (!any)
        return;
    std::uint8_t* texel = m_texels.data() + 4 * (index(m_fine.width + 1) * index(run.y) + index(run.left));
    constexpr int kOne = 256 * kWrinkleLevels;
    for (const int gain : m_gain) {
        // Folds deepen by a gain, but fill up with skin: gain on their dark red would glow.
        const int k = std::clamp(gain, -3 * kOne / 4, kOne);
        const int light = 77 * texel[0] + 150 * texel[1] + 29 * texel[2]; // of 256
        static constexpr int kSkin[3] = {300, 246, 222};                  // of 256
        for (int c = 0; c < 3; ++c) {
            const int base = k < 0 ? texel[c] : light * kSkin[c] >> 16;
            texel[c] = static_cast<std::uint8_t>(
                std::clamp(texel[c] + (base * k + kOne / 2) / kOne, 0, 255));
        }
        texel += 4;
    }
}

void FaceTexture::repaint(const Run& run)
{
    const std::size_t from = 4 * (index(m_fine.width + 1) * index(run.y) + index(run.left));
    std::copy_n(m_still.data() + from, 4 * index(run.right - run.left), m_texels.data() + from);
    paintLids(run);
    paintWrinkles(run);
}

const std::vector<Box>& FaceTexture::update(const Expression& expression)
{
    m_changed.clear();
    // All levels first: runs of one patch may lie over another one.
    std::vector<const std::vector<Run>*> changed;
    auto change = [&](auto& patch, float wanted, int levels) {
        const int next = static_cast<int>(std::lround(wanted * static_cast<float>(levels)));
        if (next == patch.level || patch.box.isEmpty())
            return;
        patch.level = next;
        changed.push_back(&patch.runs);
        m_changed.push_back({patch.box.left / m_fine.scale - 1, patch.box.top / m_fine.scale - 1,
                             patch.box.right / m_fine.scale + 2, patch.box.bottom / m_fine.scale + 2});
    };
    for (std::size_t k = 0; k < 2; ++k)
        change(m_lids[k], smoothstep(.1f, .6f, expression.blink[k]), kLidLevels);
    for (std::size_t k = 0; k < 3; ++k)
        change(m_wrinkles[k], std::clamp(expression.wrinkle[k], -1.5f, 1.5f), kWrinkleLevels);
    for (const auto* runs : changed)
        for (const Run& run : *runs)
            repaint(run);
    return m_changed;
}

} // namespace loquor::portrait
