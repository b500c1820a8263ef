// A person made ready for rendering: everything that is computed once per photo. Immutable after
// PortraitBuilder made it; shared by solver, renderer and cache. Notation and numbers: core/portrait/DESIGN.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/media/image.h"
#include "core/portrait/face_observation.h"

namespace loquor::portrait {

using Vec3 = std::array<float, 3>;
using Mat3 = std::array<float, 9>; // row-major

inline constexpr int kLipKnots = 11;      // per contour
inline constexpr int kLipSamples = 41;    // Catmull-Rom, 4 sub-steps
inline constexpr int kLidKnots = 9;       // per lid
inline constexpr int kLidSamples = 25;    // 3 sub-steps
inline constexpr int kLipHandles = 40;    // UI 11, LI 9 interior, UO 11, LO 9 interior
inline constexpr int kEyeHandles = 46;    // lids 4 x 9, brows 2 x 5

// Coordinates. Everything is continuous with pixel centres at +0.5: canvas pixel (i, j) covers
// [i, i+1) x [j, j+1) and is sampled exactly at (i + .5, j + .5). The rest pose maps each canvas point to
// itself. Texture texel (i, j) has its centre at (i + .5, j + .5) of the texture's own coordinates.
// Image frame: canvas x, canvas y, z away from the viewer, px. Head frame: unit u, x right, y down,
// z away, origin M0 between the lips; X = R * XH * u + M0.

// A float texture, interleaved, 0..255 colour scale, RGB order; channels 1, 3 or 4 (straight alpha
// 0..255).
struct Texture
{
    int width = 0, height = 0, channels = 0;
    std::vector<float> data;
};

// One eye, index 0 = image left (subject's right). Texel (i, j) of the three textures lies at canvas
// (x0 + i + .5, y0 + j + .5); irisX/irisY are texture coordinates: canvas = x0 + irisX.
struct EyeModel
{
    std::vector<int> upper, lower;   // kLidSamples vertex indices each, outer to inner corner (shared)
    Texture photo, sclera, iris;     // iris has alpha
    float x0 = 0, y0 = 0;
    float irisX = 0, irisY = 0, irisRadius = 0; // texture pixels
    float gazeLimit = 1;             // .45 where no sclera could be sampled
    float planeZ = 0;                // canvas depth of the eye plane
    Vec3 lashColor{};
};

// Channels of PortraitModel::detail.
enum class Detail : std::size_t {
    Nasolabial = 0, // folds from nose to mouth corner: -1 = gone (rounded lips), +.5 = smile
    Forehead,       // creases above the brows: +1 = brows raised
    Chin,           // dimpled chin and the fold below the lip: +1 = lips pressed, chin raised
};

struct PortraitModel
{
    // canvas
    int width = 0, height = 0;
    double photoScale = 1;
    float u = 0;          // outer-eye-corner distance in px
    Mat3 R{};             // head frame, columns ex ey ez: X = R * XH * u + M0
    Vec3 M0{};
    Landmarks landmarks{};
    Image canvas;         // RGB: the photo
    Image layer;          // RGBA, straight alpha: cleaned face texture + layer alpha. Over `plate` it
                          // gives the photo (but for the clean-up of open-lip photos)
    Image plate;          // RGB: background without the person; the photo itself away from the person
    Image matte;          // 1 channel: the person, for background replacement
    Image lid;            // RGB: lash-free closed-lid texture
    Image lidBand;        // 1 channel: weight of `lid` (already x .93): blend by band x smooth(blink)
    // RGB: wrinkle gain maps, one channel per Detail, sampled like the layer. Skin gain =
    // 1 + sum_k amplitude_k * (detail_k - 128) / 256; amplitudes by expression, see Detail.
    // Only detailBox (x0, y0, x1, y1 canvas px, half open) differs from 128.
    Image detail;
    std::array<int, 4> detailBox{};

