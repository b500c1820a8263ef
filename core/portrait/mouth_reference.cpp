// The inside of the mouth: teeth from the photo or from the rendered arch, tongue, colours.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/portrait/dental_arch.h"
#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/photo_tone.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

constexpr double kArchBend = 2.6; // 1/u
constexpr double kTeethBehindLips = .055;
constexpr double kDrawnIncisal = .034; // below the seam
constexpr double kSkinRed = 1.38;      // of skin in white light, against green
constexpr double kSkinBlue = .78;
// How bright colours are in a photo of one hue. Flesh goes dark there: without its red nothing else tells
// the inside of a mouth from the lips.
const Vector3 kLuminance(.299, .587, .114), kFlesh(0, .6, .4);
const Vector3 kCavity(34, 16, 20); // in white light 200; the painter reads the photo's colours from its hue

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

Vec3 toVec3(const Vector3& v)
{
    return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

Vector3 toVector(const cv::Vec3f& v)
{
    return {v[0], v[1], v[2]};
}

double mean(const Vector3& v)
{
    return v.sum() / 3;
}

class MouthMaker
{
public:
    explicit MouthMaker(ReferenceWork& work) : m_work(work), m_model(work.model) {}
    void run();

private:
    void findWhite();
    void placeRaster();
    void drawTeeth();
    void takePhotoTeeth();
    void drawTongue();
    void soften(cv::Mat& texture) const;
    std::vector<float> lipColors(const std::vector<int>& contour, double side) const;
    Vector3 headLight() const;
    Vector3 inPhotosColors(const Vector3& color, const Vector3& sensitivity) const;
    cv::Mat toTextureMap() const;

    ReferenceWork& m_work;
    PortraitModel& m_model;
    MouthRaster m_raster;
    double m_texelsPerPixel = 2;
    PhotoTone m_tone;
    Vector3 m_center = Vector3::Zero();
    Vector3 m_gum = Vector3::Zero();
    Vector3 m_enamel = Vector3::Zero();
    cv::Mat m_upper, m_lower;
};

// The brightest fifth of what lies between the lids: sclera, where there is any.
Vector3 brightInEyes(const ReferenceWork& work)
{
    const Mesh& mesh = work.mesh;
    std::vector<float> luminance;
    std::vector<cv::Vec3f> color;
    for (std::size_t e = 0; e < 2; ++e) {
        const std::vector<cv::Point2f> outline = work.outline(mesh.upperLid[e], mesh.lowerLid[e]);
        const cv::Rect box = ops::boxAround(outline, 1, work.size());
        if (box.empty())
            continue;
        cv::Mat mask = cv::Mat::zeros(box.size(), CV_8U);
        ops::fillPolygon(mask, outline, 255, static_cast<float>(box.x), static_cast<float>(box.y),
                         false);
        for (int y = 0; y < box.height; ++y)
            for (int x = 0; x < box.width; ++x)
                if (mask.at<std::uint8_t>(y, x)) {
                    const cv::Vec3f c = work.rgbF.at<cv::Vec3f>(box.y + y, box.x + x);
                    color.push_back(c);
                    luminance.push_back((c[0] + c[1] + c[2]) / 3);
                }
    }
    if (color.empty())
        return Vector3::Constant(200);
    const float bright = ops::percentile(luminance, .8);
    Vector3 sum = Vector3::Zero();
    int count = 0;
    for (std::size_t i = 0; i < color.size(); ++i)
        if (luminance[i] >= bright) {
            sum += toVector(color[i]);
            ++count;
        }
    return sum / std::max(1, count);
}

// Colour of the light, mean 1. Skin of every complexion reflects about the same hue; what the
// photo's skin has beyond it is light. Where the eyes show sclera, it tells too.
Vector3 lightColor(const Vector3& skin, const Vector3& sclera, bool scleraShows)
{
    const double green = std::max(1.0, skin.y());
    const auto excess = [](double ratio, double usual) {
        return std::clamp(std::pow(ratio / usual, .75), .8, 1.3);
    };
    const Vector3 bySkin(excess(skin.x() / green, kSkinRed), 1,
                         excess(skin.z() / green, kSkinBlue));
    const Vector3 byEyes = sclera / std::max(1.0, mean(sclera));
    const double share = scleraShows ? .4 : .15;
    Vector3 light = (1 - share) * bySkin / mean(bySkin) + share * byEyes;
    light = light.cwiseMax(.75).cwiseMin(1.3);
    return light / mean(light);
}

// White in this light.
void MouthMaker::findWhite()
{
    m_tone = findTone(m_work);
    const Vector3 sclera = brightInEyes(m_work);
    std::array<std::vector<float>, 3> channels;
    std::vector<float> face;
    std::vector<float> nearMouth;
    for (const int l :
         {50, 280, 205, 425, 101, 330, 151, 9, 4, 5, 195, 197, 36, 266, 203, 423, 206, 426}) {
        const Vector2 p = m_work.point(l);
        const cv::Vec3f c = ops::sample(m_work.rgb, p.x(), p.y());
        for (int k = 0; k < 3; ++k)
            channels[at(k)].push_back(c[k]);
        face.push_back((c[0] + c[1] + c[2]) / 3);
        if (l == 205 || l == 425 || l == 36 || l == 266 || l == 203 || l == 423)
            nearMouth.push_back(face.back());
    }
    const Vector3 skin(ops::median(channels[0]), ops::median(channels[1]), ops::median(channels[2]));
    const double skinLevel = .6 * static_cast<double>(ops::percentile(face, .8)) +
                             .4 * static_cast<double>(ops::median(std::move(nearMouth)));
    m_work.whiteLevel = std::clamp(std::max(mean(sclera), 1.12 * skinLevel), 90.0, 225.0);
    const bool scleraShows =
        m_model.eyes[0].gazeLimit >= 1 && m_model.eyes[1].gazeLimit >= 1 && !m_model.glasses;
    m_work.white = m_work.whiteLevel * lightColor(skin, sclera, scleraShows);
    m_work.white = inPhotosColors(m_work.white, kLuminance);
    m_model.whiteColor = toVec3(m_work.white);
    const Vector3 tint = m_work.white / 200;
    m_model.cavityColor = toVec3(inPhotosColors(kCavity.cwiseProduct(tint), kFlesh));
    m_gum = inPhotosColors(Vector3(178, 112, 118).cwiseProduct(tint), kFlesh);
    m_enamel = inPhotosColors(m_work.white.cwiseProduct(Vector3(1.02, .98, .93)) * .94, kLuminance);
}

// Of one hue as far as the photo is: what is drawn must fit a black and white one too.
Vector3 MouthMaker::inPhotosColors(const Vector3& color, const Vector3& sensitivity) const
{
    const double grey = color.dot(sensitivity);
    const auto colorful = static_cast<double>(m_tone.colorful);
    const Vector3 toned = Vector3(m_tone.hue[0], m_tone.hue[1], m_tone.hue[2]) * grey;
    return toned * (1 - colorful) + color * colorful;
}

void MouthMaker::placeRaster()
{
    m_center = (m_work.neutralLips[0][5] + m_work.neutralLips[1][5]) / 2;
    m_texelsPerPixel = m_work.u() < 200 ? 2.0 : 1.5;
    m_raster = {static_cast<double>(m_model.mouthX0),
                static_cast<double>(m_model.mouthX1),
                static_cast<double>(m_model.mouthY0),
                static_cast<double>(m_model.mouthY1),
                0,
                0};
    const double scale = m_work.u() * m_texelsPerPixel;
    m_raster.width =
        std::max(8, static_cast<int>(std::lround((m_raster.x1 - m_raster.x0) * scale)));
    m_raster.height =
        std::max(8, static_cast<int>(std::lround((m_raster.y1 - m_raster.y0) * scale)));
    m_model.mouthCenter = toVec3(m_center);
    m_model.teethZ = static_cast<float>(m_center.z() + kTeethBehindLips);
    m_model.photoTeeth = m_work.photoTeeth;
    m_model.incisalY =
        static_cast<float>(m_work.photoTeeth ? m_work.incisal : m_center.y() + kDrawnIncisal);
    m_model.archBend = m_work.photoTeeth ? 0.f : static_cast<float>(kArchBend);
    // Drawn parts must not look sharper than the photo around them.
    const double scaleUp = std::max(1.0, m_work.u() / 150);
    m_model.softness = static_cast<float>(std::clamp(.5 * m_model.photoScale, .5, 1.4 * scaleUp));
}

Vector3 MouthMaker::headLight() const
{
    const Vector3 image(m_model.light[0], m_model.light[1], m_model.light[2]);
    Vector3 light = m_work.frame.R.transpose() * image;
    return light.norm() > .8 ? Vector3(light * (.8 / light.norm())) : light;
}

void MouthMaker::soften(cv::Mat& texture) const
{
    texture = ops::blur(texture, static_cast<double>(m_model.softness) * m_texelsPerPixel * .8);
}

void MouthMaker::drawTeeth()
{
    ArchLook look;
    look.bend = kArchBend;
    look.enamel = m_enamel;
    look.gum = m_gum;
    look.light = headLight();
    look.softness = .7 * (m_raster.x1 - m_raster.x0) / m_raster.width;
    look.edge = static_cast<double>(m_model.incisalY);
    Shaded upper = renderArch(m_raster, look);
    look.upper = false;
    look.bend = kArchBend * 1.15;
    look.edge = m_center.y() + .004;
    look.enamel = m_enamel * .80;
    Shaded lower = renderArch(m_raster, look);
    if (m_work.photoTeeth)
        upper.gloss.setTo(0.f); // the photo's own highlights are in its pixels
    soften(upper.gloss);
    soften(lower.gloss);
    m_model.upperGloss = ops::toTexture(upper.gloss);
    m_model.lowerGloss = ops::toTexture(lower.gloss);
    m_upper = upper.color;
    m_lower = lower.color;
}

// Affine map from texture index to canvas index through the plane of the teeth.
cv::Mat MouthMaker::toTextureMap() const
{
    const double z = static_cast<double>(m_model.teethZ);
    const auto canvas = [&](double column, double row) {
        const Vector3 head(m_raster.x0 + column * (m_raster.x1 - m_raster.x0) / m_raster.width,
                           m_raster.y0 + row * (m_raster.y1 - m_raster.y0) / m_raster.height, z);
        return Vector2(m_work.frame.toImage(head).head<2>() - Vector2(.5, .5));
    };
    const Vector2 origin = canvas(.5, .5);
    const Vector2 dx = canvas(1.5, .5) - origin;
    const Vector2 dy = canvas(.5, 1.5) - origin;
    return (cv::Mat_<double>(2, 3) << dx.x(), dy.x(), origin.x(), dx.y(), dy.y(), origin.y());
}

double interpolate(const std::vector<double>& xs, const std::vector<double>& ys, double x)
{
    if (x <= xs.front())
        return ys.front();
    for (std::size_t i = 1; i < xs.size(); ++i)
        if (x <= xs[i])
            return ys[i - 1] +
                   (ys[i] - ys[i - 1]) * (x - xs[i - 1]) / std::max(1e-9, xs[i] - xs[i - 1]);
    return ys.back();
}

// The photo's own teeth: rectified to the plane of the teeth, cut along their edge, gum above.
void MouthMaker::takePhotoTeeth()
{
    const Mesh& mesh = m_work.mesh;
    const cv::Mat map = toTextureMap();
    const cv::Size size(m_raster.width, m_raster.height);
    const auto rectify = [&](const cv::Mat& m, int interpolation) {
        cv::Mat out;
        cv::warpAffine(m, out, map, size, interpolation | cv::WARP_INVERSE_MAP,
                       cv::BORDER_REPLICATE);
        return out;
    };
    const cv::Mat photo = rectify(m_work.rgbF, cv::INTER_CUBIC);
    const int r = std::max(1, static_cast<int>(std::lround(.012 * m_work.u())));
    cv::Mat opening;
    cv::erode(m_work.mouthMask, opening,
              cv::getStructuringElement(cv::MORPH_RECT, cv::Size(2 * r + 1, 2 * r + 1)));
    const cv::Mat known = rectify(ops::toFloat(opening) / 255.f, cv::INTER_LINEAR) > .98f;
    const cv::Mat fill = ops::pushPull(photo, ops::toFloat(known) / 255.f);
    std::vector<double> lipX;
    std::vector<double> lipY;
    for (const int v : mesh.upperInner) {
        lipX.push_back(mesh.head[at(v)].x());
        lipY.push_back(mesh.head[at(v)].y());
    }
    const double half = (std::abs(lipX.front()) + std::abs(lipX.back())) / 2;
    for (int row = 0; row < size.height; ++row)
        for (int column = 0; column < size.width; ++column) {
            const double x = m_raster.x(column);
            const double y = m_raster.y(row);
            const auto edge =
                static_cast<float>(y - interpolate(m_work.incisalX, m_work.incisalY, x) + .004);
            const auto above = static_cast<float>(interpolate(lipX, lipY, x) - y);
            const float gum = .8f * ops::smoothstep(.004f, .03f, above);
            const float cover =
                ops::smoothstep(.006f, -.006f, edge) *
                ops::smoothstep(static_cast<float>(half * 1.15), static_cast<float>(half * .95),
                                static_cast<float>(std::abs(x)));
            const cv::Vec3f& c = fill.at<cv::Vec3f>(row, column);
            cv::Vec4f& out = m_upper.at<cv::Vec4f>(row, column);
            for (int k = 0; k < 3; ++k)
                out[k] = std::clamp(c[k] + (static_cast<float>(m_gum[k]) - c[k]) * gum, 0.f, 255.f);
            out[3] = 255 * cover;
        }
    // The lower teeth take the colour of the visible ones.
    const cv::Mat visible = rectify(m_work.toothMask, cv::INTER_LINEAR) > .7f;
    std::array<std::vector<float>, 3> values;
    for (int row = 0; row < size.height; ++row)
        for (int column = 0; column < size.width; ++column)
            if (visible.at<std::uint8_t>(row, column))
                for (int k = 0; k < 3; ++k)
                    values[at(k)].push_back(photo.at<cv::Vec3f>(row, column)[k]);
    if (values[0].size() <= 20)
        return;
    cv::Vec4f gain(1, 1, 1, 1);
    for (int k = 0; k < 3; ++k)
        gain[k] =
            ops::median(values[at(k)]) / static_cast<float>(std::max(1.0, m_enamel[k])) * .95f;
    for (int row = 0; row < size.height; ++row)
        for (int column = 0; column < size.width; ++column) {
            cv::Vec4f& c = m_lower.at<cv::Vec4f>(row, column);
            for (int k = 0; k < 3; ++k)
                c[k] = std::min(255.f, c[k] * gain[k]);
        }
}

void MouthMaker::drawTongue()
{
    Shaded tongue =
        renderTongue(
            m_raster, inPhotosColors(Vector3(168, 88, 92).cwiseProduct(m_work.white) / 200, kFlesh),
            headLight());
    soften(tongue.color);
    soften(tongue.gloss);
    m_model.tongue = ops::toTexture(tongue.color);
    m_model.tongueGloss = ops::toTexture(tongue.gloss);
}

// Vermilion a little outside the contour, smoothed along the lip; side +1 below, -1 above.
std::vector<float> MouthMaker::lipColors(const std::vector<int>& contour, double side) const
{
    const double u = m_work.u();
    const cv::Mat soft = ops::blur(m_work.rgb, .008 * u);
    const Vector2 down = m_work.frame.R.col(1).head<2>();
    std::vector<Vector3> colors;
    for (const int v : contour) {
        const Vector2 p = m_work.mesh.xy[at(v)] + down * (side * .028 * u);
        colors.push_back(toVector(ops::sample(soft, p.x(), p.y())));
    }
    constexpr int kReach = 4;
    std::vector<float> out;
    const int n = static_cast<int>(colors.size());
    for (int i = 0; i < n; ++i) {
        Vector3 sum = Vector3::Zero();
        double total = 0;
        for (int d = -kReach; d <= kReach; ++d) {
            const double w = .5 + .5 * std::cos(3.14159265358979 * d / kReach);
            sum += w * colors[at(std::clamp(i + d, 0, n - 1))];
            total += w;
        }
        for (int c = 0; c < 3; ++c)
            out.push_back(static_cast<float>(sum[c] / total));
    }
    return out;
}

void MouthMaker::run()
{
    findWhite();
    placeRaster();
    drawTeeth();
    if (m_work.photoTeeth)
        takePhotoTeeth();
    else
        soften(m_upper);
    soften(m_lower);
    m_model.upperTeeth = ops::toTexture(m_upper);
    m_model.lowerTeeth = ops::toTexture(m_lower);
    drawTongue();
    m_model.lipColorLower = lipColors(m_work.mesh.lowerInner, 1);
    m_model.lipColorUpper = lipColors(m_work.mesh.upperInner, -1);
}

} // namespace

void makeMouth(ReferenceWork& work)
{
    MouthMaker(work).run();
}

} // namespace loquor::portrait
