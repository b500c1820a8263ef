#include "core/portrait/background_completion.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "core/base/random.h"
#include "core/portrait/image_ops.h"

namespace loquor::portrait {

namespace {

constexpr int kRadius = 2;         // patches of 5 x 5
constexpr double kPixelsPerU = 28; // of the reduced picture
constexpr std::size_t kLevels = 2; // coarser ones lose narrow strips of background
constexpr float kNearBonus = 40;   // cost per u of distance between a patch and its source
constexpr float kPatchSize = (2 * kRadius + 1) * (2 * kRadius + 1);

// One resolution: the picture with its hole, and for each patch that touches the hole its best
// source.
class Level
{
public:
    Level(cv::Mat color, cv::Mat known, double pixelsPerU)
        : m_color(std::move(color)), m_known(std::move(known)),
          m_nearCost(static_cast<float>(kNearBonus / pixelsPerU))
    {
        const cv::Mat window =
            cv::getStructuringElement(cv::MORPH_RECT, cv::Size(2 * kRadius + 1, 2 * kRadius + 1));
        cv::erode(m_known, m_valid, window, cv::Point(-1, -1), 1, cv::BORDER_CONSTANT,
                  cv::Scalar(0));
        cv::dilate(m_known == 0, m_active, window);
        for (int y = 0; y < m_valid.rows; ++y)
            for (int x = 0; x < m_valid.cols; ++x)
                if (m_valid.at<std::uint8_t>(y, x))
                    m_sources.emplace_back(x, y);
        m_match = cv::Mat(m_known.size(), CV_32SC2, cv::Scalar::all(-1));
        // What is known decides; guesses count less the deeper in the hole they lie.
        cv::Mat depth;
        cv::distanceTransform(m_known == 0, depth, cv::DIST_L2, cv::DIST_MASK_5);
        m_trust.create(m_known.size(), CV_32F);
        for (int y = 0; y < depth.rows; ++y)
            for (int x = 0; x < depth.cols; ++x)
                m_trust.at<float>(y, x) = std::max(.03f, std::pow(.72f, depth.at<float>(y, x)));
        cv::copyMakeBorder(m_trust, m_paddedTrust, kRadius, kRadius, kRadius, kRadius,
                           cv::BORDER_CONSTANT, cv::Scalar(0));
    }

    // First guess: every pixel of the hole has the colour of the nearest known one.
    void startFromNearest()
    {
        cv::Mat distance;
        cv::Mat labels;
        cv::distanceTransform(m_known == 0, distance, labels, cv::DIST_L2, cv::DIST_MASK_5,
                              cv::DIST_LABEL_PIXEL);
        std::vector<cv::Vec3f> color(m_known.total() + 1);
        for (int y = 0; y < m_known.rows; ++y)
            for (int x = 0; x < m_known.cols; ++x)
                if (m_known.at<std::uint8_t>(y, x))
                    color[static_cast<std::size_t>(labels.at<int>(y, x))] =
                        m_color.at<cv::Vec3f>(y, x);
        for (int y = 0; y < m_known.rows; ++y)
            for (int x = 0; x < m_known.cols; ++x)
                m_color.at<cv::Vec3f>(y, x) = color[static_cast<std::size_t>(labels.at<int>(y, x))];
    }

    bool usable() const { return m_sources.size() >= 16; }
    const cv::Mat& color() const { return m_color; }
    const cv::Mat& known() const { return m_known; }
    cv::Size size() const { return m_color.size(); }
    cv::Point match(int x, int y) const
    {
        const cv::Vec2i m = m_match.at<cv::Vec2i>(y, x);
        return {m[0], m[1]};
    }
    bool isActive(int x, int y) const { return m_active.at<std::uint8_t>(y, x) != 0; }

    // Hole colours and matches from the next coarser level.
    void inherit(const Level& coarse)
    {
        cv::Mat up;
        cv::resize(coarse.m_color, up, size(), 0, 0, cv::INTER_LINEAR);
        up.copyTo(m_color, m_known == 0);
        for (int y = 0; y < size().height; ++y)
            for (int x = 0; x < size().width; ++x) {
                const int cx = std::min(x / 2, coarse.size().width - 1);
                const int cy = std::min(y / 2, coarse.size().height - 1);
                const cv::Point q = coarse.match(cx, cy);
                if (q.x < 0)
                    continue;
                const cv::Point candidate(q.x * 2 + x % 2, q.y * 2 + y % 2);
                if (isValid(candidate))
                    m_match.at<cv::Vec2i>(y, x) = {candidate.x, candidate.y};
            }
    }

