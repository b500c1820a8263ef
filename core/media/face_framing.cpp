#include "core/media/face_framing.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/check.h"

namespace loquor::media {

namespace {

constexpr double kEyesPerHeight = 150.0 / 720.0;
constexpr double kTallest = 1.35;    // beyond this height/width the width decides the face size
constexpr double kLargestFace = 1.6; // times the wanted eye distance, to fill the canvas
constexpr double kFaceHeight = .86;  // of the canvas that a face in a tight photo may take
constexpr double kFaceWidth = .80;
constexpr double kHairAbove = 1.45; // eye distances from the middle of the face to the top of the hair

// Start of a window of `window` photo px, moved inside [0, photo] when it fits, centred when not.
double placeWindow(double start, double window, double photo)
{
    if (window >= photo)
        return (photo - window) / 2;
    return std::clamp(start, 0.0, photo - window);
}

int evenFloor(double value)
{
    return std::max(2, static_cast<int>(value) / 2 * 2);
}

// Where the mean of all points of a face lies from the mean of its oval, in eye distances along the
// face: towards the nose. Fitted to 46 photos.
constexpr double kAsideByYaw = .389, kDownByPitch = .349, kDown = -.017;

double sine(double degrees)
{
    return std::sin(degrees * std::numbers::pi / 180);
}

} // namespace

FaceExtent extentOfOutline(std::span<const std::array<float, 2>> outline, double yawDegrees,
                           double pitchDegrees, double rollDegrees, double eyeDistance,
                           int photoWidth, int photoHeight)
{
    FaceExtent out;
    out.eyeDistance = eyeDistance;
    if (outline.empty())
        return out;
    double x0 = 1e9, y0 = 1e9, x1 = -1e9, y1 = -1e9;
    for (const auto& point : outline) {
        const double x = static_cast<double>(point[0]) * photoWidth;
        const double y = static_cast<double>(point[1]) * photoHeight;
        out.centreX += x / static_cast<double>(outline.size());
        out.centreY += y / static_cast<double>(outline.size());
        x0 = std::min(x0, x);
        x1 = std::max(x1, x);
        y0 = std::min(y0, y);
        y1 = std::max(y1, y);
    }
    out.width = x1 - x0;
    out.height = y1 - y0;
    const double aside = kAsideByYaw * sine(yawDegrees) * eyeDistance;
    const double down = (kDown + kDownByPitch * sine(pitchDegrees)) * eyeDistance;
    const double s = sine(rollDegrees), c = sine(90 - rollDegrees);
    out.centreX += aside * c - down * s;
    out.centreY += aside * s + down * c;
    return out;
}

PhotoCut cutAroundFace(const FaceExtent& face, int photoWidth, int photoHeight, int canvasWidth,
                       int canvasHeight)
{
    LOQUOR_CHECK(photoWidth > 0 && photoHeight > 0 && canvasWidth > 0 && canvasHeight > 0);
    PhotoCut cut;
    cut.width = canvasWidth;
    cut.height = canvasHeight;
    const double eyes = std::max(1.0, face.eyeDistance);
    const double wanted =
        kEyesPerHeight * std::min<double>(canvasHeight, kTallest * canvasWidth) / eyes;
    const double fillsWidth = static_cast<double>(canvasWidth) / photoWidth;
    const double fillsHeight = static_cast<double>(canvasHeight) / photoHeight;
    // A photo that is tight around the face stays so; the canvas shows it whole at most.
    const double tight =
        std::min({fillsWidth, fillsHeight, kFaceHeight * canvasHeight / std::max(1.0, face.height),
                  kFaceWidth * canvasWidth / std::max(1.0, face.width)});
    cut.scale = std::clamp(std::max(fillsWidth, fillsHeight), wanted,
                           std::max(kLargestFace * wanted, tight));

    const double aspect = static_cast<double>(canvasHeight) / canvasWidth;
    // A large face goes down a little, so that the top of its hair stays in the picture.
    const double hair = (kHairAbove * eyes * cut.scale + .04 * canvasHeight) / canvasHeight;
    const double faceHeight =
        std::clamp(hair, .46, .56) - .06 * std::clamp((aspect - 1) / .8, 0.0, 1.0);
    const double windowX = canvasWidth / cut.scale;
    const double windowY = canvasHeight / cut.scale;
    cut.x0 = placeWindow(face.centreX - windowX / 2, windowX, photoWidth);
    // Clothes go on below a photo much more easily than hair above it.
    cut.y0 = windowY >= photoHeight
                 ? 0
                 : placeWindow(face.centreY - faceHeight * windowY, windowY, photoHeight);
    const double shown =
        std::min<double>(windowX, photoWidth) * std::min<double>(windowY, photoHeight);
    cut.invented = 1 - shown / (windowX * windowY);
    if (cut.invented < .004)
        cut.invented = 0;
    cut.inventedSides = windowX > photoWidth;
    return cut;
}

PhotoCut cutWhole(int photoWidth, int photoHeight, int canvasWidth, int canvasHeight)
{
    LOQUOR_CHECK(photoWidth > 0 && photoHeight > 0 && canvasWidth > 0 && canvasHeight > 0);
    const double scale = std::min(static_cast<double>(canvasWidth) / photoWidth,
                                  static_cast<double>(canvasHeight) / photoHeight);
    PhotoCut cut;
    cut.width = std::min(canvasWidth, evenFloor(photoWidth * scale + .5));
    cut.height = std::min(canvasHeight, evenFloor(photoHeight * scale + .5));
    // Cover the even canvas fully: the scale grows by less than two pixels' worth.
    cut.scale = std::max(static_cast<double>(cut.width) / photoWidth,
                         static_cast<double>(cut.height) / photoHeight);
    cut.x0 = (photoWidth - cut.width / cut.scale) / 2;
    cut.y0 = (photoHeight - cut.height / cut.scale) / 2;
    return cut;
}

} // namespace loquor::media
