#include "tests/core/portrait/synthetic_portrait.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace loquor::portrait {
namespace {

constexpr int kColumns = 61, kRows = 46; // grid points
constexpr int kMouthRow = 30, kMouthColumn = 10;
constexpr int kEyeRow = 15;
constexpr int kEyeColumns[2] = {4, 32};

float gauss(float x, float y, float rx, float ry)
{
    return std::exp(-x * x / (rx * rx) - y * y / (ry * ry));
}

class Maker
{
public:
    explicit Maker(const SyntheticOptions& options) : m_options(options) {}
    PortraitModelPtr make()
    {
        m.width = m_options.width;
        m.height = m_options.height;
        m.u = .35f * static_cast<float>(std::min(m.width, m.height)) + 8;
        m.R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        m.M0 = {.5f * static_cast<float>(m.width), .62f * static_cast<float>(m.height), 0};
        m.openMouth = m_options.openMouth;
        mesh();
        contours();
        fields();
        smoothing();
        pictures();
        eyes();
        mouth();
        return std::make_shared<const PortraitModel>(std::move(m));
    }

private:
    // Grid points span 2 u x 2.5 u around the face, then the outermost ring goes beyond the canvas.
    float gridX(int c) const { return (static_cast<float>(c) - 30) * .034f; }
    float gridY(int r) const { return (static_cast<float>(r) - kMouthRow) * .055f; }

    void mesh()
    {
        for (int r = 0; r < kRows; ++r)
            for (int c = 0; c < kColumns; ++c) {
                float x = gridX(c), y = gridY(r);
                if (c == 0 || c == kColumns - 1)
                    x *= 8;
                if (r == 0 || r == kRows - 1)
                    y *= 8;
                addVertex(x, y);
            }
        std::vector<int> lower(kColumns * kRows);
        for (std::size_t i = 0; i < lower.size(); ++i)
            lower[i] = static_cast<int>(i);
        cut(kMouthRow, kMouthColumn, kLipSamples, lower, m.upperInner, m.lowerInner,
            m.openMouth ? .05f : 0.f);
        for (std::size_t k = 0; k < 2; ++k)
            cut(kEyeRow, kEyeColumns[k], kLidSamples, lower, m.eyes[k].upper, m.eyes[k].lower,
                .07f);
        std::reverse(m.eyes[1].upper.begin(), m.eyes[1].upper.end()); // outer to inner
        std::reverse(m.eyes[1].lower.begin(), m.eyes[1].lower.end());
        for (int r = 0; r + 1 < kRows; ++r)
            for (int c = 0; c + 1 < kColumns; ++c) {
                const int a = r * kColumns + c, b = a + 1, d = a + kColumns, e = d + 1;
                auto top = [&](int v) { return lower[static_cast<std::size_t>(v)]; };
                m.triangles.insert(m.triangles.end(), {top(a), top(b), d, top(b), e, d});
            }
    }
    int addVertex(float x, float y)
    {
        const float z = .5f * x * x + .2f * y * y;
        m.restXH.insert(m.restXH.end(), {x, y, z});
        const float px = m.M0[0] + x * m.u, py = m.M0[1] + y * m.u;
        m.restXY.insert(m.restXY.end(), {px, py});
        m.restX0.insert(m.restX0.end(), {px, py, z * m.u});
        return static_cast<int>(m.restXY.size() / 2) - 1;
    }
    void move(int vertex, float dy)
    {
        const auto v = static_cast<std::size_t>(vertex);
        m.restXH[3 * v + 1] += dy;
        m.restXY[2 * v + 1] += dy * m.u;
        m.restX0[3 * v + 1] += dy * m.u;
    }
    // Cuts a row open: triangles below it use new vertices; the rims part by `open`.
    void cut(int row, int column, int count, std::vector<int>& lower, std::vector<int>& up,
             std::vector<int>& down, float open)
    {
        for (int i = 0; i < count; ++i) {
            const int v = row * kColumns + column + i;
            up.push_back(v);
            const bool corner = i == 0 || i == count - 1;
            const float x = m.restXH[3 * static_cast<std::size_t>(v)];
            const float y = m.restXH[3 * static_cast<std::size_t>(v) + 1];
            down.push_back(corner ? v : addVertex(x, y));
            lower[static_cast<std::size_t>(v)] = down.back();
            const float arc = std::sin(3.14159265f * static_cast<float>(i) /
                                       static_cast<float>(count - 1));
            if (!corner) {
                move(up.back(), -.5f * open * arc);
                move(down.back(), .5f * open * arc);
            }
        }
    }
    Vec3 point(int vertex) const
    {
        const float* p = m.restXH.data() + 3 * static_cast<std::size_t>(vertex);
        return {p[0], p[1], p[2]};
    }

