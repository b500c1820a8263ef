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

// A float texture, interleaved, 0..255 colour scale; channels 3 or 4 (alpha 0..255).
struct Texture
{
    int width = 0, height = 0, channels = 0;
    std::vector<float> data;
};

// One eye, index 0 = image left (subject's right). Textures share the origin x0,y0 in canvas pixels.
struct EyeModel
{
    std::vector<int> upper, lower;   // kLidSamples vertex indices each, outer to inner corner
    Texture photo, sclera, iris;     // iris has alpha
    float x0 = 0, y0 = 0;
    float irisX = 0, irisY = 0, irisRadius = 0; // texture pixels
    float gazeLimit = 1;             // .45 where no sclera could be sampled
    float planeZ = 0;                // canvas depth of the eye plane
    Vec3 lashColor{};
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
    Image layer;          // RGBA: cleaned face texture + layer alpha
    Image plate;          // RGB: background without the person
    Image matte;          // 1 channel: the person, for background replacement
    Image lid;            // RGB: lash-free closed-lid texture
    Image lidBand;        // 1 channel: weight of `lid`

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

    // mouth (head frame): UI, LI, UO, LO knots of the photo and of the neutral mouth
    std::array<std::array<Vec3, kLipKnots>, 4> refContour{}, neutralContour{};
    std::array<std::array<float, kLipKnots>, 4> lipJawWeight{};
    Vec3 tmj{};           // jaw hinge, head frame
    Vec3 pivot{};         // head rotation pivot, image frame px
    float chinY = 0;      // head frame
    bool photoTeeth = false;
    float incisalY = 0;   // y of the upper incisal edge, head frame
    float teethZ = 0;
    Vec3 mouthCenter{};
    float mouthX0 = -.45f, mouthX1 = .45f, mouthY0 = -.30f, mouthY1 = .42f; // texture extent, head frame
    Texture upperTeeth, lowerTeeth, tongue; // RGBA
    Vec3 cavityColor{}, whiteColor{};       // RGB 0..255
    std::vector<float> lipColorLower, lipColorUpper; // 3 per kLipSamples
    float softness = .5f; // blur that matches drawn parts to the photo, px

    // light: first-order SH, normalised: I ~ 1 + l.n
    Vec3 light{};

    // what a user should know ("smile photo: lips may look pinched on rounded vowels")
    std::vector<std::string> notes;
};
using PortraitModelPtr = std::shared_ptr<const PortraitModel>;

// Serialises for the reference cache; loads exactly what was saved (bit-equal). A damaged or older
// file is Corrupt, and the caller builds anew.
Result<std::vector<std::uint8_t>> serialize(const PortraitModel& model);
Result<PortraitModelPtr> deserialize(const std::vector<std::uint8_t>& bytes);

} // namespace loquor::portrait
