// The face texture: corner pockets and creases of a smile softened, lids without lashes.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

using Path = std::vector<int>;
const std::array<Path, 2> kFold{{{129, 203, 206, 216, 212, 202}, {358, 423, 426, 436, 432, 422}}};
const std::array<Path, 2> kFoldOuter{{{206, 207, 214}, {426, 427, 434}}};
constexpr double kCreaseRemoved = .55;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

cv::Mat kernel(int radius)
{
    return cv::getStructuringElement(cv::MORPH_RECT, cv::Size(2 * radius + 1, 2 * radius + 1));
}

} // namespace

cv::Mat foldCorridor(const ReferenceWork& work, const cv::Rect& box)
{
    const auto u = static_cast<float>(work.u());
    const auto path = [&](const Path& landmarks) {
        std::vector<cv::Point2f> points = work.points(landmarks);
        for (cv::Point2f& p : points)
            p -= cv::Point2f(static_cast<float>(box.x), static_cast<float>(box.y));
        return points;
    };
    cv::Mat corridor = cv::Mat::zeros(box.size(), CV_32F);
    for (const Path& landmarks : kFold)
        ops::drawPath(corridor, path(landmarks), 1, static_cast<int>(.16f * u));
    for (const Path& landmarks : kFoldOuter)
        ops::drawPath(corridor, path(landmarks), 1, static_cast<int>(.10f * u));
    return ops::blur(corridor, .03 * work.u());
}

namespace {

// Works inside the face's box; points are moved to its origin.
class Cleaner
{
public:
    explicit Cleaner(ReferenceWork& work)
        : m_work(work), m_u(static_cast<float>(work.u())),
          m_box(ops::boxAround(work.points(landmark::kOval), .35f * m_u, work.size()))
    {
        work.rgbF(m_box).copyTo(m_face);
        m_gray = ops::blur(work.gray(m_box), std::max(.3, .0067 * work.u()));
    }

    void run()
    {
        if (m_work.open) {
            fillCornerPockets();
            softenFolds();
        }
        storeFace();
        makeLids();
    }

private:
    // Into the layer, where it is opaque (elsewhere its colours are those of hair without
    // background).
    void storeFace()
    {
        m_work.rgb.copyTo(m_work.cleanRgb);
        ops::toBytes(m_face).copyTo(m_work.cleanRgb(m_box));
        const cv::Mat opaque = m_work.layerAlpha(m_box) == 255;
        m_work.cleanRgb(m_box).copyTo(m_work.layerRgb(m_box), opaque);
    }
    std::vector<cv::Point2f> local(std::vector<cv::Point2f> points) const
    {
        for (cv::Point2f& p : points)
            p -= cv::Point2f(static_cast<float>(m_box.x), static_cast<float>(m_box.y));
        return points;
    }
    template<class List>
    std::vector<cv::Point2f> landmarks(const List& list) const
    {
        return local(m_work.points(list));
    }
    float grayAt(const cv::Point2f& p) const { return ops::sample1(m_gray, p.x, p.y); }
    cv::Mat zeros() const { return cv::Mat::zeros(m_box.size(), CV_32F); }
    int pixels(double share) const { return std::max(1, static_cast<int>(m_u * share)); }

    void fillCornerPockets();
    cv::Mat darkFolds(const cv::Mat& image, const cv::Mat& corridor) const;
    void softenFolds();
    cv::Mat lidPolygon(std::size_t eye, std::vector<cv::Point2f>& lower);
    void makeLids();
    void leaveOutForeign(cv::Mat& known) const;
    cv::Mat skinTinted(const cv::Mat& fill) const;
    void matchBrightness(cv::Mat& fill, std::size_t eye) const;
    float skinGrain() const;

