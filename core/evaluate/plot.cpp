#include "core/evaluate/plot.h"

#include <algorithm>
#include <cmath>

#include <opencv2/imgproc.hpp>

#include "core/evaluate/measuring.h"

namespace loquor::evaluate {

namespace {

constexpr int kWidth = 1600, kLeft = 90, kRight = 30, kPanel = 150, kGap = 44, kHead = 60;
const cv::Scalar kInk(40, 40, 46), kFaint(222, 222, 228), kBand(214, 236, 214), kFault(200, 40, 40), kSpeech(240, 240, 226);
const std::array<cv::Scalar, 3> kColours = {cv::Scalar(31, 119, 180), cv::Scalar(230, 120, 20), cv::Scalar(60, 150, 60)};

struct Curve
{
    std::string name;
    const Series* times;
    Series values;
};

struct Panel
{
    std::string title;
    std::vector<Curve> curves;
};

// Mean 0, deviation 1: for curves of different units in one panel.
Series standardised(const Series& values)
{
    const double m = mean(values);
    const double s = standardDeviation(values) + 1e-9;
    Series out;
    for (const double v : values)
        out.push_back((v - m) / s);
    return out;
}

class Sheet
{
public:
    Sheet(const Evaluation& evaluation, int height)
        : m_e(evaluation), m_picture(height, kWidth, CV_8UC3, cv::Scalar(255, 255, 255))
    {
        const Series& t = evaluation.curves.times;
        m_begin = t.empty() ? 0 : t.front();
        m_end = t.empty() || t.back() <= m_begin ? m_begin + 1 : t.back();
    }

    void write(const std::string& text, int x, int y, const cv::Scalar& colour = kInk, double size = 0.45)
    {
        cv::putText(m_picture, text, {x, y}, cv::FONT_HERSHEY_SIMPLEX, size, colour, 1, cv::LINE_AA);
    }

    void panel(const Panel& panel, int top)
    {
        frame(top);
        shadeSpeech(top);
        axis(top);
        markFlags(top);
        double low = INFINITY, high = -INFINITY;
        for (const Curve& c : panel.curves)
            for (const double v : c.values)
                if (std::isfinite(v)) {
                    low = std::min(low, v);
                    high = std::max(high, v);
                }
        if (!(low <= high))
            return;
        const double margin = std::max(1e-6, 0.06 * (high - low));
        low -= margin;
        high += margin;
        write(panel.title, kLeft, top - 8);
        int legend = kWidth - kRight - 10;
        for (std::size_t i = panel.curves.size(); i-- > 0;) {
            const Curve& c = panel.curves[i];
            legend -= 9 * static_cast<int>(c.name.size()) + 18;
            write(c.name, legend, top - 8, kColours[i % kColours.size()]);
            line(c, top, low, high, kColours[i % kColours.size()]);
        }
        write(format("%.3g", high), 12, top + 14);
        write(format("%.3g", low), 12, top + kPanel - 4);
    }

    void lagCurve(int top)
    {
        frame(top);
        write("correlation of lips and sound against the lag of the lips (ms); green: real people", kLeft, top - 8);
        const auto x = [](double ms) { return kLeft + static_cast<int>((ms + 500) / 1000 * (kWidth - kLeft - kRight)); };
        cv::rectangle(m_picture, {x(-80.6), top + 1}, {x(48.6), top + kPanel - 1}, kBand, cv::FILLED);
        const auto y = [&](double r) { return top + static_cast<int>((0.9 - std::clamp(r, -0.5, 0.9)) / 1.4 * kPanel); };
        cv::line(m_picture, {kLeft, y(0)}, {kWidth - kRight, y(0)}, kFaint);
        for (int ms = -400; ms <= 400; ms += 200)
            write(std::to_string(ms), x(ms) - 14, top + kPanel + 16);
        for (std::size_t i = 0; i + 1 < m_e.lagCurve.size(); ++i)
            if (m_e.lagCurve[i] && m_e.lagCurve[i + 1])
                cv::line(m_picture, {x(-500 + 20.0 * static_cast<double>(i)), y(*m_e.lagCurve[i])},
                         {x(-480 + 20.0 * static_cast<double>(i)), y(*m_e.lagCurve[i + 1])}, kColours[0], 2, cv::LINE_AA);
    }

    // One bar per metric: the band of real people in the middle third, the value as a dot.
    void scorecard(int top)
    {
        write("metrics against real people (green: 10th to 90th percentile)", kLeft, top);
        int row = 0;
        const int rows = static_cast<int>(m_e.scorecard.rows.size() + 1) / 2;
        for (const ScoreRow& r : m_e.scorecard.rows) {
            const int x = kLeft + (row / rows) * (kWidth - kLeft) / 2;
            const int y = top + 24 + (row % rows) * 20;
            ++row;
            write(r.metric, x, y);
            write(r.value ? format("%.3g", *r.value) : "-", x + 230, y);
            const int bar = x + 330, length = 330;
            cv::line(m_picture, {bar, y - 4}, {bar + length, y - 4}, kFaint, 2);
            cv::rectangle(m_picture, {bar + length / 3, y - 10}, {bar + 2 * length / 3, y + 2}, kBand, cv::FILLED);
            if (!r.value)
                continue;
            const double low = r.low.value_or(std::min(0.0, r.high.value_or(1)));
            const double high = r.high.value_or(std::max(2 * low, low + 1e-9));
            const double part = std::clamp(1 + (*r.value - low) / std::max(high - low, 1e-9), 0.03, 2.97);
            cv::circle(m_picture, {bar + static_cast<int>(part * length / 3), y - 4}, 5,
                       r.verdict == "in" ? kColours[2] : r.verdict == "n/a" ? kFaint
                                                                            : kFault,
                       cv::FILLED, cv::LINE_AA);
        }
    }