    void contours()
    {
        static constexpr float kUpper[] = {.36f, .2f, .09f, .03f, 0, 0, 0, .03f, .09f, .2f, .36f};
        static constexpr float kLower[] = {.36f, .56f, .76f, .91f, .98f, 1,
                                           .98f, .91f, .76f, .56f, .36f};
        for (std::size_t i = 0; i < kLipKnots; ++i) {
            const Vec3 a = point(m.upperInner[4 * i]), b = point(m.lowerInner[4 * i]);
            const float s = static_cast<float>(i) / 5 - 1, arc = std::sqrt(1 - s * s);
            m.refContour[0][i] = a;
            m.refContour[1][i] = b;
            m.refContour[2][i] = {a[0], a[1] - .11f * arc, a[2]};
            m.refContour[3][i] = {b[0], b[1] + .11f * arc, b[2]};
            for (std::size_t c = 0; c < 4; ++c)
                m.lipJawWeight[c][i] = c % 2 == 0 ? kUpper[i] : kLower[i];
        }
        m.neutralContour = m.refContour;
        for (std::size_t i = 0; i < kLipKnots; ++i) {
            const float middle = .5f * (m.refContour[0][i][1] + m.refContour[1][i][1]);
            m.neutralContour[0][i][1] = m.neutralContour[1][i][1] = middle;
        }
    }

    void fields()
    {
        const std::size_t n = m.restXY.size() / 2;
        m.lipField.assign(n * kLipHandles, 0.f);
        m.eyeField.assign(n * kEyeHandles, 0.f);
        const std::set<int> below(m.lowerInner.begin() + 1, m.lowerInner.end() - 1);
        for (std::size_t v = 0; v < n; ++v) {
            const float x = m.restXH[3 * v], y = m.restXH[3 * v + 1];
            const bool lowerSide = y > .001f || below.count(static_cast<int>(v)) > 0;
            const float knot = x / .136f + 5;
            const float near = std::max(0.f, 1 - std::abs(y) / .165f);
            const float outer = std::max(0.f, 1 - std::abs(std::abs(y) - .165f) / .165f);
            for (int k = 0; k < kLipKnots; ++k) {
                const float hat = std::max(0.f, 1 - std::abs(knot - static_cast<float>(k)));
                const bool end = k == 0 || k == kLipKnots - 1;
                const int inner = lowerSide && !end ? 10 + k : k;
                const int out = lowerSide && !end ? 30 + k : 20 + k;
                m.lipField[v * kLipHandles + static_cast<std::size_t>(inner)] = hat * near;
                m.lipField[v * kLipHandles + static_cast<std::size_t>(out)] = hat * outer;
            }
            m.jawWeight.push_back(lowerSide ? gauss(x, std::max(0.f, y - .3f), .8f, .5f) : 0.f);
            m.cheekWeight.push_back(gauss(std::abs(x) - .5f, y + .3f, .2f, .15f));
            m.frameHold.insert(m.frameHold.end(), {0.f, 0.f});
            m.headWeight.push_back(std::clamp((.9f - y) / .3f, 0.f, 1.f) *
                                   std::clamp((1.f - std::abs(x)) / .1f, 0.f, 1.f));
            m.lightWeight.push_back(gauss(x, y + .3f, .7f, .8f) > .3f ? 1.f : 0.f);
            if (m_options.details) {
                m.neutralShift.insert(m.neutralShift.end(), {0, .01f * m.cheekWeight[v], 0});
                m.roundShift.insert(m.roundShift.end(), {-.02f * m.cheekWeight[v], 0, 0});
            }
            lidField(v, x, y);
        }
        m.tmj = {0, -.5f, 1.f};
        m.pivot = {m.M0[0], m.M0[1] + .9f * m.u, .8f * m.u};
        m.chinY = .55f;
        m.light = {.2f, -.3f, -.2f};
        m.landmarkVertex.fill(-1);
        m.landmarkVertex[2] = (kMouthRow - 5) * kColumns + 30;
    }
    void lidField(std::size_t v, float x, float y)
    {
        for (std::size_t k = 0; k < 2; ++k)
            for (std::size_t i = 0; i < kLidSamples; ++i) {
                const bool upper = m.eyes[k].upper[i] == static_cast<int>(v);
                if (!upper && m.eyes[k].lower[i] != static_cast<int>(v))
                    continue;
                const float knot = static_cast<float>(i) / 3;
                for (std::size_t j = 0; j < kLidKnots; ++j)
                    m.eyeField[v * kEyeHandles + 18 * k + (upper ? 0 : 9) + j] =
                        std::max(0.f, 1 - std::abs(knot - static_cast<float>(j)));
            }
        for (std::size_t b = 0; b < 10; ++b) {
            const float cx = b < 5 ? -.8f + .14f * static_cast<float>(b)
                                   : .8f - .14f * static_cast<float>(b - 5);
            m.eyeField[v * kEyeHandles + 36 + b] = .6f * gauss(x - cx, y + 1.1f, .12f, .1f);
        }
    }