    void improve(Random& random, int rounds)
    {
        for (int round = 0; round < rounds; ++round) {
            search(random);
            vote();
        }
    }

private:
    bool isValid(const cv::Point& q) const
    {
        return q.x >= 0 && q.y >= 0 && q.x < m_valid.cols && q.y < m_valid.rows &&
               m_valid.at<std::uint8_t>(q) != 0;
    }
    float cost(int x, int y, const cv::Point& q, float best) const
    {
        const auto dx = static_cast<float>(q.x - x);
        const auto dy = static_cast<float>(q.y - y);
        float sum =
            m_nearCost * std::sqrt(dx * dx + dy * dy) * kPatchSize * m_trust.at<float>(y, x);
        for (int r = -kRadius; r <= kRadius && sum < best; ++r) {
            const float* a = m_padded.ptr<float>(y + r + kRadius) + std::ptrdiff_t{3} * x;
            const float* b = m_padded.ptr<float>(q.y + r + kRadius) + std::ptrdiff_t{3} * q.x;
            const float* t = m_paddedTrust.ptr<float>(y + r + kRadius) + x;
            for (std::ptrdiff_t i = 0; i <= 2 * kRadius; ++i) {
                const float d0 = a[3 * i] - b[3 * i];
                const float d1 = a[3 * i + 1] - b[3 * i + 1];
                const float d2 = a[3 * i + 2] - b[3 * i + 2];
                sum += t[i] * (d0 * d0 + d1 * d1 + d2 * d2);
            }
        }
        return sum;
    }
    void search(Random& random);
    void vote();

