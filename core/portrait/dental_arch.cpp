#include "core/portrait/dental_arch.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/portrait/image_ops.h"

namespace loquor::portrait {

namespace {

enum class Crown {
    Incisor = 0,
    Canine,
    Premolar,
};

struct Tooth
{
    double width;   // along the arch, u
    double height;  // share of the central incisor's
    double shorter; // distance of its edge from the incisal line, u
    Crown crown;
    double tint; // darker and warmer than the central one
};

// Average adult teeth, 1 u = 90 mm.
constexpr std::array<Tooth, 6> kUpper{{{.094, 1, 0, Crown::Incisor, 0},
                                       {.074, .90, .008, Crown::Incisor, .01},
                                       {.084, .98, .000, Crown::Canine, .07},
                                       {.078, .84, .008, Crown::Premolar, .05},
                                       {.076, .78, .012, Crown::Premolar, .06},
                                       {.110, .72, .015, Crown::Premolar, .08}}};
constexpr std::array<Tooth, 6> kLower{{{.058, .92, 0, Crown::Incisor, 0},
                                       {.064, .93, .001, Crown::Incisor, .01},
                                       {.075, 1, -.005, Crown::Canine, .06},
                                       {.078, .86, .004, Crown::Premolar, .05},
                                       {.078, .80, .007, Crown::Premolar, .06},
                                       {.115, .76, .010, Crown::Premolar, .08}}};
constexpr double kUpperHeight = .112;
constexpr double kLowerHeight = .095;

double step(double a, double b, double x)
{
    return ops::smoothstep(static_cast<float>(a), static_cast<float>(b), static_cast<float>(x));
}

// Length of the parabola z = b x^2 from 0 to x.
double arcLength(double b, double x)
{
    if (b < 1e-6)
        return x;
    const double t = 2 * b * x;
    return (t * std::sqrt(1 + t * t) + std::asinh(t)) / (4 * b);
}

// Irradiance relative to a surface that faces the camera.
double lit(const Vector3& light, const Vector3& n)
{
    const double facing = std::max(.4, 1 - light.z());
    return std::clamp((1 + light.dot(n)) / facing, .55, 1.25);
}

// Mirror direction between the light and the camera.
Vector3 halfway(const Vector3& light)
{
    Vector3 direction = light.norm() > .05 ? Vector3(light.normalized()) : Vector3(0, 0, 0);
    direction = (direction + Vector3(-.1, -.55, -.85)).normalized();
    return (direction + Vector3(0, 0, -1)).normalized();
}

struct Sample
{
    Vector3 color = Vector3::Zero();
    double cover = 0;
    double gloss = 0;
};

class Arch
{
public:
    explicit Arch(const ArchLook& look)
        : m_look(look), m_teeth(look.upper ? kUpper : kLower),
          m_height(look.upper ? kUpperHeight : kLowerHeight), m_sign(look.upper ? 1 : -1),
          m_half(halfway(look.light))
    {
        double start = 0;
        for (std::size_t j = 0; j < m_teeth.size(); ++j) {
            m_start[j] = start;
            start += m_teeth[j].width;
        }
        m_length = start;
    }

    Sample at(double x, double y) const
    {
        const double s = arcLength(m_look.bend, std::abs(x));
        Sample out = backing(x, y, s);
        for (std::size_t j = 0; j < m_teeth.size(); ++j) {
            if (s < m_start[j] - .01 || s > m_start[j] + m_teeth[j].width + .01)
                continue;
            const Sample tooth = crown(j, x, y, s);
            out.color += (tooth.color - out.color) * tooth.cover;
            out.gloss += (tooth.gloss - out.gloss) * tooth.cover;
            out.cover = std::max(out.cover, tooth.cover);
        }
        // The cheeks shade the sides.
        out.color *= .34 + .66 * step(m_length * .78, m_length * .22, s);
        out.gloss *= step(m_length * .62, m_length * .2, s);
        return out;
    }

private:
    Vector3 archNormal(double x) const { return Vector3(2 * m_look.bend * x, 0, -1).normalized(); }
    Sample backing(double x, double y, double s) const;
    Sample crown(std::size_t j, double x, double y, double s) const;

