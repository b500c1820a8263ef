// The skin of closed lids: the photo's own skin tone at the brightness of the skin between lid and
// brow, shaded like a lid, without lashes.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

// Bare skin of the middle of the face: nose, cheeks, below the eyes, between the brows.
constexpr std::array kSkin{9, 8, 6, 197, 195, 5, 4, 126, 355, 198, 420, 49, 279, 50,
                           280, 101, 330, 205, 425, 36, 266, 117, 118, 119, 120, 121, 346, 347,
                           348, 349, 350, 111, 340, 100, 329, 142, 371, 116, 345};
// Below each eye, next to the lid and in the same light.
constexpr std::array<std::array<int, 6>, 2> kBelowEye{
    {{117, 118, 119, 120, 101, 100}, {346, 347, 348, 349, 330, 329}}};
constexpr double kLidHeight = .07; // u above the open lid that the closed one is made of
constexpr double kLidHeightUnderGlasses = .05;
constexpr float kBandWeight = .93f; // how far the lid hides what the photo shows there

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

float luminance(const cv::Vec3f& c)
{
    return .299f * c[0] + .587f * c[1] + .114f * c[2];
}

// Colour of this person's skin in this light by its brightness: skin in shade is not a darkened
// copy of skin in light, but redder.
class SkinTone
{
public:
    explicit SkinTone(std::vector<cv::Vec3f> samples)
    {
        std::sort(samples.begin(), samples.end(),
                  [](const auto& a, const auto& b) { return luminance(a) < luminance(b); });
        for (std::size_t i = 0; i < kBins; ++i) {
            const std::size_t from = i * samples.size() / kBins;
            const std::size_t to = std::max(from + 1, (i + 1) * samples.size() / kBins);
            std::array<std::vector<float>, 3> values;
            for (std::size_t k = from; k < std::min(to, samples.size()); ++k) {
                const float y = std::max(1.f, luminance(samples[k]));
                values[0].push_back(y);
                values[1].push_back(samples[k][0] / y);
                values[2].push_back(samples[k][2] / y);
            }
            m_level[i] = std::max(1.f, ops::median(values[0]));
            m_red[i] = ops::median(values[1]);
            m_blue[i] = ops::median(values[2]);
        }
    }
    cv::Vec3f color(float y) const
    {
        std::size_t i = 0;
        while (i + 2 < kBins && y > m_level[i + 1])
            ++i;
        const float span = std::max(1.f, m_level[i + 1] - m_level[i]);
        const float t = std::clamp((y - m_level[i]) / span, 0.f, 1.f);
        const float r = y * (m_red[i] + (m_red[i + 1] - m_red[i]) * t);
        const float b = y * (m_blue[i] + (m_blue[i + 1] - m_blue[i]) * t);
        return {r, (y - .299f * r - .114f * b) / .587f, b};
    }

private:
    static constexpr std::size_t kBins = 4;
    std::array<float, kBins> m_level{}, m_red{}, m_blue{};
};

class LidMaker
{
public:
    explicit LidMaker(ReferenceWork& work)
        : m_work(work), m_u(static_cast<float>(work.u())),
          m_soft(work.rgbF.clone())
    {
        const cv::Rect face = ops::boxAround(work.points(landmark::kOval), .2f * m_u, work.size());
        if (!face.empty())
            ops::blur(work.rgbF(face), std::max(.6, .012 * work.u())).copyTo(m_soft(face));
        const Vector2 up = -work.frame.down();
        m_up = cv::Point2f(static_cast<float>(up.x()), static_cast<float>(up.y()));
    }
    void run();

private:
    using Contour = std::vector<cv::Point2f>;
    cv::Vec3f skinAt(const cv::Point2f& p) const
    {
        const int x = std::clamp(cvFloor(p.x), 0, m_soft.cols - 1);
        const int y = std::clamp(cvFloor(p.y), 0, m_soft.rows - 1);
        return m_soft.at<cv::Vec3f>(y, x);
    }
    float grayAt(const cv::Point2f& p) const { return luminance(skinAt(p)); }
    Contour chain(const std::vector<int>& vertices) const;
    SkinTone skinTone() const;
    float belowEye(std::size_t eye) const;
    std::vector<float> underBrow(std::size_t eye, float skin) const;
    std::vector<float> heights(const Contour& upper, std::size_t eye) const;
    float skinGrain() const;
    void storeLashColor(const Contour& upper, std::size_t eye);
    void paint(std::size_t eye, const SkinTone& tone, cv::Mat& lid, cv::Mat& band);

    ReferenceWork& m_work;
    float m_u;
    cv::Mat m_soft; // float RGB
    cv::Point2f m_up;
};