    void smoothing()
    {
        const std::size_t n = m.restXY.size() / 2;
        std::vector<std::set<int>> ring(n);
        for (std::size_t t = 0; t < m.triangles.size(); t += 3)
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t b = 0; b < 3; ++b)
                    ring[static_cast<std::size_t>(m.triangles[t + a])].insert(m.triangles[t + b]);
        m.smoothStart.push_back(0);
        for (std::size_t v = 0; v < n; ++v) {
            for (const int w : ring[v]) {
                m.smoothIndex.push_back(w);
                m.smoothWeight.push_back(1.f / static_cast<float>(ring[v].size()));
            }
            m.smoothStart.push_back(static_cast<int>(m.smoothIndex.size()));
        }
        m.normals0.assign(3 * n, 0.f);
    }

    void pictures()
    {
        const int w = m.width, h = m.height;
        m.canvas = Image(w, h, 3);
        m.plate = Image(w, h, 3);
        m.layer = Image(w, h, 4);
        m.lid = Image(w, h, 3);
        m.lidBand = Image(w, h, 1);
        m.matte = Image(w, h, 1);
        m.detail = m_options.details ? Image(w, h, 3) : Image();
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                const float hx = (static_cast<float>(x) + .5f - m.M0[0]) / m.u;
                const float hy = (static_cast<float>(y) + .5f - m.M0[1]) / m.u;
                const float inside = .95f - std::sqrt(hx * hx + .25f * (hy + .3f) * (hy + .3f));
                const float alpha = std::clamp(8 * inside, 0.f, 1.f);
                const auto byte = [](float v) {
                    return static_cast<std::uint8_t>(std::clamp(v, 0.f, 255.f) + .5f);
                };
                const float grain = 18 * std::sin(2.1f * static_cast<float>(x)) *
                                    std::cos(1.7f * static_cast<float>(y));
                for (int c = 0; c < 3; ++c) {
                    const float back = 60 + 20 * static_cast<float>(c) +
                                       80 * static_cast<float>(x) / static_cast<float>(w);
                    const float skin = 190 - 30 * static_cast<float>(c) + grain +
                                       20 * gauss(hx, hy, .4f, .12f);
                    const float photo = alpha > 0 ? skin : back;
                    m.canvas.row(y)[3 * x + c] = m.layer.row(y)[4 * x + c] = byte(photo);
                    m.plate.row(y)[3 * x + c] = byte(alpha >= 1 ? back : photo);
                    m.lid.row(y)[3 * x + c] = byte(skin - 30);
                    if (m_options.details)
                        m.detail.row(y)[3 * x + c] = byte(128 + 90 * gauss(hx, hy, .6f, .6f));
                }
                m.layer.row(y)[4 * x + 3] = m.matte.row(y)[x] = byte(255 * alpha);
                const float eye = std::max(gauss(hx - .47f, hy + .86f, .25f, .12f),
                                           gauss(hx + .47f, hy + .86f, .25f, .12f));
                m.lidBand.row(y)[x] = byte(217 * std::clamp(2 * eye, 0.f, 1.f));
            }
        m.detailBox = {0, 0, w, h};
    }

    static Texture flat(int w, int h, int channels, float value, float alpha)
    {
        Texture t{w, h, channels, {}};
        for (int i = 0; i < w * h; ++i)
            for (int c = 0; c < channels; ++c)
                t.data.push_back(c == 3 ? alpha
                                        : value + 10.f * static_cast<float>((i + c) % 3));
        return t;
    }
    void eyes()
    {
        for (std::size_t k = 0; k < 2; ++k) {
            EyeModel& eye = m.eyes[k];
            const Vec3 middle = point(eye.upper[kLidSamples / 2]);
            eye.x0 = std::floor(m.M0[0] + (middle[0] - .55f) * m.u);
            eye.y0 = std::floor(m.M0[1] + (middle[1] - .2f) * m.u);
            const int w = static_cast<int>(1.1f * m.u) + 2, h = static_cast<int>(.4f * m.u) + 2;
            eye.photo = flat(w, h, 3, 180, 0);
            eye.sclera = flat(w, h, 3, 220, 0);
            eye.iris = flat(w, h, 4, 40, 0);
            eye.irisX = .55f * m.u;
            eye.irisY = .2f * m.u;
            eye.irisRadius = .06f * m.u;
            for (int y = 0; y < h; ++y)
                for (int x = 0; x < w; ++x)
                    if (std::hypot(static_cast<float>(x) - eye.irisX,
                                   static_cast<float>(y) - eye.irisY) < eye.irisRadius)
                        eye.iris.data[4 * static_cast<std::size_t>(y * w + x) + 3] = 255;
            eye.lashColor = {40, 30, 25};
            eye.planeZ = middle[2] * m.u;
        }
    }
    void mouth()
    {
        m.incisalY = .03f;
        m.teethZ = .05f;
        m.archBend = .4f;
        m.upperTeeth = flat(90, 72, 4, 210, 0);
        m.lowerTeeth = flat(90, 72, 4, 190, 0);
        m.tongue = flat(90, 72, 4, 150, 0);
        for (int y = 0; y < 72; ++y)
            for (int x = 0; x < 90; ++x) {
                const auto i = 4 * static_cast<std::size_t>(y * 90 + x) + 3;
                m.upperTeeth.data[i] = y < 33 ? 255.f : 0.f;
                m.lowerTeeth.data[i] = y > 31 ? 255.f : 0.f;
                m.tongue.data[i] = y > 30 && x > 20 && x < 70 ? 255.f : 0.f;
            }
        m.upperGloss = m.lowerGloss = m.tongueGloss = flat(90, 72, 1, 20, 0);
        m.cavityColor = {40, 18, 20};
        m.whiteColor = {220, 215, 205};
        m.mouthCenter = {0, 0, 0};
        for (int i = 0; i < kLipSamples; ++i) {
            m.lipColorLower.insert(m.lipColorLower.end(), {170, 90, 90});
            m.lipColorUpper.insert(m.lipColorUpper.end(), {150, 80, 80});
        }
    }

    SyntheticOptions m_options;
    PortraitModel m;
};

} // namespace

PortraitModelPtr makeSyntheticPortrait(const SyntheticOptions& options)
{
    return Maker(options).make();
}

} // namespace loquor::portrait
