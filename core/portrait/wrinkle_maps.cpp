// Wrinkles as gain maps: folds of the photo that rounded lips smooth out and a smile deepens, and
// the creases that raised brows and pressed lips make.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

constexpr float kFoldRange = .34f; // largest relative change by the fold map
constexpr float kForeheadLeast = .025f;
constexpr float kForeheadMost = .085f;
constexpr float kChinDimple = .05f;
constexpr float kChinFold = .10f;

class WrinkleMaker
{
public:
    explicit WrinkleMaker(ReferenceWork& work)
        : m_work(work), m_u(static_cast<float>(work.u())),
          m_box(ops::boxAround(work.points(landmark::kOval), .1f * m_u, work.size()))
    {
        if (!m_box.empty())
            work.cleanRgb(m_box).convertTo(m_face, CV_32F);
    }

    void run()
    {
        cv::Mat whole(m_work.size(), CV_8UC3, cv::Scalar::all(128));
        if (!m_box.empty()) {
            const std::array<cv::Mat, 3> gains{folds(), forehead(), chin()};
            std::array<cv::Mat, 3> bytes;
            for (std::size_t c = 0; c < 3; ++c)
                bytes[c] = ops::toBytes(128.f + 256.f * gains[c]);
            cv::Mat merged;
            cv::merge(bytes.data(), bytes.size(), merged);
            merged.copyTo(whole(m_box));
        }
        m_work.model.detail = ops::toImage(whole);
        m_work.model.detailBox = {m_box.x, m_box.y, m_box.x + m_box.width, m_box.y + m_box.height};
    }

private:
    // Head-frame place (without depth) of a pixel of the box.
    cv::Point2f place(int x, int y) const
    {
        const Vector2 d =
            Vector2(m_box.x + x + .5, m_box.y + y + .5) - m_work.frame.origin.head<2>();
        return {static_cast<float>(d.dot(m_work.frame.right()) / m_work.u()),
                static_cast<float>(d.dot(m_work.frame.down()) / m_work.u())};
    }
    cv::Point2f placeOf(int landmark) const
    {
        const Vector2 d = m_work.point(landmark) - m_work.frame.origin.head<2>();
        return {static_cast<float>(d.dot(m_work.frame.right()) / m_work.u()),
                static_cast<float>(d.dot(m_work.frame.down()) / m_work.u())};
    }
    cv::Mat folds() const;
    cv::Mat forehead() const;
    cv::Mat chin() const;

    ReferenceWork& m_work;
    float m_u;
    cv::Rect m_box;
    cv::Mat m_face;
};

// Relative darkness of the folds. The channel that is least dark decides, and folds that are redder
// than the skin around them count less: lightened by a plain gain they would glow.
cv::Mat WrinkleMaker::folds() const
{
    const cv::Mat fine = ops::blur(m_face, .009 * m_u);
    const cv::Mat wide = ops::blur(m_face, .075 * m_u);
    const cv::Mat corridor = foldCorridor(m_work, m_box);
    cv::Mat out(m_box.size(), CV_32F);
    for (int y = 0; y < out.rows; ++y)
        for (int x = 0; x < out.cols; ++x) {
            const cv::Vec3f& f = fine.at<cv::Vec3f>(y, x);
            const cv::Vec3f& w = wide.at<cv::Vec3f>(y, x);
            float darkness = -1;
            for (int c = 0; c < 3; ++c)
                darkness = std::max(darkness, (f[c] - w[c]) / std::max(f[c], 24.f));
            const float redness =
                (f[1] / std::max(f[0], 1.f)) / std::max(.05f, w[1] / std::max(w[0], 1.f));
            darkness *= std::pow(std::clamp(redness, .1f, 1.f), 1.5f);
            out.at<float>(y, x) =
                std::max(-kFoldRange, std::min(0.f, darkness)) * corridor.at<float>(y, x);
        }
    return ops::blur(out, .004 * m_u);
}