LidMaker::Contour LidMaker::chain(const std::vector<int>& vertices) const
{
    Contour out;
    for (const int v : vertices)
        out.emplace_back(static_cast<float>(m_work.mesh.xy[at(v)].x()),
                         static_cast<float>(m_work.mesh.xy[at(v)].y()));
    return out;
}

SkinTone LidMaker::skinTone() const
{
    std::vector<cv::Vec3f> all;
    std::vector<cv::Vec3f> unclipped;
    const auto take = [&](const cv::Point2f& p) {
        const cv::Vec3f c = skinAt(p);
        all.push_back(c);
        if (std::max({c[0], c[1], c[2]}) < 250)
            unclipped.push_back(c);
    };
    for (const cv::Point2f& p : m_work.points(kSkin))
        for (const auto& [dx, dy] : {std::pair{0.f, 0.f}, {.03f, .0f}, {-.03f, .0f}, {.0f, .03f}})
            take(p + cv::Point2f(dx * m_u, dy * m_u));
    if (unclipped.size() * 3 > all.size())
        all = std::move(unclipped);
    // Dark spots (frames, nostrils, locks of hair) are not skin.
    std::vector<float> level;
    level.reserve(all.size());
    for (const cv::Vec3f& c : all)
        level.push_back(luminance(c));
    const float dark = .45f * ops::median(std::move(level));
    std::erase_if(all, [&](const cv::Vec3f& c) { return luminance(c) < dark; });
    return SkinTone(std::move(all));
}

float LidMaker::belowEye(std::size_t eye) const
{
    std::vector<float> values;
    for (const cv::Point2f& p : m_work.points(kBelowEye[eye]))
        values.push_back(grayAt(p));
    return ops::median(std::move(values));
}

// Brightness of the skin between lid crease and brow, outer to inner corner, smooth.
std::vector<float> LidMaker::underBrow(std::size_t eye, float skin) const
{
    const Contour crease = m_work.points(landmark::kLidCrease[eye]);
    const Contour brow = m_work.points(landmark::kBrowLower[eye]);
    std::vector<float> out;
    for (const cv::Point2f& c : crease) {
        cv::Point2f nearest = brow[0];
        for (const cv::Point2f& b : brow)
            if (std::abs(b.x - c.x) < std::abs(nearest.x - c.x))
                nearest = b;
        // Between the brightest of some places and the middle one: the others may be hair, crease
        // or frame.
        std::vector<float> places;
        for (const float t : {0.f, .15f, .3f, .45f, .6f})
            places.push_back(grayAt(c + (nearest - c) * t));
        const float level = .35f * ops::percentile(places, 1) + .65f * ops::median(places);
        out.push_back(std::clamp(level, .67f * skin, .94f * skin));
    }
    const std::vector<float> raw = out;
    const int n = static_cast<int>(raw.size());
    const float middle = ops::median(raw);
    for (int i = 0; i < n; ++i) {
        const float mean = .25f * raw[at(std::max(0, i - 1))] + .5f * raw[at(i)] +
                           .25f * raw[at(std::min(n - 1, i + 1))];
        out[at(i)] = middle + .6f * (mean - middle);
    }
    return out;
}

std::vector<float> LidMaker::heights(const Contour& upper, std::size_t eye) const
{
    const Contour brow = m_work.points(landmark::kBrowLower[eye]);
    const double most = m_work.model.glasses ? kLidHeightUnderGlasses : kLidHeight;
    std::vector<float> raw;
    for (const cv::Point2f& p : upper) {
        float toBrow = 1e9f;
        for (const cv::Point2f& b : brow)
            toBrow = std::min(toBrow, std::hypot(p.x - b.x, p.y - b.y));
        raw.push_back(std::min(static_cast<float>(most) * m_u, .52f * toBrow));
    }
    raw.front() = raw.back() = .02f * m_u;
    std::vector<float> out;
    const int n = static_cast<int>(raw.size());
    for (int i = 0; i < n; ++i) {
        float mean = 0;
        for (int d = -2; d <= 2; ++d)
            mean += raw[at(std::clamp(i + d, 0, n - 1))] / 5;
        out.push_back(mean);
    }
    return out;
}

// Grain of the skin beside the nose tip.
float LidMaker::skinGrain() const
{
    const Vector2 nose = m_work.point(1);
    const cv::Rect around = ops::boxAround(
        {cv::Point2f(static_cast<float>(nose.x()), static_cast<float>(nose.y()))}, .2f * m_u,
        m_work.size());
    if (around.empty())
        return 1;
    const cv::Mat part = m_work.gray(around);
    const cv::Mat high = cv::abs(part - ops::blur(part, 1.2));
    return ops::median(std::vector<float>(high.begin<float>(), high.end<float>())) * 1.3f;
}