    ArchLook m_look;
    std::array<Tooth, 6> m_teeth;
    std::array<double, 6> m_start{};
    double m_height;
    double m_sign; // +1: gum above
    Vector3 m_half;
    double m_length = 0;
};

// Gum, and the dark behind the gaps between the teeth.
Sample Arch::backing(double x, double y, double s) const
{
    Sample out;
    const double up = m_sign * (m_look.edge - y); // from the incisal line to the gum
    out.cover = step(m_length * .97, m_length * .88, s) * step(-.004, .010, up - .016);
    const double scallop = .006 * std::cos(s / .045 * 3.14159265);
    const double gum = step(m_height * .84, m_height * .99, up - scallop);
    const Vector3 n = (archNormal(x) + Vector3(0, -m_sign * .25, 0)).normalized();
    const Vector3 gumColor =
        m_look.gum * lit(m_look.light, n) *
        (1 - .10 * step(.05, 0, up - m_height) * (.5 - .5 * std::cos(s / .09 * 6.2831853)));
    const Vector3 gap = m_look.enamel.cwiseProduct(Vector3(.46, .32, .28));
    out.color = gap + (gumColor - gap) * gum;
    out.gloss = 60 * gum * std::pow(std::max(0.0, n.dot(m_half)), 40);
    return out;
}

Sample Arch::crown(std::size_t j, double x, double y, double s) const
{
    const Tooth& tooth = m_teeth[j];
    const double height = m_height * tooth.height;
    const double t0 = (s - m_start[j]) / tooth.width * 2 - 1; // -1 towards the middle, 1 away
    const double t0a = std::abs(t0);
    double edge = tooth.shorter;
    if (tooth.crown == Crown::Incisor)
        edge += (t0 > 0 ? .0075 : .004) * t0a * t0a * t0a;
    else if (tooth.crown == Crown::Canine)
        edge += .013 * std::pow(t0a, 1.3);
    else
        edge += .009 * t0a * t0a;
    const double d = m_sign * (m_look.edge - y) - edge; // > 0 inside, from the edge
    const double v = std::clamp(d / height, 0.0, 1.2);
    const double t = t0 / (1 - .13 * v * v); // narrower at the neck
    const double ta = std::abs(t);
    const double neck = height * (1 - .13 * t * t);
    const double soft = m_look.softness;
    Sample out;
    out.cover = step(-soft, soft, d) * step(-soft, soft, neck - d) *
                step(1 + 5 * soft / tooth.width, 1 + soft / tooth.width, ta);
    if (out.cover <= 0)
        return out;

    const double side = x < 0 ? -1 : 1;
    const Vector3 along(side / std::sqrt(1 + std::pow(2 * m_look.bend * x, 2)), 0,
                        2 * m_look.bend * std::abs(x) /
                            std::sqrt(1 + std::pow(2 * m_look.bend * x, 2)));
    const double bulge = .30 * t + .34 * t * ta * ta;
    const double lobes =
        tooth.crown == Crown::Incisor ? .05 * std::sin(3 * 3.14159265 * t) * (1 - v) : 0;
    const double tilt = m_sign * (.26 - .62 * v + .18 * v * v); // down at the edge, up at the neck
    const Vector3 n = (archNormal(x) + along * (bulge + lobes) + Vector3(0, tilt, 0)).normalized();

    Vector3 c = m_look.enamel * (1 - tooth.tint);
    c = c.cwiseProduct(Vector3(1, 1 - .05 * tooth.tint / .08, 1 - .12 * tooth.tint / .08));
    const double facing = std::max(0.0, n.dot(archNormal(x)));
    c *= (.70 + .30 * facing) * lit(m_look.light, n);
    c = c.cwiseProduct(Vector3::Ones() -
                       Vector3(.02, .07, .14) * (v * v)); // dentine shows at the neck
    const double glassy = std::exp(-std::max(d, 0.0) / .010);
    c = c.cwiseProduct(Vector3::Ones() -
                       Vector3(.15, .11, .07) *
                           (tooth.crown == Crown::Incisor ? glassy : .5 * glassy));
    c *= 1 - .26 * std::exp(-std::max(0.0, 1 - ta) / .07);    // contact with the neighbour
    c *= 1 - .22 * std::exp(-std::max(0.0, neck - d) / .008); // shadow of the gum's rim
    out.color = c;
    const double mirror = std::max(0.0, n.dot(m_half));
    out.gloss = std::min(255.0, 150 * std::pow(mirror, 90) + 40 * std::pow(mirror, 14));
    return out;
}

} // namespace

Shaded renderArch(const MouthRaster& raster, const ArchLook& look)
{
    const Arch arch(look);
    Shaded out{cv::Mat(raster.height, raster.width, CV_32FC4),
               cv::Mat(raster.height, raster.width, CV_32F)};
    for (int row = 0; row < raster.height; ++row)
        for (int column = 0; column < raster.width; ++column) {
            const Sample s = arch.at(raster.x(column), raster.y(row));
            cv::Vec4f& pixel = out.color.at<cv::Vec4f>(row, column);
            for (int c = 0; c < 3; ++c)
                pixel[c] = static_cast<float>(std::clamp(s.color[c], 0.0, 255.0));
            pixel[3] = static_cast<float>(255 * s.cover);
            out.gloss.at<float>(row, column) = static_cast<float>(s.gloss * s.cover);
        }
    return out;
}

Shaded renderTongue(const MouthRaster& raster, const Vector3& color, const Vector3& light)
{
    const Vector3 half = halfway(light);
    const double texel = (raster.x1 - raster.x0) / raster.width;
    const cv::Mat bumps = ops::blur(ops::grain(cv::Size(raster.width, raster.height), 0x746f6e67),
                                    std::max(.5, .005 / texel)) *
                          static_cast<float>(std::max(1.0, .012 / texel));
    Shaded out{cv::Mat(raster.height, raster.width, CV_32FC4),
               cv::Mat(raster.height, raster.width, CV_32F)};
    for (int row = 0; row < raster.height; ++row)
        for (int column = 0; column < raster.width; ++column) {
            const double x = raster.x(column);
            const double y = raster.y(row);
            const double a = x / .225;
            const double top =
                .085 * std::min(1.5, a * a) + .012 * std::exp(-std::pow(x / .022, 2));
            const double d = y - top; // below the outline of its back
            const double groove = std::exp(-std::pow(x / .016, 2)) * step(0, .04, d);
            const int next = std::min(column + 1, raster.width - 1);
            const int below = std::min(row + 1, raster.height - 1);
            const double here = static_cast<double>(bumps.at<float>(row, column));
            const double bumpX = static_cast<double>(bumps.at<float>(row, next)) - here;
            const double bumpY = static_cast<double>(bumps.at<float>(below, column)) - here;
            const Vector3 n =
                Vector3(.85 * a - .5 * groove * x / .016 + .10 * bumpX,
                        -1.5 * std::exp(-std::max(0.0, d) / .05) + .10 + .10 * bumpY, -1)
                    .normalized();
            const double cover = step(-.012, .012, d) * step(1.03, .90, std::abs(a));
            Vector3 c = color * lit(light, n) * (.62 + .38 * step(0, .06, d));
            c *= (1 - .30 * std::min(1.0, a * a)) * (1 - .26 * groove);
            c = c.cwiseProduct(Vector3(1, 1 + .10 * step(.12, 0, d), 1 + .10 * step(.12, 0, d)));
            cv::Vec4f& pixel = out.color.at<cv::Vec4f>(row, column);
            for (int k = 0; k < 3; ++k)
                pixel[k] = static_cast<float>(std::clamp(c[k], 0.0, 255.0));
            pixel[3] = static_cast<float>(255 * cover);
            const double mirror = std::max(0.0, n.dot(half));
            out.gloss.at<float>(row, column) = static_cast<float>(
                cover * std::min(255.0, 120 * std::pow(mirror, 60) + 26 * std::pow(mirror, 10)));
        }
    return out;
}

} // namespace loquor::portrait