    // mesh
    std::vector<float> restXY;              // 2 per vertex, canvas px (= texture coordinates)
    std::vector<float> restX0;              // 3 per vertex, image frame px
    std::vector<float> restXH;              // 3 per vertex, head frame units
    std::vector<std::int32_t> triangles;    // 3 per triangle
    std::vector<int> upperInner, lowerInner; // kLipSamples vertex indices, corners shared
    std::array<int, 468> landmarkVertex{};  // -1 = none
    std::array<EyeModel, 2> eyes;
    bool openMouth = false;                 // the photo shows parted lips
    std::vector<float> normals0;            // 3 per vertex, rest, unit, smoothed
    // neighbour averaging (two rounds of 1-ring means), compressed rows: smoothStart has vertices+1 entries
    std::vector<std::int32_t> smoothStart, smoothIndex;
    std::vector<float> smoothWeight;

    // fields, row per vertex
    std::vector<float> lipField;   // x kLipHandles
    std::vector<float> eyeField;   // x kEyeHandles
    std::vector<float> jawWeight, cheekWeight, headWeight, lightWeight;
    // 3 per vertex, head frame: added to restXH in every frame (takes the photo's smile out of the
    // cheeks; all zero on closed-lip photos; zero on the lip contours), and added x
    // min(1, pucker + .5 funnel) (cheeks and folds follow rounded lips). Texture coordinates stay.
    std::vector<float> neutralShift, roundShift;
    // 2 per vertex, 0..1: how much of its motion across (sides) and down (top) a vertex gives up,
    // because the picture's edge cuts the person off near it.
    std::vector<float> frameHold;

    // mouth (head frame): UI, LI, UO, LO knots of the photo and of the neutral mouth
    std::array<std::array<Vec3, kLipKnots>, 4> refContour{}, neutralContour{};
    std::array<std::array<float, kLipKnots>, 4> lipJawWeight{};
    Vec3 tmj{};           // jaw hinge, head frame
    Vec3 pivot{};         // head rotation pivot, image frame px
    float chinY = 0;      // head frame
    bool photoTeeth = false;
    float incisalY = 0;   // y of the upper incisal edge, head frame
    float teethZ = 0;     // z of the incisors; the arch recedes: z(x) = teethZ + archBend * x * x
    float archBend = 0;   // 1/u; 0 = flat plane (teeth cut from the photo)
    Vec3 mouthCenter{};
    float mouthX0 = -.45f, mouthX1 = .45f, mouthY0 = -.30f, mouthY1 = .42f; // texture extent, head frame
    Texture upperTeeth, lowerTeeth, tongue; // RGBA, texel row 0 at mouthY0, column 0 at mouthX0
    // Wet highlights for the head-on view, 1 channel each, same extent; add gloss/255 * whiteColor *
    // .8, sampled with the head-frame offset (-glossShift * yaw, glossShift * pitch) in u per degree.
    Texture upperGloss, lowerGloss, tongueGloss;
    float glossShift = .0035f;
    Vec3 cavityColor{}, whiteColor{};       // RGB 0..255
    std::vector<float> lipColorLower, lipColorUpper; // 3 per kLipSamples
    float softness = .5f; // blur that matches drawn parts to the photo, px

    // light: first-order SH, normalised: I ~ 1 + l.n
    Vec3 light{};

    bool glasses = false; // brows and lids are damped under a detected frame (baked into eyeField)

    // what a user should know ("smile photo: lips may look pinched on rounded vowels")
    std::vector<std::string> notes;
};
using PortraitModelPtr = std::shared_ptr<const PortraitModel>;

// Catmull-Rom resampling of contour knots (ends extrapolated linearly): row-major weights, one row
// of `knots` numbers per sample, (knots - 1) * subSteps + 1 rows. The lip contours use (11, 4), the
// lids (9, 3).
std::vector<float> catmullRomWeights(int knots, int subSteps);

// Serialises for the reference cache; loads exactly what was saved (bit-equal). A damaged or older
// file is Corrupt, and the caller builds anew.
Result<std::vector<std::uint8_t>> serialize(const PortraitModel& model);
Result<PortraitModelPtr> deserialize(const std::vector<std::uint8_t>& bytes);

} // namespace loquor::portrait
