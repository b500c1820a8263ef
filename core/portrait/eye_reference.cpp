// Eyes: what lies under the lids (eyeball, sclera, iris sprite), completed from what the photo
// shows.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/photo_tone.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

constexpr double kLashMargin = .012;  // u inside the lid contours that lashes cover
constexpr double kEnoughSclera = .05; // of the opening

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

// Share of red over blue; skin has much of it, sclera little.
float redness(const cv::Vec3f& c)
{
    return (c[0] - c[2]) / (c[0] + c[1] + c[2] + 10);
}

class EyeMaker
{
public:
    EyeMaker(ReferenceWork& work, std::size_t eye);
    void run();

private:
    float rho(int x, int y) const
    {
        return std::hypot(static_cast<float>(x) + .5f - m_center.x,
                          static_cast<float>(y) + .5f - m_center.y) /
               m_radius;
    }
    void snapToIris();
    double limbusContrast(const cv::Mat& gray, cv::Point2f center, float radius) const;
    cv::Mat eroded(double share) const;
    cv::Mat scleraPixels(const cv::Mat& known, float fromRho) const;
    cv::Mat plainSclera(const cv::Mat& guess) const;
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
    ops::fillPolygon(m_opening, outline, 255, static_cast<float>(m_box.x),
                     static_cast<float>(m_box.y));
    m_center = cv::Point2f(static_cast<float>(center.x()) - static_cast<float>(m_box.x),
                           static_cast<float>(center.y()) - static_cast<float>(m_box.y));
    snapToIris();
    m_rho.create(m_box.size(), CV_32F);
    for (int y = 0; y < m_rho.rows; ++y)
        for (int x = 0; x < m_rho.cols; ++x)
            m_rho.at<float>(y, x) = rho(x, y);
}

// How much brighter the eye is just outside a circle than just inside, left and right of it, where
// the lids leave it open; 0 when either side is hidden.
double EyeMaker::limbusContrast(const cv::Mat& gray, cv::Point2f center, float radius) const
{
    const float step = std::max(1.f, .010f * m_u);
    double total = 0;
    for (const float side : {-1.f, 1.f}) {
        double sum = 0;
        int count = 0;
        for (int degrees = -40; degrees <= 40; degrees += 10) {
            const float a = static_cast<float>(degrees) * 3.14159265f / 180;
            const cv::Point2f d(side * std::cos(a), std::sin(a));
            const cv::Point2f in = center + d * (radius - step);
            const cv::Point2f out = center + d * (radius + step);
            if (!cv::Rect2f(0, 0, static_cast<float>(gray.cols), static_cast<float>(gray.rows))
                     .contains(out) ||
                m_opening.at<std::uint8_t>(static_cast<int>(out.y), static_cast<int>(out.x)) < 200)
                continue;
            sum += static_cast<double>(ops::sample1(gray, out.x, out.y) -
                                       ops::sample1(gray, in.x, in.y));
            ++count;
        }
        if (count < 3)
            return 0;
        total += std::min(90.0, sum / count) / 2;
    }
    return total;
}

// The network's iris can be a few pixels off and too large under low lids: moved to where the
// limbus shows, if it does.
void EyeMaker::snapToIris()
{
    cv::Mat gray;
    cv::cvtColor(m_photo, gray, cv::COLOR_RGB2GRAY);
    gray = ops::blur(gray, .006 * m_u);
    const cv::Point2f start = m_center;
    const float radius = m_radius;
    double best = limbusContrast(gray, start, radius) + 3;
    for (int dy = -3; dy <= 3; ++dy)
        for (int dx = -4; dx <= 4; ++dx)
            for (int dr = -4; dr <= 3; ++dr) {
                const cv::Point2f c = start + cv::Point2f(dx * .004f * m_u, dy * .004f * m_u);
                const float r = radius + dr * .0025f * m_u;
                const double score = limbusContrast(gray, c, r) -
                                     .35 * (dx * dx + dy * dy + dr * dr);
                if (score > best && score > 14) {
                    best = score;
                    m_center = c;
                    m_radius = r;
                }
            }
}

cv::Mat EyeMaker::eroded(double share) const
{
    const int r = std::max(1, static_cast<int>(std::lround(share * m_u)));
    cv::Mat small;
    cv::erode(m_opening, small,
              cv::getStructuringElement(cv::MORPH_RECT, cv::Size(2 * r + 1, 2 * r + 1)));
    return ops::toFloat(small > 250) / 255.f;
}