    Image take() const
    {
        Image out(m_picture.cols, m_picture.rows, 3);
        std::copy(m_picture.datastart, m_picture.dataend, out.data.begin());
        return out;
    }

private:
    int xOf(double time) const
    {
        return kLeft + static_cast<int>((time - m_begin) / (m_end - m_begin) * (kWidth - kLeft - kRight));
    }

    void frame(int top) { cv::rectangle(m_picture, {kLeft, top}, {kWidth - kRight, top + kPanel}, kFaint); }

    void shadeSpeech(int top)
    {
        const Curves& c = m_e.curves;
        for (const auto& [begin, end] : runs(c.speech))
            cv::rectangle(m_picture, {xOf(c.times[begin]), top + 1}, {xOf(c.times[end - 1]), top + kPanel - 1}, kSpeech, cv::FILLED);
    }

    void axis(int top)
    {
        const double step = m_end - m_begin > 40 ? 10 : m_end - m_begin > 12 ? 2
                                                                             : 1;
        for (double t = std::ceil(m_begin / step) * step; t <= m_end; t += step) {
            cv::line(m_picture, {xOf(t), top}, {xOf(t), top + kPanel}, kFaint);
            write(format("%.0f s", t), xOf(t) - 10, top + kPanel + 15, kInk, 0.38);
        }
    }

    void markFlags(int top)
    {
        for (const Flag& f : m_e.flags)
            if (f.time)
                cv::line(m_picture, {xOf(*f.time), top}, {xOf(*f.time), top + kPanel}, kFault);
    }

    void line(const Curve& c, int top, double low, double high, const cv::Scalar& colour)
    {
        std::vector<cv::Point> points;
        for (std::size_t i = 0; i < std::min(c.values.size(), c.times->size()); ++i)
            if (std::isfinite(c.values[i]))
                points.emplace_back(xOf((*c.times)[i]), top + static_cast<int>((high - c.values[i]) / (high - low) * kPanel));
        cv::polylines(m_picture, std::vector{points}, false, colour, 1, cv::LINE_AA);
    }

    const Evaluation& m_e;
    cv::Mat m_picture;
    double m_begin = 0, m_end = 1;
};

std::vector<Panel> panelsOf(const Curves& c, double fps)
{
    std::vector<Panel> panels;
    if (!c.opening.empty()) {
        Panel lips{"lip opening (eye distances) ; shaded: speech", {{"opening", &c.times, c.opening}}};
        panels.push_back(std::move(lips));
        if (!c.expected.empty())
            panels.push_back({"lips and what real people do with this sound (standardised)",
                              {{"opening", &c.times, standardised(bandPass(c.opening, fps, 0.7, 7))},
                               {"expected", &c.times, standardised(bandPass(c.expected, fps, 0.7, 7))}}});
        panels.push_back({"jaw: chin to nose (eye distances)", {{"jaw", &c.times, c.jaw}}});
    }
    if (!c.eyes.empty())
        panels.push_back({"eyes: opening (1 = usual) and gaze (right, widths of the eye)",
                          {{"opening", &c.times, c.eyes}, {"gaze", &c.times, c.gaze}}});
    if (!c.yaw.empty())
        panels.push_back({"head (degrees)", {{"yaw", &c.times, c.yaw}, {"pitch", &c.times, c.pitch}, {"roll", &c.times, c.roll}}});
    if (!c.identityDistance.empty())
        panels.push_back({"identity: distance to the reference photo (0.6 = another person)",
                          {{"distance", &c.identityTimes, c.identityDistance}}});
    if (!c.backgroundL.empty() && !c.faceL.empty()) {
        Series face = c.faceL, background = c.backgroundL;
        for (Series* s : {&face, &background}) {
            const double middle = median(*s);
            for (double& v : *s)
                v -= middle;
        }
        panels.push_back({"lightness L* against its median", {{"face", &c.times, face}, {"background", &c.backgroundTimes, background}}});
    }
    return panels;
}

} // namespace

Image plot(const Evaluation& e)
{
    const std::vector<Panel> panels = panelsOf(e.curves, e.container.fps);
    const bool lag = !e.lagCurve.empty();
    const auto count = static_cast<int>(panels.size()) + (lag ? 1 : 0);
    const int cards = static_cast<int>(e.scorecard.rows.size() + 1) / 2 * 20 + 60;
    Sheet sheet(e, kHead + count * (kPanel + kGap) + cards);
    sheet.write(e.name + ": " + std::to_string(e.scorecard.inside) + "/" + std::to_string(e.scorecard.total) +
                    " inside the band of real people, " + std::to_string(e.scorecard.hardFlags) + " hard flags -> " +
                    e.scorecard.verdict,
                kLeft, 26, kInk, 0.6);
    int top = kHead;
    for (const Panel& p : panels) {
        sheet.panel(p, top);
        top += kPanel + kGap;
    }
    if (lag) {
        sheet.lagCurve(top);
        top += kPanel + kGap;
    }
    sheet.scorecard(top);
    return sheet.take();
}

} // namespace loquor::evaluate