    ReferenceWork& m_work;
    float m_u;
    cv::Rect m_box;
    cv::Mat m_face; // float RGB of the box, changed step by step
    cv::Mat m_gray; // slightly blurred luminance of the box
};

// The black triangles at the corners of a smile smear when the mouth closes: filled from the skin.
void Cleaner::fillCornerPockets()
{
    std::vector<float> lips;
    for (std::size_t k = 1; k < 10; ++k)
        for (const cv::Point2f& p :
             landmarks(std::array{landmark::kUpperOuter[k], landmark::kLowerOuter[k]}))
            lips.push_back(grayAt(p));
    const float lip = ops::median(std::move(lips));
    const std::vector<cv::Point2f> corners = landmarks(std::array{61, 291, 78, 308});
    cv::Mat near = zeros();
    for (int y = 0; y < near.rows; ++y)
        for (int x = 0; x < near.cols; ++x)
            for (const cv::Point2f& c : corners) {
                const float d = std::hypot(static_cast<float>(x) + .5f - c.x,
                                           static_cast<float>(y) + .5f - c.y);
                near.at<float>(y, x) =
                    std::max(near.at<float>(y, x), ops::smoothstep(.14f * m_u, .09f * m_u, d));
            }
    cv::Mat pocket = (m_gray < .72f * lip) & (near > .2f);
    cv::dilate(pocket, pocket, kernel(1));
    cv::Mat opening;
    cv::dilate(m_work.mouthMask(m_box), opening, kernel(pixels(.012)));
    const cv::Mat blocked = pocket | (opening > 0);
    const cv::Mat known = ops::toFloat(blocked == 0) / 255.f;
    const cv::Mat fill = ops::pushPull(m_face, known);
    const cv::Mat weight = ops::blur((ops::toFloat(pocket) / 255.f).mul(near), .008 * m_u);
    m_face = ops::mix(m_face, fill, weight);
}

// What is darker than its surroundings at the scale of a skin fold (<= 0), inside the corridor.
cv::Mat Cleaner::darkFolds(const cv::Mat& image, const cv::Mat& corridor) const
{
    cv::Mat band = ops::blur(image, .009 * m_u) - ops::blur(image, .075 * m_u);
    cv::min(band, 0.f, band);
    return ops::mix(cv::Mat::zeros(band.size(), band.type()), band, corridor);
}

void Cleaner::softenFolds()
{
    m_face = m_face - kCreaseRemoved * darkFolds(m_face, foldCorridor(m_work, m_box));
    cv::max(m_face, 0.f, m_face);
    cv::min(m_face, 255.f, m_face);
}

// Region of the closed upper lid: from under the brow to the lower lid's edge.
cv::Mat Cleaner::lidPolygon(std::size_t eye, std::vector<cv::Point2f>& lower)
{
    const Mesh& mesh = m_work.mesh;
    const auto chain = [&](const std::vector<int>& vertices) {
        std::vector<cv::Point2f> out;
        for (const int v : vertices)
            out.emplace_back(static_cast<float>(mesh.xy[at(v)].x()),
                             static_cast<float>(mesh.xy[at(v)].y()));
        return local(out);
    };
    const std::vector<cv::Point2f> upper = chain(mesh.upperLid[eye]);
    lower = chain(mesh.lowerLid[eye]);
    const std::vector<cv::Point2f> brow = landmarks(landmark::kBrowLower[eye]);
    std::vector<float> height;
    for (const cv::Point2f& p : upper) {
        float toBrow = 1e9f;
        for (const cv::Point2f& b : brow)
            toBrow = std::min(toBrow, std::hypot(p.x - b.x, p.y - b.y));
        height.push_back(std::min((m_work.model.glasses ? .05f : .07f) * m_u, .52f * toBrow));
    }
    height.front() = height.back() = .02f * m_u;
    const Vector2 up = -m_work.frame.down();
    const int n = static_cast<int>(upper.size());
    std::vector<cv::Point2f> outline;
    for (int i = 0; i < n; ++i) {
        float mean = 0;
        for (int d = -2; d <= 2; ++d)
            mean += height[at(std::clamp(i + d, 0, n - 1))] / 5;
        outline.push_back(upper[at(i)] +
                          cv::Point2f(static_cast<float>(up.x()), static_cast<float>(up.y())) *
                              mean);
    }
    outline.insert(outline.end(), lower.rbegin(), lower.rend());
    cv::Mat polygon = cv::Mat::zeros(m_box.size(), CV_8U);
    ops::fillPolygon(polygon, outline, 255, 0, 0, false);

    std::vector<float> rim;
    for (const cv::Point2f& p : upper)
        rim.push_back(grayAt(p));
    std::sort(rim.begin(), rim.end());
    const float dark =
        (rim[0] + rim[1] + rim[2] + rim[3] + rim[4] + rim[5] + rim[6] + rim[7]) / 8 * .38f;
    m_work.model.eyes[eye].lashColor = {dark * 1.1f, dark * .85f, dark * .75f};
    return polygon;
}

// Grain of the skin beside the nose tip.
float Cleaner::skinGrain() const
{
    const cv::Point2f nose = landmarks(std::array{1})[0];
    const cv::Rect around =
        cv::Rect(cv::Point(cvFloor(nose.x - .3f * m_u), cvFloor(nose.y - .1f * m_u)),
                 cv::Point(cvFloor(nose.x + .3f * m_u) + 1, cvFloor(nose.y + .1f * m_u) + 1)) &
        cv::Rect(cv::Point(0, 0), m_box.size());
    if (around.empty())
        return 1;
    const cv::Mat part = m_face(around);
    const cv::Mat high = cv::abs(part - ops::blur(part, 1.2));
    const cv::Mat flat = high.reshape(1, 1);
    return ops::median(std::vector<float>(flat.begin<float>(), flat.end<float>())) * 1.3f;
}

// Lashes, brows, frames of glasses and their reflections are no source for the skin of a lid: what
// is clearly darker or brighter than the skin under the eyes and on the forehead is left out.
void Cleaner::leaveOutForeign(cv::Mat& known) const
{
    std::vector<float> skin;
    for (const cv::Point2f& p :
         landmarks(std::array{119, 120, 101, 348, 349, 330, 151, 9, 108, 337}))
        skin.push_back(grayAt(p));
    const float level = ops::median(std::move(skin));
    const float dark = .70f * level;
    cv::Mat blocked = m_gray < dark;
    if (m_work.model.glasses)
        blocked |= m_gray > 1.3f * level;
    cv::dilate(blocked, blocked, kernel(pixels(.012)));
    cv::Mat kept = known.clone();
    kept.setTo(0.f, blocked);
    if (cv::countNonZero(kept) * 8 > cv::countNonZero(known))
        known = kept; // a face in half shadow keeps its sources
}

// Shadows around the eyes turn the fill grey; a lid has the hue of the skin.
cv::Mat Cleaner::skinTinted(const cv::Mat& fill) const
{
    std::array<std::vector<float>, 3> values;
    for (const int l : {50, 280, 101, 330, 151, 9, 119, 348}) {
        const Vector2 p = m_work.point(l);
        const cv::Vec3f c = ops::sample(m_work.rgb, p.x(), p.y());
        for (std::size_t k = 0; k < 3; ++k)
            values[k].push_back(c[static_cast<int>(k)]);
    }
    const cv::Vec3f skin(ops::median(values[0]), ops::median(values[1]), ops::median(values[2]));
    const cv::Vec3f hue = skin * (3.f / std::max(1.f, skin[0] + skin[1] + skin[2]));
    cv::Mat out(fill.size(), fill.type());
    for (int y = 0; y < fill.rows; ++y)
        for (int x = 0; x < fill.cols; ++x) {
            const cv::Vec3f& f = fill.at<cv::Vec3f>(y, x);
            out.at<cv::Vec3f>(y, x) = .4f * f + hue * (.6f * (f[0] + f[1] + f[2]) / 3);
        }
    return out;
}

// A closed lid is as bright as the skin between it and the brow.
void Cleaner::matchBrightness(cv::Mat& fill, std::size_t eye) const
{
    const std::vector<cv::Point2f> crease = landmarks(landmark::kLidCrease[eye]);
    const std::vector<cv::Point2f> brow = landmarks(landmark::kBrowLower[eye]);
    std::vector<float> wanted;
    for (const cv::Point2f& c : crease) {
        cv::Point2f nearest = brow[0];
        for (const cv::Point2f& b : brow)
            if (std::abs(b.x - c.x) < std::abs(nearest.x - c.x))
                nearest = b;
        for (const float t : {.25f, .4f, .55f})
            wanted.push_back(grayAt(c + (nearest - c) * t));
    }
    const std::vector<cv::Point2f> lid = landmarks(landmark::kUpperLid[eye]);
    const cv::Rect box = ops::boxAround(lid, .12f * m_u, m_box.size());
    if (box.empty())
        return;
    std::vector<float> have;
    for (const cv::Point2f& p : lid) {
        const int x = std::clamp(static_cast<int>(p.x), 0, fill.cols - 1);
        const int y = std::clamp(static_cast<int>(p.y), 0, fill.rows - 1);
        const cv::Vec3f& f = fill.at<cv::Vec3f>(y, x);
        have.push_back(.299f * f[0] + .587f * f[1] + .114f * f[2]);
    }
    const float gain =
        ops::percentile(std::move(wanted), .6) / std::max(1.f, ops::median(std::move(have)));
    fill(box) *= std::clamp(m_work.model.glasses ? std::max(gain, .85f) : gain, .7f, 1.3f);
}

void Cleaner::makeLids()
{
    cv::Mat band = zeros();
    cv::Mat known = cv::Mat::ones(m_box.size(), CV_32F);
    const Vector2 down = m_work.frame.down();
    for (std::size_t eye = 0; eye < 2; ++eye) {
        std::vector<cv::Point2f> lower;
        const cv::Mat polygon = lidPolygon(eye, lower);
        cv::Mat grown;
        cv::dilate(polygon, grown, kernel(1));
        known.setTo(0.f, grown);
        std::vector<cv::Point2f> below = lower;
        for (auto it = lower.rbegin(); it != lower.rend(); ++it)
            below.push_back(
                *it + cv::Point2f(static_cast<float>(down.x()), static_cast<float>(down.y())) *
                          (.10f * m_u));
        ops::fillPolygon(known, below, 0, 0, 0, false);
        cv::max(band, ops::blur(ops::toFloat(polygon) / 255.f, .012 * m_u), band);
        ops::drawPath(known, landmarks(landmark::kBrowUpper[eye]), 0, pixels(.04));
        ops::drawPath(known, landmarks(landmark::kBrowLower[eye]), 0, pixels(.04));
    }
    leaveOutForeign(known);
    cv::Mat fill = skinTinted(ops::pushPull(m_face, known));
    for (std::size_t eye = 0; eye < 2; ++eye)
        matchBrightness(fill, eye);
    cv::Mat grain;
    cv::cvtColor(ops::grain(m_box.size(), 0x6c6964) * skinGrain(), grain, cv::COLOR_GRAY2RGB);
    // A part of the photo's own shading stays, or the lid would be flat.
    const cv::Mat shading = cv::min(ops::blur(m_face, .05 * m_u), fill);
    const cv::Mat lid = .80f * fill + .20f * shading + grain;

    cv::Mat whole = m_work.cleanRgb.clone();
    ops::toBytes(lid).copyTo(whole(m_box));
    m_work.model.lid = ops::toImage(whole);
    cv::Mat bandWhole = cv::Mat::zeros(m_work.size(), CV_8U);
    ops::toBytes(band * (.85f * 255.f)).copyTo(bandWhole(m_box));
    m_work.model.lidBand = ops::toImage(bandWhole);
}

} // namespace

void cleanPhoto(ReferenceWork& work)
{
    Cleaner(work).run();
}

} // namespace loquor::portrait