// Three lines that follow the brows, as deep as the photo's own skin is rough there.
cv::Mat WrinkleMaker::forehead() const
{
    const float top = placeOf(landmark::kForehead).y;
    const auto browAt = [&](float x) { // height of the upper brow line, level between the brows
        float best = placeOf(landmark::kBrowUpper[0][4]).y;
        float nearest = 1e9f;
        for (std::size_t e = 0; e < 2; ++e)
            for (const int l : landmark::kBrowUpper[e]) {
                const cv::Point2f p = placeOf(l);
                if (std::abs(p.x - x) < nearest) {
                    nearest = std::abs(p.x - x);
                    best = p.y;
                }
            }
        return best;
    };
    constexpr int kColumns = 41;
    std::array<float, kColumns> brow{};
    for (int i = 0; i < kColumns; ++i)
        brow[static_cast<std::size_t>(i)] =
            browAt(-.6f + 1.2f * static_cast<float>(i) / (kColumns - 1));
    const auto browLine = [&](float x) {
        const float t = std::clamp((x + .6f) / 1.2f, 0.f, 1.f) * (kColumns - 1);
        float sum = 0;
        float total = 0;
        for (int i = 0; i < kColumns; ++i) {
            const float w =
                std::exp(-.5f * (static_cast<float>(i) - t) * (static_cast<float>(i) - t) / 9.f);
            sum += w * brow[static_cast<std::size_t>(i)];
            total += w;
        }
        return sum / total;
    };
    cv::Mat gray;
    cv::cvtColor(m_face, gray, cv::COLOR_RGB2GRAY);
    const cv::Mat band = ops::blur(gray, .010 * m_u) - ops::blur(gray, .035 * m_u);
    std::vector<float> rough;
    cv::Mat out = cv::Mat::zeros(m_box.size(), CV_32F);
    std::vector<float> line;
    for (int x = 0; x < out.cols; ++x)
        line.push_back(browLine(place(x, 0).x));
    const float browMiddle = browLine(0.f);
    const float room = browMiddle - top;
    if (room < .12f)
        return out; // hair or a hat down to the brows
    for (int y = 0; y < out.rows; ++y)
        for (int x = 0; x < out.cols; ++x) {
            const cv::Point2f p = place(x, y);
            const float up = (line[static_cast<std::size_t>(x)] - p.y) / room;
            if (up > .2f && up < .8f && std::abs(p.x) < .35f)
                rough.push_back(std::abs(band.at<float>(y, x)) /
                                std::max(24.f, gray.at<float>(y, x)));
        }
    const float depth =
        std::clamp(1.6f * ops::median(std::move(rough)) + .01f, kForeheadLeast, kForeheadMost);
    for (int y = 0; y < out.rows; ++y)
        for (int x = 0; x < out.cols; ++x) {
            const cv::Point2f p = place(x, y);
            const float up = (line[static_cast<std::size_t>(x)] - p.y) / room;
            if (up <= .05f || up >= .95f)
                continue;
            const float side = ops::smoothstep(.46f, .22f, std::abs(p.x));
            float v = 0;
            for (const float at : {.30f, .50f, .70f}) {
                // A dark line with a lit roll of skin above it, broken up along its length.
                const float d = (up - at) * room;
                const float wave = .75f + .25f * std::sin(p.x * 23 + at * 40);
                v += wave * (-std::exp(-.5f * std::pow(d / .011f, 2.f)) +
                             .45f * std::exp(-.5f * std::pow((d - .026f) / .014f, 2.f)));
            }
            out.at<float>(y, x) =
                depth * side * v * ops::smoothstep(.05f, .2f, up) * ops::smoothstep(.95f, .8f, up);
        }
    return out;
}

// Dimples on the boss of the chin and the fold between it and the lower lip.
cv::Mat WrinkleMaker::chin() const
{
    const cv::Point2f lip = placeOf(17);
    const cv::Point2f boss = placeOf(199);
    const cv::Point2f end = placeOf(landmark::kChin);
    const cv::Point2f fold = lip + (boss - lip) * .45f;
    const cv::Mat bumps = ops::blur(ops::grain(m_box.size(), 0x6368696e), std::max(.6, .016 * m_u));
    cv::Scalar mean;
    cv::Scalar deviation;
    cv::meanStdDev(bumps, mean, deviation);
    const auto unit = static_cast<float>(1 / std::max(1e-6, deviation[0]));
    const float height = std::max(.1f, end.y - lip.y);
    cv::Mat out(m_box.size(), CV_32F);
    for (int y = 0; y < out.rows; ++y)
        for (int x = 0; x < out.cols; ++x) {
            const cv::Point2f p = place(x, y);
            const float dx = (p.x - boss.x) / .17f;
            const float dy = (p.y - boss.y) / (.34f * height);
            const float dimple = std::exp(-dx * dx - dy * dy);
            const float curve = fold.y + .5f * (p.x - fold.x) * (p.x - fold.x);
            const float line = std::exp(-.5f * std::pow((p.y - curve) / .018f, 2.f)) *
                               ops::smoothstep(.20f, .06f, std::abs(p.x - fold.x));
            out.at<float>(y, x) =
                kChinDimple * dimple * std::clamp(bumps.at<float>(y, x) * unit, -2.f, 2.f) -
                kChinFold * line;
        }
    return out;
}

} // namespace

void makeWrinkles(ReferenceWork& work)
{
    WrinkleMaker(work).run();
}

} // namespace loquor::portrait
