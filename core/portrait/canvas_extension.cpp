// Continues the cut beyond the edges of a photo that does not fill it. See "Beyond the photo" in
// DESIGN.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/check.h"
#include "core/portrait/image_ops.h"
#include "core/portrait/portrait_builder.h"

namespace loquor::portrait {

namespace {

// All lengths in u, the face's scale.
constexpr double kContext = .5;      // of the photo that the blur near the edge sees
constexpr double kBodyDepth = .35;   // of the person at the edge that its continuation repeats
constexpr double kShortestRun = .05; // shorter contacts of person and edge are background
constexpr std::array<double, 5> kSoftness{0, .018, .05, .13, .32};
constexpr float kGradient = 20;      // slopes of this much colour go on instead of turning back
constexpr double kWidestFrame = .03; // of the photo

enum class Side { Left,
                  Right,
                  Below,
                  Above };

// Rows of the person that touch the edge, and how its outline runs there.
struct Contact
{
    int top = 0, bottom = 0; // rows, half open
    double slope = .3;       // rows per column that the top falls outwards
    bool standing = false;   // reaches the lower end of the photo
    bool body = false;       // goes on straight down
};

int pixels(double length)
{
    return std::max(1, static_cast<int>(std::lround(length)));
}

// Fills the columns right of `edge` of a picture in which only the columns before it are known.
class SideFill
{
public:
    // picture float RGB; person float 0..1, `rows` = the rows the photo covers. Both are changed.
    SideFill(cv::Mat& picture, cv::Mat& person, Side side, int edge, cv::Range rows, double u)
        : m_picture(picture), m_person(person), m_side(side), m_edge(edge), m_rows(rows), m_u(u),
          m_count(picture.cols - edge),
          m_context(std::min(edge, std::max(pixels(kContext * u), m_count + 2)))
    {
    }
    void run();

private:
    std::vector<Contact> contacts() const;
    double slopeAt(int row) const;
    cv::Mat withoutPerson(const std::vector<Contact>& runs) const;
    cv::Mat personOnly() const;
    cv::Mat mirrored(const cv::Mat& inside, int depth) const;
    cv::Mat gradientsContinued(const cv::Mat& strip) const;
    cv::Mat soften(const cv::Mat& strip) const;
    double cover(const Contact& contact, double distance, double row) const;
    double sourceRow(const Contact& contact, double distance, double row) const;