    cv::Mat m_color;  // float RGB
    cv::Mat m_known;  // 8-bit
    cv::Mat m_valid;  // 8-bit: centre of a patch that is all background
    cv::Mat m_active; // 8-bit: centre of a patch that touches the hole
    cv::Mat m_match;  // 2 x int: source centre, -1 = none yet
    cv::Mat m_cost;   // float
    cv::Mat m_trust;  // float 0..1
    cv::Mat m_padded, m_paddedTrust;
    float m_nearCost;
    std::vector<cv::Point> m_sources;
};

// PatchMatch: good matches spread to neighbours, and random tries around the best so far.
void Level::search(Random& random)
{
    cv::copyMakeBorder(m_color, m_padded, kRadius, kRadius, kRadius, kRadius, cv::BORDER_REPLICATE);
    m_cost.create(size(), CV_32F);
    const auto pick = [&]() {
        return m_sources[static_cast<std::size_t>(
            random.uniform(0, static_cast<double>(m_sources.size())))];
    };
    for (int y = 0; y < size().height; ++y)
        for (int x = 0; x < size().width; ++x) {
            if (!isActive(x, y))
                continue;
            cv::Point q = match(x, y);
            if (q.x < 0)
                q = isValid({x, y}) ? cv::Point(x, y) : pick();
            m_match.at<cv::Vec2i>(y, x) = {q.x, q.y};
            m_cost.at<float>(y, x) = cost(x, y, q, 1e30f);
        }
    for (int pass = 0; pass < 3; ++pass) {
        const int step = pass % 2 == 0 ? 1 : -1;
        const int h = size().height;
        const int w = size().width;
        for (int j = 0; j < h; ++j)
            for (int i = 0; i < w; ++i) {
                const int y = step > 0 ? j : h - 1 - j;
                const int x = step > 0 ? i : w - 1 - i;
                if (!isActive(x, y))
                    continue;
                cv::Point best = match(x, y);
                float least = m_cost.at<float>(y, x);
                const auto consider = [&](const cv::Point& q) {
                    if (!isValid(q))
                        return;
                    if (const float c = cost(x, y, q, least); c < least) {
                        least = c;
                        best = q;
                    }
                };
                if (x - step >= 0 && x - step < w && isActive(x - step, y))
                    consider(match(x - step, y) + cv::Point(step, 0));
                if (y - step >= 0 && y - step < h && isActive(x, y - step))
                    consider(match(x, y - step) + cv::Point(0, step));
                for (double reach = std::max(w, h); reach >= 1; reach *= .5)
                    consider(best + cv::Point(static_cast<int>(random.uniform(-reach, reach + 1)),
                                              static_cast<int>(random.uniform(-reach, reach + 1))));
                m_match.at<cv::Vec2i>(y, x) = {best.x, best.y};
                m_cost.at<float>(y, x) = least;
            }
    }
}

// Each pixel of the hole becomes the mean of what the patches over it say, good ones counting more.
void Level::vote()
{
    std::vector<float> costs;
    for (int y = 0; y < size().height; ++y)
        for (int x = 0; x < size().width; ++x)
            if (isActive(x, y))
                costs.push_back(m_cost.at<float>(y, x));
    const float scale = 1 / std::max(1.f, ops::percentile(std::move(costs), .6));
    cv::Mat sum = cv::Mat::zeros(size(), CV_32FC3);
    cv::Mat total = cv::Mat::zeros(size(), CV_32F);
    for (int y = 0; y < size().height; ++y)
        for (int x = 0; x < size().width; ++x) {
            if (!isActive(x, y))
                continue;
            const cv::Point q = match(x, y);
            const float w =
                (std::exp(-2 * m_cost.at<float>(y, x) * scale) + 1e-3f) * m_trust.at<float>(y, x);
            for (int dy = std::max(-kRadius, -y); dy <= std::min(kRadius, size().height - 1 - y);
                 ++dy)
                for (int dx = std::max(-kRadius, -x); dx <= std::min(kRadius, size().width - 1 - x);
                     ++dx) {
                    if (m_known.at<std::uint8_t>(y + dy, x + dx))
                        continue;
                    sum.at<cv::Vec3f>(y + dy, x + dx) +=
                        w * m_color.at<cv::Vec3f>(q.y + dy, q.x + dx);
                    total.at<float>(y + dy, x + dx) += w;
                }
        }
    for (int y = 0; y < size().height; ++y)
        for (int x = 0; x < size().width; ++x)
            if (total.at<float>(y, x) > 0)
                m_color.at<cv::Vec3f>(y, x) = sum.at<cv::Vec3f>(y, x) * (1 / total.at<float>(y, x));
}

// The offsets of the finest level applied to the full picture, blended between their centres.
cv::Mat copyFullSize(const cv::Mat& rgb, const cv::Mat& source, const Level& level)
{
    cv::Mat out = rgb.clone();
    const double fx = static_cast<double>(rgb.cols) / level.size().width;
    const double fy = static_cast<double>(rgb.rows) / level.size().height;
    for (int y = 0; y < rgb.rows; ++y)
        for (int x = 0; x < rgb.cols; ++x) {
            if (source.at<std::uint8_t>(y, x))
                continue;
            const double sx = (x + .5) / fx - .5;
            const double sy = (y + .5) / fy - .5;
            const int x0 = static_cast<int>(std::floor(sx));
            const int y0 = static_cast<int>(std::floor(sy));
            cv::Vec3f sum(0, 0, 0);
            for (int k = 0; k < 4; ++k) {
                const int cx = std::clamp(x0 + k % 2, 0, level.size().width - 1);
                const int cy = std::clamp(y0 + k / 2, 0, level.size().height - 1);
                const double wx = k % 2 ? sx - x0 : 1 - (sx - x0);
                const double wy = k / 2 ? sy - y0 : 1 - (sy - y0);
                const cv::Point q =
                    level.isActive(cx, cy) ? level.match(cx, cy) : cv::Point(-1, -1);
                const int px = q.x < 0 ? -1 : x + static_cast<int>(std::lround((q.x - cx) * fx));
                const int py = q.x < 0 ? -1 : y + static_cast<int>(std::lround((q.y - cy) * fy));
                const bool there = px >= 0 && py >= 0 && px < rgb.cols && py < rgb.rows &&
                                   source.at<std::uint8_t>(py, px) != 0;
                const cv::Vec3f c =
                    there ? rgb.at<cv::Vec3f>(py, px) : level.color().at<cv::Vec3f>(cy, cx);
                sum += c * static_cast<float>(wx * wy);
            }
            out.at<cv::Vec3f>(y, x) = sum;
        }
    return out;
}

} // namespace

cv::Mat completeBackground(const cv::Mat& rgb, const cv::Mat& source, const cv::Mat& smooth,
                           double u)
{
    double shrink = std::max(1.0, u / kPixelsPerU);
    std::vector<Level> levels;
    for (cv::Size size(cvRound(rgb.cols / shrink), cvRound(rgb.rows / shrink));
         levels.size() < kLevels && std::min(size.width, size.height) >= 12;
         size = cv::Size(size.width / 2, size.height / 2)) {
        cv::Mat color;
        cv::Mat share;
        cv::resize(smooth, color, size, 0, 0, cv::INTER_AREA);
        cv::resize(source, share, size, 0, 0, cv::INTER_AREA);
        levels.emplace_back(color, share > 200, u / (static_cast<double>(rgb.cols) / size.width));
        if (!levels.back().usable()) {
            levels.pop_back();
            break;
        }
    }
    if (levels.empty())
        return smooth;
    Random random(0x70617463);
    for (std::size_t i = levels.size(); i-- > 0;) {
        if (i + 1 < levels.size())
            levels[i].inherit(levels[i + 1]);
        else
            levels[i].startFromNearest();
        levels[i].improve(random, i == 0 ? 3 : 6);
    }
    return copyFullSize(rgb, source, levels.front());
}

} // namespace loquor::portrait
