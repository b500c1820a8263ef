// The face texture: corner pockets and creases of a smile softened.
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
        ops::drawPath(corridor, path(landmarks), 1.0, static_cast<int>(.16f * u));
    for (const Path& landmarks : kFoldOuter)
        ops::drawPath(corridor, path(landmarks), 1.0, static_cast<int>(.10f * u));
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

} // namespace

void cleanPhoto(ReferenceWork& work)
{
    Cleaner(work).run();
}

} // namespace loquor::portrait
