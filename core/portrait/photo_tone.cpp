// Whether a photo is black and white, sepia or in colours.
#include "core/portrait/photo_tone.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/portrait/image_ops.h"

namespace loquor::portrait {

namespace {

// Photos of one hue (black and white, sepia): colour is a function of brightness, and what strays from
// it is compression noise. Such photos stray by less than .048, colour photos by .062 and more (46 photos).
float strayColors(const cv::Mat& rgb)
{
    constexpr int kBins = 16;
    constexpr double kWidth = 256;
    cv::Mat soft = rgb;
    if (rgb.cols > kWidth)
        cv::resize(rgb, soft, {}, kWidth / rgb.cols, kWidth / rgb.cols, cv::INTER_AREA);
    soft = ops::blur(ops::toFloat(soft), 1.5);
    const auto brightness = [](const cv::Vec3f& c) { return .299f * c[0] + .587f * c[1] + .114f * c[2]; };
    const auto binOf = [&](const cv::Vec3f& c) {
        return static_cast<std::size_t>(std::clamp(brightness(c) * kBins / 256.f, 0.f, kBins - 1.f));
    };
    std::array<std::array<std::vector<float>, 3>, kBins> values;
    const cv::Mat_<cv::Vec3f> pixels(soft);
    for (const cv::Vec3f& pixel : pixels)
        for (std::size_t c = 0; c < 3; ++c)
            values[binOf(pixel)][c].push_back(pixel[static_cast<int>(c)] - brightness(pixel));
    std::array<cv::Vec3f, kBins> usual;
    for (std::size_t b = 0; b < kBins; ++b)
        for (std::size_t c = 0; c < 3; ++c)
            usual[b][static_cast<int>(c)] = values[b][c].empty() ? 0.f : ops::median(std::move(values[b][c]));
    std::vector<float> stray;
    for (const cv::Vec3f& pixel : pixels) {
        float largest = 0;
        for (int c = 0; c < 3; ++c)
            largest = std::max(largest, std::abs(pixel[c] - brightness(pixel) - usual[binOf(pixel)][c]));
        stray.push_back(largest / (brightness(pixel) + 20));
    }
    return ops::percentile(std::move(stray), .9);
}

} // namespace

PhotoTone findTone(const ReferenceWork& work)
{
    std::array<std::vector<float>, 3> channels;
    for (const int l :
         {50, 280, 205, 425, 101, 330, 151, 9, 4, 5, 195, 197, 36, 266, 203, 423, 206, 426}) {
        const Vector2 p = work.point(l);
        const cv::Vec3f c = ops::sample(work.rgb, p.x(), p.y());
        for (std::size_t k = 0; k < 3; ++k)
            channels[k].push_back(c[static_cast<int>(k)]);
    }
    Vec3 skin{};
    for (std::size_t k = 0; k < 3; ++k)
        skin[k] = std::max(1.f, ops::median(std::move(channels[k])));
    const auto [low, high] = std::minmax({skin[0], skin[1], skin[2]});
    const float ofSkin = std::min(1.f, (high - low) / (.04f * (skin[0] + skin[1] + skin[2])));
    PhotoTone tone;
    tone.colorful = ofSkin * ops::smoothstep(.048f, .062f, strayColors(work.rgb));
    const float grey = .299f * skin[0] + .587f * skin[1] + .114f * skin[2];
    for (std::size_t k = 0; k < 3; ++k)
        tone.hue[k] = std::clamp(skin[k] / grey, .5f, 1.6f);
    return tone;
}

} // namespace loquor::portrait
