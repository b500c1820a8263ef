// Eyes: what lies under the lids (eyeball, sclera, iris sprite), completed from what the photo shows.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

constexpr double kLashMargin = .012;  // u inside the lid contours that lashes cover
constexpr double kEnoughSclera = .06; // of the opening

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

// Part of the canvas; what lies outside repeats the edge.
cv::Mat cropRepeating(const cv::Mat& image, const cv::Rect& box)
{
    const cv::Rect inside = box & cv::Rect(cv::Point(0, 0), image.size());
    if (inside == box)
        return image(box).clone();
    cv::Mat out(box.size(), image.type());
    for (int y = 0; y < box.height; ++y)
        for (int x = 0; x < box.width; ++x) {
            const int sy = std::clamp(box.y + y, 0, image.rows - 1);
            const int sx = std::clamp(box.x + x, 0, image.cols - 1);
            out.at<cv::Vec3f>(y, x) = image.at<cv::Vec3f>(sy, sx);
        }
    return out;
}

class EyeMaker
{
public:
    EyeMaker(ReferenceWork& work, std::size_t eye);
    void run();

private:
    float rho(int x, int y) const
    {
        return std::hypot(static_cast<float>(x) + .5f - m_center.x, static_cast<float>(y) + .5f - m_center.y) / m_radius;
    }
    cv::Mat eroded(double share) const;
    cv::Mat scleraTexture();
    cv::Mat irisFromProfile(const cv::Mat& known) const;

    ReferenceWork& m_work;
    EyeModel& m_eye;
    std::size_t m_side;
    float m_u;
    cv::Rect m_box;
    cv::Mat m_photo;   // float RGB
    cv::Mat m_opening; // 8-bit, antialiased
    cv::Mat m_rho;     // distance from the iris centre / radius
    cv::Point2f m_center;
    float m_radius = 1;
};

EyeMaker::EyeMaker(ReferenceWork& work, std::size_t eye)
    : m_work(work), m_eye(work.model.eyes[eye]), m_side(eye), m_u(static_cast<float>(work.u()))
{
    const int iris = landmark::kIrisCenter[eye];
    const Vector2 center = work.point(iris);
    float radius = 0;
    for (int k = 1; k <= 4; ++k)
        radius += static_cast<float>((work.point(iris + k) - center).norm()) / 4;
    m_radius = std::clamp(radius, .03f * m_u, .15f * m_u);
    const std::vector<cv::Point2f> outline =
        work.outline(work.mesh.upperLid[eye], work.mesh.lowerLid[eye]);
    // Not clipped: an eye at the border keeps its margin.
    const cv::Rect2f bounds = cv::boundingRect(outline);
    const int margin = static_cast<int>(.12f * m_u) + 1;
    m_box = cv::Rect(cvFloor(bounds.x) - margin, cvFloor(bounds.y) - margin,
                     cvCeil(bounds.width) + 2 * margin + 1, cvCeil(bounds.height) + 2 * margin + 1);
    m_photo = cropRepeating(work.rgbF, m_box);
    m_opening = cv::Mat::zeros(m_box.size(), CV_8U);
    ops::fillPolygon(m_opening, outline, 255, static_cast<float>(m_box.x), static_cast<float>(m_box.y));
    m_center = cv::Point2f(static_cast<float>(center.x()) - static_cast<float>(m_box.x),
                           static_cast<float>(center.y()) - static_cast<float>(m_box.y));
    m_rho.create(m_box.size(), CV_32F);
    for (int y = 0; y < m_rho.rows; ++y)
        for (int x = 0; x < m_rho.cols; ++x)
            m_rho.at<float>(y, x) = rho(x, y);
}

cv::Mat EyeMaker::eroded(double share) const
{
    const int r = std::max(1, static_cast<int>(std::lround(share * m_u)));
    cv::Mat small;
    cv::erode(m_opening, small, cv::getStructuringElement(cv::MORPH_RECT, cv::Size(2 * r + 1, 2 * r + 1)));
    return ops::toFloat(small > 250) / 255.f;
}

cv::Mat EyeMaker::scleraTexture()
{
    const cv::Mat known = eroded(kLashMargin);
    cv::Mat sclera = known.mul(ops::toFloat(m_rho > 1.28f) / 255.f);
    const bool few = cv::sum(sclera)[0] < kEnoughSclera * cv::countNonZero(m_opening > 127);
    if (few) {
        // Narrow or shadowed eyes: the brighter half of what is outside the iris must do.
        sclera = known.mul(ops::toFloat(m_rho > 1.10f) / 255.f);
        cv::Mat luminance;
        cv::cvtColor(m_photo, luminance, cv::COLOR_RGB2GRAY);
        std::vector<float> values;
        for (int y = 0; y < sclera.rows; ++y)
            for (int x = 0; x < sclera.cols; ++x)
                if (sclera.at<float>(y, x) > 0)
                    values.push_back(luminance.at<float>(y, x));
        const float bright = values.size() > 5 ? ops::percentile(values, .45) : 0.f;
        sclera = sclera.mul(ops::toFloat(luminance > bright) / 255.f);
    }
    m_eye.gazeLimit = few ? .45f : 1.f;
    const double enough = std::max(3.0, 20.0 * m_u * m_u / (150.0 * 150.0));
    if (cv::sum(sclera)[0] > enough)
        return ops::pushPull(m_photo, sclera);
    if (cv::sum(known)[0] > 0)
        return ops::pushPull(m_photo, known);
    return ops::blur(m_photo, .03 * m_u);
}