    cv::Mat& m_picture;
    cv::Mat& m_person;
    Side m_side;
    int m_edge;
    cv::Range m_rows;
    double m_u;
    int m_count;
    int m_context; // known columns that are looked at
};

double SideFill::slopeAt(int row) const
{
    // Where the outline runs .05 to .3 u before the edge.
    double sum = 0;
    double weight = 0;
    for (int back = pixels(.05 * m_u); back < std::min(m_edge - 1, pixels(.3 * m_u)); ++back) {
        int y = row;
        const auto isPerson = [&](int r) { return m_person.at<float>(r, m_edge - 1 - back) > .5f; };
        while (y > m_rows.start && isPerson(y))
            --y;
        while (y < m_rows.end - 1 && !isPerson(y))
            ++y;
        sum += static_cast<double>(row - y);
        weight += back;
    }
    return weight > 0 ? std::clamp(sum / weight, .22, 1.1) : .4;
}

std::vector<Contact> SideFill::contacts() const
{
    std::vector<Contact> out;
    const int first = std::max(0, m_edge - 3);
    Contact run;
    bool inside = false;
    for (int y = m_rows.start; y <= m_rows.end; ++y) {
        double mean = 0;
        if (y < m_rows.end)
            for (int x = first; x < m_edge; ++x)
                mean += static_cast<double>(m_person.at<float>(y, x)) / (m_edge - first);
        if ((mean > .5) == inside)
            continue;
        inside = !inside;
        if (inside) {
            run.top = y;
            continue;
        }
        run.bottom = y;
        if (run.bottom - run.top < kShortestRun * m_u)
            continue;
        run.body = m_side == Side::Below;
        run.standing = (m_side == Side::Left || m_side == Side::Right) &&
                       run.bottom >= m_rows.end - pixels(.04 * m_u);
        run.slope = run.standing ? slopeAt(run.top) : 0;
        out.push_back(run);
    }
    return out;
}

cv::Mat SideFill::withoutPerson(const std::vector<Contact>& runs) const
{
    const cv::Rect part(m_edge - m_context, 0, m_context, m_picture.rows);
    cv::Mat near;
    const int reach = pixels(.05 * m_u);
    cv::dilate(
        m_person(part), near,
        cv::getStructuringElement(cv::MORPH_ELLIPSE, cv::Size(2 * reach + 1, 2 * reach + 1)));
    cv::Mat known = ops::toFloat(near < .15f) / 255.f;
    // Where the person does not touch the edge, what lies there counts whatever it is: without it
    // the picture would break.
    const int margin = std::min(m_context, pixels(.25 * m_u));
    for (int y = 0; y < known.rows; ++y) {
        bool touched = false;
        for (const Contact& c : runs)
            touched = touched || (y >= c.top - reach && y < c.bottom + reach);
        for (int x = m_context - margin; x < m_context && !touched; ++x)
            if (m_person.at<float>(y, part.x + x) < .5f)
                known.at<float>(y, x) = 1.f;
    }
    known.rowRange(0, m_rows.start).setTo(0.f);
    known.rowRange(m_rows.end, known.rows).setTo(0.f);
    if (cv::countNonZero(known) == 0) // nothing but person: its colours must do
        known.rowRange(m_rows).setTo(1.f);
    return ops::pushPull(m_picture(part), known);
}

cv::Mat SideFill::personOnly() const
{
    const cv::Rect part(m_edge - m_context, 0, m_context, m_picture.rows);
    cv::Mat known = ops::toFloat(m_person(part) > .9f) / 255.f;
    known.rowRange(0, m_rows.start).setTo(0.f);
    known.rowRange(m_rows.end, known.rows).setTo(0.f);
    if (cv::countNonZero(known) == 0)
        known.rowRange(m_rows).setTo(1.f);
    return ops::pushPull(m_picture(part), known);
}

// The known columns, then `m_count` more that fold back and forth over the last `depth` of them.
cv::Mat SideFill::mirrored(const cv::Mat& inside, int depth) const
{
    depth = std::clamp(depth, 1, m_context);
    cv::Mat out(inside.rows, m_context + m_count, inside.type());
    inside.copyTo(out.colRange(0, m_context));
    for (int y = 0; y < out.rows; ++y) {
        cv::Vec3f* row = out.ptr<cv::Vec3f>(y);
        for (int i = 0; i < m_count; ++i) {
            const int fold = i % (2 * depth);
            row[m_context + i] = row[m_context - 1 - (fold < depth ? fold : 2 * depth - 1 - fold)];
        }
    }
    return out;
}

// A wall that darkens towards the edge goes on darkening: mirrored it would show a crease. `strip`
// as mirrored() makes it; structures with more contrast stay mirrored.
cv::Mat SideFill::gradientsContinued(const cv::Mat& strip) const
{
    const double shrink = std::max(1.0, std::floor(.02 * m_u));
    cv::Mat low;
    cv::resize(strip, low,
               cv::Size(std::max(2, cvRound(strip.cols / shrink)),
                        std::max(2, cvRound(strip.rows / shrink))),
               0, 0, cv::INTER_AREA);
    low = ops::blur(low, .06 * m_u / shrink);
    const int edge = std::clamp(cvRound(m_context / shrink) - 1, 0, low.cols - 1);
    cv::Mat change = cv::Mat::zeros(low.size(), CV_32FC3);
    for (int y = 0; y < low.rows; ++y)
        for (int x = edge + 1; x < low.cols; ++x) {
            const cv::Vec3f d = low.at<cv::Vec3f>(y, edge) - low.at<cv::Vec3f>(y, x);
            const auto distance = static_cast<float>((x - edge) * shrink / m_u);
            const float odd = 2 * std::exp(-d.dot(d) / (3 * kGradient * kGradient)) *
                              ops::smoothstep(.9f, .1f, distance);
            change.at<cv::Vec3f>(y, x) = d * odd;
        }
    cv::resize(change, change, strip.size(), 0, 0, cv::INTER_LINEAR);
    return strip + change;
}

// The part beyond the edge, ever softer with distance. Continuous with the photo: at the edge
// nothing is blurred.
cv::Mat SideFill::soften(const cv::Mat& strip) const
{
    std::array<cv::Mat, kSoftness.size()> level;
    level[0] = strip;
    for (std::size_t i = 1; i < level.size(); ++i) {
        const double sigma = kSoftness[i] * m_u;
        const double shrink = std::max(1.0, std::floor(sigma / 3));
        cv::Mat small;
        cv::resize(strip, small,
                   cv::Size(std::max(2, cvRound(strip.cols / shrink)),
                            std::max(2, cvRound(strip.rows / shrink))),
                   0, 0, cv::INTER_AREA);
        cv::resize(ops::blur(small, sigma / shrink), level[i], strip.size(), 0, 0,
                   cv::INTER_LINEAR);
    }
    cv::Mat out(strip.rows, m_count, CV_32FC3);
    constexpr double kReach = 1.2; // u over which all levels are run through
    for (int y = 0; y < strip.rows; ++y)
        for (int x = 0; x < m_count; ++x) {
            const double t = std::min(1.0, std::sqrt((x + .5) / (kReach * m_u))) *
                             (static_cast<double>(level.size()) - 1);
            const auto i = std::min(static_cast<std::size_t>(t), level.size() - 2);
            const auto f = static_cast<float>(t - static_cast<double>(i));
            out.at<cv::Vec3f>(y, x) = level[i].at<cv::Vec3f>(y, m_context + x) * (1 - f) +
                                      level[i + 1].at<cv::Vec3f>(y, m_context + x) * f;
        }
    return out;
}

// Top of the continued person at this distance; a contact that does not stand closes like an
// ellipse.
double topAt(const Contact& c, double distance, double u)
{
    if (c.standing)
        return c.top + c.slope * distance + .35 * distance * distance / u;
    if (c.body)
        return c.top - .15 * distance;
    const double half = .5 * (c.bottom - c.top);
    const double t = std::min(1.0, distance / (1.1 * half));
    return c.top + half * (1 - std::sqrt(1 - t * t));
}

double bottomAt(const Contact& c, double distance, double u)
{
    return c.standing ? 1e6 : c.top + c.bottom - topAt(c, distance, u);
}

double SideFill::cover(const Contact& c, double distance, double row) const
{
    const double soft = .012 * m_u + .08 * distance;
    const auto step = [&](double inwards) {
        return static_cast<double>(ops::smoothstep(
            static_cast<float>(-soft), static_cast<float>(soft), static_cast<float>(inwards)));
    };
    // What tapers to a point also fades.
    const double end = c.standing || c.body ? 1e9 : .55 * (c.bottom - c.top);
    const double fade = std::clamp((end - distance) / (.3 * end), 0.0, 1.0);
    return fade * step(row - topAt(c, distance, m_u)) *
           (c.standing ? 1.0 : step(bottomAt(c, distance, m_u) - row));
}

double SideFill::sourceRow(const Contact& c, double distance, double row) const
{
    const double top = topAt(c, distance, m_u);
    if (c.standing)
        return c.top + (row - top);
    const double height = std::max(1.0, bottomAt(c, distance, m_u) - top);
    return c.top + (row - top) * (c.bottom - c.top) / height;
}

void SideFill::run()
{
    const std::vector<Contact> runs = contacts();
    const cv::Mat fill = soften(gradientsContinued(mirrored(withoutPerson(runs), m_context)));
    cv::Mat body;
    if (!runs.empty())
        body = soften(mirrored(personOnly(), pixels(kBodyDepth * m_u)));
    for (int y = 0; y < m_picture.rows; ++y)
        for (int x = 0; x < m_count; ++x) {
            cv::Vec3f color = fill.at<cv::Vec3f>(y, x);
            float person = 0;
            for (const Contact& c : runs) {
                const auto share = static_cast<float>(cover(c, x + .5, y + .5));
                if (share <= 0)
                    continue;
                const double row = std::clamp(sourceRow(c, x + .5, y + .5), c.top + .5,
                                              static_cast<double>(c.bottom) - 1);
                const int r = std::min(static_cast<int>(row), body.rows - 2);
                const auto f = static_cast<float>(row - r);
                const cv::Vec3f clothes =
                    body.at<cv::Vec3f>(r, x) * (1 - f) + body.at<cv::Vec3f>(r + 1, x) * f;
                color += (clothes - color) * share;
                person = std::max(person, share);
            }
            m_picture.at<cv::Vec3f>(y, m_edge + x) = color;
            m_person.at<float>(y, m_edge + x) = person;
        }
}

// Noise of the photo's part: median absolute difference from its own smooth version.
float noiseOf(const cv::Mat& rgb)
{
    cv::Mat gray;
    cv::cvtColor(rgb, gray, cv::COLOR_RGB2GRAY);
    const cv::Mat high = cv::abs(gray - ops::blur(gray, 1.0));
    std::vector<float> values;
    for (int y = 0; y < high.rows; y += 3)
        for (int x = 0; x < high.cols; x += 3)
            values.push_back(high.at<float>(y, x));
    return ops::median(std::move(values));
}

// Columns at the end of the known ones that are a printed frame: all of one colour, and quite
// another one than the picture's.
int frameWidth(const cv::Mat& picture, int edge, cv::Range rows)
{
    const int most = std::min(edge / 4, pixels(kWidestFrame * edge));
    cv::Scalar inner;
    cv::Scalar spread;
    cv::meanStdDev(picture(rows, cv::Range(edge - 2 * most - 1, edge - 2 * most)), inner, spread);
    int width = 0;
    for (int k = 1; k <= most; ++k) {
        cv::Scalar mean;
        cv::meanStdDev(picture(rows, cv::Range(edge - k, edge - k + 1)), mean, spread);
        double contrast = 0;
        double unrest = 0;
        for (int c = 0; c < 3; ++c) {
            contrast = std::max(contrast, std::abs(mean[c] - inner[c]));
            unrest = std::max(unrest, spread[c]);
        }
        if (contrast > 40 && unrest < .4 * contrast)
            width = k;
    }
    return width > 0 ? width + 3 : 0;
}

// One of the four sides, brought to the right by flips and a transposition.
void fillSide(cv::Mat& picture, cv::Mat& person, Side side, int edge, cv::Range rows, double u)
{
    const bool transposed = side == Side::Below || side == Side::Above;
    const bool flipped = side == Side::Left || side == Side::Above;
    const auto turn = [&](const cv::Mat& m, bool back) {
        cv::Mat out = m.clone();
        if (transposed && !back)
            out = out.t();
        if (flipped)
            cv::flip(out, out, 1);
        if (transposed && back)
            out = out.t();
        return out;
    };
    cv::Mat turned = turn(picture, false);
    cv::Mat turnedPerson = turn(person, false);
    edge -= frameWidth(turned, edge, rows);
    SideFill(turned, turnedPerson, side, edge, rows, u).run();
    picture = turn(turned, true);
    person = turn(turnedPerson, true);
}

} // namespace

void continueCanvas(Image& canvas, const CanvasCut& cut, int photoWidth, int photoHeight,
                    const Image& personMask, double eyeDistance)
{
    LOQUOR_CHECK(canvas.width == cut.width && canvas.height == cut.height);
    LOQUOR_CHECK(personMask.channels == 1 && !personMask.isEmpty() && eyeDistance > 0);
    const auto photo = [&](double start, int length, int limit) {
        const double first = -start * cut.scale;
        return cv::Range(std::clamp(cvCeil(first - .01), 0, limit),
                         std::clamp(cvFloor(first + length * cut.scale + .01), 0, limit));
    };
    const cv::Range columns = photo(cut.x0, photoWidth, cut.width);
    const cv::Range rows = photo(cut.y0, photoHeight, cut.height);
    if (columns.size() < 8 || rows.size() < 8 ||
        (columns.size() == cut.width && rows.size() == cut.height))
        return;
    cv::Mat picture = ops::toFloat(ops::view(canvas));
    cv::Mat person;
    cv::resize(ops::toFloat(ops::view(personMask)) / 255.f, person, picture.size(), 0, 0,
               cv::INTER_LINEAR);
    const float noise =
        1.3f * noiseOf(picture(cv::Rect(columns.start, rows.start, columns.size(), rows.size())));
    if (columns.end < cut.width)
        fillSide(picture, person, Side::Right, columns.end, rows, eyeDistance);
    if (columns.start > 0)
        fillSide(picture, person, Side::Left, cut.width - columns.start, rows, eyeDistance);
    const cv::Range all(0, cut.width);
    if (rows.end < cut.height)
        fillSide(picture, person, Side::Below, rows.end, all, eyeDistance);
    if (rows.start > 0)
        fillSide(picture, person, Side::Above, cut.height - rows.start, all, eyeDistance);
    const cv::Mat grain = ops::grain(picture.size(), 0x6f75) * noise;
    for (int y = 0; y < picture.rows; ++y)
        for (int x = 0; x < picture.cols; ++x) {
            const int outside = std::max(
                {columns.start - x, x - columns.end + 1, rows.start - y, y - rows.end + 1, 0});
            const auto weight = static_cast<float>(std::min(1.0, outside / (.06 * eyeDistance)));
            picture.at<cv::Vec3f>(y, x) += cv::Vec3f::all(grain.at<float>(y, x) * weight);
        }
    canvas = ops::toImage(ops::toBytes(picture));
}

} // namespace loquor::portrait