// Where (float 0..1) the photo shows sclera: outside the iris, inside the lids, less red than skin.
cv::Mat EyeMaker::scleraPixels(const cv::Mat& known, float fromRho) const
{
    std::vector<float> skin;
    for (const int l : {50, 280, 101, 330, 205, 425}) {
        const Vector2 p = m_work.point(l);
        skin.push_back(redness(ops::sample(m_work.rgb, p.x(), p.y())));
    }
    const float limit = .95f * std::max(.05f, ops::median(std::move(skin)));
    cv::Mat out = known.mul(ops::toFloat(m_rho > fromRho) / 255.f);
    for (int y = 0; y < out.rows; ++y)
        for (int x = 0; x < out.cols; ++x)
            if (redness(m_photo.at<cv::Vec3f>(y, x)) > limit)
                out.at<float>(y, x) = 0;
    return out;
}

// Narrow or shadowed eyes: a plain eyeball of the brightness that the opening has, darker at the
// lids.
cv::Mat EyeMaker::plainSclera(const cv::Mat& guess) const
{
    std::vector<float> inside;
    cv::Mat gray;
    cv::cvtColor(m_photo, gray, cv::COLOR_RGB2GRAY);
    for (int y = 0; y < gray.rows; ++y)
        for (int x = 0; x < gray.cols; ++x)
            if (m_opening.at<std::uint8_t>(y, x) > 127)
                inside.push_back(gray.at<float>(y, x));
    const float level = std::max(50.f, ops::percentile(std::move(inside), .85) * .95f);
    cv::Mat depth;
    cv::distanceTransform(m_opening > 127, depth, cv::DIST_L2, cv::DIST_MASK_5);
    cv::Mat shade = ops::smoothstep(depth, 0.f, .04f * m_u) * .38f;
    shade += .62f;
    const PhotoTone tone = findTone(m_work);
    cv::Vec3f white(1.03f, .99f, .96f);
    for (int c = 0; c < 3; ++c)
        white[c] = tone.hue[at(c)] + (white[c] - tone.hue[at(c)]) * tone.colorful;
    cv::Mat out(m_photo.size(), CV_32FC3);
    for (int y = 0; y < out.rows; ++y)
        for (int x = 0; x < out.cols; ++x) {
            // At the rim the lid's own colour shines in.
            const float plain = .7f * ops::smoothstep(0.f, .022f * m_u, depth.at<float>(y, x));
            out.at<cv::Vec3f>(y, x) =
                guess.at<cv::Vec3f>(y, x) * ((1 - plain) * shade.at<float>(y, x)) +
                white * (plain * level * shade.at<float>(y, x));
        }
    return out;
}

cv::Mat EyeMaker::scleraTexture()
{
    const cv::Mat known = eroded(kLashMargin);
    const cv::Mat sclera = scleraPixels(known, 1.28f);
    const double opening = cv::countNonZero(m_opening > 127);
    if (cv::sum(sclera)[0] >= std::max(4.0, kEnoughSclera * opening)) {
        m_eye.gazeLimit = 1;
        return ops::pushPull(m_photo, sclera);
    }
    m_eye.gazeLimit = .45f;
    const cv::Mat near = scleraPixels(known, 1.10f);
    if (cv::sum(near)[0] >= 4)
        return plainSclera(ops::pushPull(m_photo, near));
    if (cv::sum(known)[0] > 0)
        return plainSclera(ops::pushPull(m_photo, known));
    return plainSclera(ops::blur(m_photo, .03 * m_u));
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
            filled[at(i)] =
                ring[at(lo)] + (ring[at(hi)] - ring[at(lo)]) *
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
    // Near the lids the photo shows lashes and their shadow, so there the completed textures take
    // over.
    const cv::Mat inner = ops::smoothstep(depth, .004f * m_u, .024f * m_u);
    const cv::Mat irisAlpha = ops::smoothstep(m_rho, 1.14f, .98f);
    const cv::Mat completed = ops::mix(sclera, rings, irisAlpha);
    m_eye.photo = ops::toTexture(ops::mix(completed, m_photo, inner));
    const cv::Mat insideIris = ops::smoothstep(m_rho, 1.3f, 1.1f);
    m_eye.sclera = ops::toTexture(ops::mix(ops::mix(sclera, m_photo, inner), sclera, insideIris));
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
