#include "tests/support/portrait_fixture.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "core/base/json.h"
#include "core/media/image_loader.h"
#include "core/portrait/portrait_builder.h"

namespace loquor::test {

namespace {

using portrait::Landmarks;
using portrait::Point3;

const std::string kData = std::string(LOQUOR_TEST_DATA) + "/portrait/";
const std::string kPhotos = std::string(LOQUOR_DEPS_DIR) + "/../media/test/";

nlohmann::json readJson(const std::string& path)
{
    std::ifstream in(path);
    if (!in)
        throw std::runtime_error("missing " + path);
    return nlohmann::json::parse(in);
}

Landmarks readLandmarks(const nlohmann::json& json)
{
    Landmarks out{};
    const auto& list = json.at("landmarks");
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = {list.at(i).at(0).get<float>(), list.at(i).at(1).get<float>(),
                  list.at(i).at(2).get<float>()};
    return out;
}

Image read(const std::string& path)
{
    auto loaded = media::loadImage(path);
    if (!loaded)
        throw std::runtime_error(loaded.error().text());
    return std::move(loaded->image);
}

// The mask files are grey PNG; the loader gives RGB.
Image oneChannel(const Image& rgb)
{
    Image out(rgb.width, rgb.height, 1);
    for (std::size_t i = 0; i < out.data.size(); ++i)
        out.data[i] = rgb.data[3 * i];
    return out;
}

std::uint8_t bilinear(const Image& mask, double x, double y)
{
    const double ix = x - .5;
    const double iy = y - .5;
    if (ix < -.5 || iy < -.5 || ix > mask.width - .5 || iy > mask.height - .5)
        return 0;
    const int x0 = std::clamp(static_cast<int>(std::floor(ix)), 0, mask.width - 1);
    const int y0 = std::clamp(static_cast<int>(std::floor(iy)), 0, mask.height - 1);
    const int x1 = std::min(x0 + 1, mask.width - 1);
    const int y1 = std::min(y0 + 1, mask.height - 1);
    const double fx = std::clamp(ix - x0, 0.0, 1.0);
    const double fy = std::clamp(iy - y0, 0.0, 1.0);
    const double top = mask.row(y0)[x0] * (1 - fx) + mask.row(y0)[x1] * fx;
    const double bottom = mask.row(y1)[x0] * (1 - fx) + mask.row(y1)[x1] * fx;
    return static_cast<std::uint8_t>(std::lround(top * (1 - fy) + bottom * fy));
}

} // namespace

const std::vector<std::string>& portraitFixtureNames()
{
    static const std::vector<std::string> names{"astronaut", "hopper", "man_smile", "man_suit",
                                                "man_closed"};
    return names;
}

PortraitFixture loadPortraitFixture(const std::string& name)
{
    const nlohmann::json json = readJson(kData + name + ".json");
    PortraitFixture out;
    out.photo = read(kPhotos + json.at("photo").get<std::string>());
    out.mask = oneChannel(read(kData + name + "_mask.png"));
    out.landmarks = readLandmarks(json);
    return out;
}

portrait::FaceObservation observe(const PortraitFixture& fixture, int width, int height)
{
    const portrait::CanvasCut cut = portrait::planCanvas(fixture.landmarks, fixture.photo.width,
                                                         fixture.photo.height, width, height);
    portrait::FaceObservation face;
    face.canvas = portrait::cutCanvas(fixture.photo, cut);
    face.scale = cut.scale;
    face.notes = cut.notes;
    for (std::size_t i = 0; i < face.landmarks.size(); ++i) {
        const Point3& p = fixture.landmarks[i];
        face.landmarks[i] = {static_cast<float>((p.x - cut.x0) * cut.scale),
                             static_cast<float>((p.y - cut.y0) * cut.scale),
                             static_cast<float>(p.z * cut.scale)};
    }
    face.personMask = Image(width, height, 1);
    const double k = static_cast<double>(fixture.mask.width) / fixture.photo.width;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const double px =
                std::clamp(cut.x0 + (x + .5) / cut.scale, .5, fixture.photo.width - .5);
            const double py =
                std::clamp(cut.y0 + (y + .5) / cut.scale, .5, fixture.photo.height - .5);
            face.personMask.row(y)[x] = bilinear(fixture.mask, px * k, py * k);
        }
    portrait::continueCanvas(face.canvas, cut, fixture.photo.width, fixture.photo.height,
                             face.personMask,
                             std::hypot(face.landmarks[263].x - face.landmarks[33].x,
                                        face.landmarks[263].y - face.landmarks[33].y));
    return face;
}

} // namespace loquor::test