// The iris as rings: median colour by distance from its centre. Mirror copies would pick up lashes.
cv::Mat EyeMaker::irisFromProfile(const cv::Mat& known) const
{
    constexpr int kRings = 12;
    constexpr float kOuter = 1.15f;
    std::array<cv::Vec3f, kRings> ring;
    std::array<bool, kRings> have{};
    for (int i = 0; i < kRings; ++i) {
        std::array<std::vector<float>, 3> values;
        const float radius = kOuter * static_cast<float>(i) / (kRings - 1);
        for (int y = 0; y < known.rows; ++y)
            for (int x = 0; x < known.cols; ++x)
                if (known.at<float>(y, x) > 0 && std::abs(m_rho.at<float>(y, x) - radius) < .08f)
                    for (int c = 0; c < 3; ++c)
                        values[at(c)].push_back(m_photo.at<cv::Vec3f>(y, x)[c]);
        have[at(i)] = values[0].size() > 3;
        for (int c = 0; c < 3; ++c)
            ring[at(i)][c] = ops::median(values[at(c)]);
    }
    if (std::count(have.begin(), have.end(), true) < 2) {
        const int cy = std::clamp(static_cast<int>(m_center.y), 0, m_photo.rows - 1);
        const int cx = std::clamp(static_cast<int>(m_center.x), 0, m_photo.cols - 1);
        ring.fill(m_photo.at<cv::Vec3f>(cy, cx));
        have.fill(true);
    }
    std::array<cv::Vec3f, kRings> filled = ring;
    for (int i = 0; i < kRings; ++i) {
        if (have[at(i)])
            continue;
        int lo = i;
        int hi = i;
        while (lo >= 0 && !have[at(lo)])
            --lo;
        while (hi < kRings && !have[at(hi)])
            ++hi;
        if (lo < 0 || hi >= kRings)
            filled[at(i)] = ring[at(lo < 0 ? hi : lo)];
        else
            filled[at(i)] = ring[at(lo)] + (ring[at(hi)] - ring[at(lo)]) *
                                               (static_cast<float>(i - lo) / static_cast<float>(hi - lo));
    }
    cv::Mat out(m_photo.size(), CV_32FC3);
    for (int y = 0; y < out.rows; ++y)
        for (int x = 0; x < out.cols; ++x) {
            const float t = std::min(m_rho.at<float>(y, x) / kOuter, 1.f) * (kRings - 1);
            const int i = std::min(static_cast<int>(t), kRings - 2);
            const float f = t - static_cast<float>(i);
            out.at<cv::Vec3f>(y, x) = filled[at(i)] * (1 - f) + filled[at(i + 1)] * f;
        }
    return out;
}

void EyeMaker::run()
{
    const Mesh& mesh = m_work.mesh;
    m_eye.upper = mesh.upperLid[m_side];
    m_eye.lower = mesh.lowerLid[m_side];
    m_eye.x0 = static_cast<float>(m_box.x);
    m_eye.y0 = static_cast<float>(m_box.y);
    m_eye.irisX = m_center.x;
    m_eye.irisY = m_center.y;
    m_eye.irisRadius = m_radius;
    double z = 0;
    for (const int v : m_eye.upper)
        z += mesh.z[at(v)] / kLidSamples;
    m_eye.planeZ = static_cast<float>(z);

    const cv::Mat sclera = scleraTexture();
    const cv::Mat rings = irisFromProfile(eroded(kLashMargin));
    cv::Mat depth;
    cv::distanceTransform(m_opening > 127, depth, cv::DIST_L2, cv::DIST_MASK_5);
    // Near the lids the photo shows lashes and their shadow, so there the completed textures take over.
    const cv::Mat inner = ops::smoothstep(depth, .004f * m_u, .024f * m_u);
    const cv::Mat irisAlpha = ops::smoothstep(m_rho, 1.14f, .98f);
    const cv::Mat completed = ops::mix(sclera, rings, irisAlpha);
    m_eye.photo = ops::toTexture(ops::mix(completed, m_photo, inner));
    const cv::Mat insideIris = ops::smoothstep(m_rho, 1.3f, 1.1f);
    m_eye.sclera =
        ops::toTexture(ops::mix(ops::mix(sclera, m_photo, inner), sclera, insideIris));
    std::vector<cv::Mat> sprite;
    cv::split(ops::mix(rings, m_photo, inner), sprite);
    sprite.push_back(irisAlpha * 255.f);
    cv::Mat iris;
    cv::merge(sprite, iris);
    m_eye.iris = ops::toTexture(iris);
}

} // namespace

void makeEyes(ReferenceWork& work)
{
    for (std::size_t eye = 0; eye < 2; ++eye)
        EyeMaker(work, eye).run();
}

} // namespace loquor::portrait