void LidMaker::storeLashColor(const Contour& upper, std::size_t eye)
{
    std::vector<float> rim;
    for (const cv::Point2f& p : upper)
        rim.push_back(ops::sample1(m_work.gray, p.x, p.y));
    std::sort(rim.begin(), rim.end());
    float dark = 0;
    for (std::size_t i = 0; i < 8; ++i)
        dark += rim[i] / 8 * .38f;
    m_work.model.eyes[eye].lashColor = {dark * 1.1f, dark * .85f, dark * .75f};
}

// Light on a lid by height: 0 at the lashes, 1 where it folds under the skin below the brow.
float lidShade(float v)
{
    const float bulge = std::exp(-(v - .45f) * (v - .45f) / .10f);
    return .88f + .09f * bulge - .10f * ops::smoothstep(.18f, -.05f, v) -
           .07f * ops::smoothstep(.65f, 1.f, v);
}

void LidMaker::paint(std::size_t eye, const SkinTone& tone, cv::Mat& lid, cv::Mat& band)
{
    const Contour upper = chain(m_work.mesh.upperLid[eye]);
    const Contour lower = chain(m_work.mesh.lowerLid[eye]);
    storeLashColor(upper, eye);
    const std::vector<float> height = heights(upper, eye);
    const std::vector<float> level = underBrow(eye, belowEye(eye));
    Contour outline;
    for (std::size_t i = 0; i < upper.size(); ++i)
        outline.push_back(upper[i] + m_up * height[i]);
    outline.insert(outline.end(), lower.rbegin(), lower.rend());
    const cv::Rect box = ops::boxAround(outline, .06f * m_u, m_work.size());
    if (box.empty())
        return;
    cv::Mat polygon = cv::Mat::zeros(box.size(), CV_8U);
    ops::fillPolygon(polygon, outline, 255, static_cast<float>(box.x), static_cast<float>(box.y),
                     false);
    cv::Mat target = band(box);
    cv::max(target, ops::blur(ops::toFloat(polygon) / 255.f, .016 * m_work.u()), target);
    const cv::Point2f across = upper.back() - upper.front();
    const float width = std::max(1.f, std::hypot(across.x, across.y));
    const auto last = static_cast<float>(upper.size() - 1);
    for (int y = 0; y < box.height; ++y)
        for (int x = 0; x < box.width; ++x) {
            const cv::Point2f p(static_cast<float>(box.x + x) + .5f,
                                static_cast<float>(box.y + y) + .5f);
            const cv::Point2f d = p - upper.front();
            const float s =
                std::clamp((d.x * across.x + d.y * across.y) / (width * width), 0.f, 1.f);
            const float i = s * last;
            const std::size_t i0 = std::min(static_cast<std::size_t>(i), upper.size() - 2);
            const float f = i - static_cast<float>(i0);
            const cv::Point2f rim = upper[i0] + (upper[i0 + 1] - upper[i0]) * f;
            const float above = (p - rim).dot(m_up);
            const float v = above / std::max(1.f, height[i0] + (height[i0 + 1] - height[i0]) * f);
            const float j = s * static_cast<float>(level.size() - 1);
            const std::size_t j0 = std::min(static_cast<std::size_t>(j), level.size() - 2);
            const float base = level[j0] + (level[j0 + 1] - level[j0]) * (j - static_cast<float>(j0));
            lid.at<cv::Vec3f>(box.y + y, box.x + x) =
                tone.color(base * lidShade(std::clamp(v, -.2f, 1.2f)));
        }
}

void LidMaker::run()
{
    const SkinTone tone = skinTone();
    cv::Mat lid = ops::toFloat(m_work.cleanRgb);
    cv::Mat band = cv::Mat::zeros(m_work.size(), CV_32F);
    for (std::size_t eye = 0; eye < 2; ++eye)
        paint(eye, tone, lid, band);
    const cv::Rect box = ops::boxAround(m_work.points(landmark::kOval), 0, m_work.size());
    if (!box.empty()) {
        const cv::Mat noise = ops::grain(box.size(), 0x6c6964) * skinGrain();
        for (int y = 0; y < box.height; ++y)
            for (int x = 0; x < box.width; ++x)
                if (band.at<float>(box.y + y, box.x + x) > 0)
                    lid.at<cv::Vec3f>(box.y + y, box.x + x) +=
                        cv::Vec3f::all(noise.at<float>(y, x));
    }
    m_work.model.lid = ops::toImage(ops::toBytes(lid));
    m_work.model.lidBand = ops::toImage(ops::toBytes(band * (kBandWeight * 255.f)));
}

} // namespace

void makeLidTexture(ReferenceWork& work)
{
    LidMaker(work).run();
}

} // namespace loquor::portrait
