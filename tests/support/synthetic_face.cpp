#include "tests/support/synthetic_face.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "core/base/json.h"
#include "core/base/random.h"

namespace loquor::test {

namespace {

using portrait::Landmarks;
using portrait::Point3;

// A frontal face with closed lips.
Landmarks frontalFace()
{
    const std::string path = std::string(LOQUOR_TEST_DATA) + "/portrait/man_closed.json";
    std::ifstream in(path);
    if (!in)
        throw std::runtime_error("missing " + path);
    const nlohmann::json json = nlohmann::json::parse(in);
    Landmarks out{};
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto& p = json.at("landmarks").at(i);
        out[i] = {p.at(0).get<float>(), p.at(1).get<float>(), p.at(2).get<float>()};
    }
    return out;
}

bool inEllipse(float x, float y, float cx, float cy, float rx, float ry)
{
    return (x - cx) * (x - cx) / (rx * rx) + (y - cy) * (y - cy) / (ry * ry) < 1;
}

// Colour of the drawing at a point; `person` says whether it is the figure.
std::array<float, 3> paint(const Landmarks& lm, float x, float y, float u, float gap, bool& person)
{
    const float cx = (lm[234].x + lm[454].x) / 2;
    const float cy = (lm[10].y + lm[152].y) / 2;
    const bool head = inEllipse(x, y, cx, cy - .1f * u, .95f * u, 1.35f * u);
    const bool body =
        y > lm[152].y - .1f * u && inEllipse(x, y, cx, lm[152].y + 1.6f * u, 2.f * u, 1.6f * u);
    person = head || body;
    for (const std::size_t iris : {468, 473}) {
        if (inEllipse(x, y, lm[iris].x, lm[iris].y, .06f * u, .06f * u))
            return {70, 50, 40};
        if (inEllipse(x, y, lm[iris].x, lm[iris].y, .16f * u, .06f * u))
            return {230, 228, 225};
    }
    const float mouth = (lm[13].y + lm[14].y) / 2;
    if (inEllipse(x, y, lm[13].x, mouth, .26f * u, .008f * u + gap * u / 2))
        return {60, 30, 30};
    if (inEllipse(x, y, lm[13].x, mouth, .28f * u, .10f * u + gap * u / 2))
        return {180, 90, 90};
    if (head)
        return {205 - .2f * std::abs(x - cx), 160, 135};
    if (body)
        return {60, 60, 70};
    return {70 + .15f * x, 110 + .1f * y, 150};
}

} // namespace

portrait::FaceObservation syntheticFace(int width, int height, float cx, float cy, float u,
                                        float mouthGap)
{
    const Landmarks base = frontalFace();
    const Point3 left = base[263];
    const Point3 right = base[33];
    const float scale = u / std::hypot(left.x - right.x, left.y - right.y, left.z - right.z);
    float mx = 0;
    float my = 0;
    for (std::size_t i = 0; i < 468; ++i) {
        mx += base[i].x / 468;
        my += base[i].y / 468;
    }
    portrait::FaceObservation face;
    for (std::size_t i = 0; i < base.size(); ++i)
        face.landmarks[i] = {cx + (base[i].x - mx) * scale, cy + (base[i].y - my) * scale,
                             base[i].z * scale};
    // Opening the mouth takes the lower lip and the chin down.
    for (const std::size_t i : {95, 88, 178, 87, 14, 317, 402, 318, 324, 146, 91, 181, 84, 17,
                                314, 405, 321, 375, 18, 200, 199, 175, 152, 148, 377, 176, 400})
        face.landmarks[i].y += mouthGap * u;
    face.canvas = Image(width, height, 3);
    face.personMask = Image(width, height, 1);
    Random random(7);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            bool person = false;
            const auto color = paint(face.landmarks, static_cast<float>(x) + .5f,
                                     static_cast<float>(y) + .5f, u, mouthGap, person);
            for (std::size_t k = 0; k < 3; ++k)
                face.canvas.row(y)[3 * static_cast<std::size_t>(x) + k] = static_cast<std::uint8_t>(
                    std::clamp(color[k] + 2.f * static_cast<float>(random.normal()), 0.f, 255.f));
            face.personMask.row(y)[x] = person ? 255 : 0;
        }
    return face;
}

} // namespace loquor::test
