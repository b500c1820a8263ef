// What one pass over the pictures of a video leaves behind: arrays, one entry per frame. The measures
// work on these alone, so tests make them without a video.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace loquor::evaluate {

inline constexpr std::size_t kLandmarks = 478;
using Point3 = std::array<double, 3>;
using Lab = std::array<double, 3>;             // 8-bit coding of OpenCV: L 0..255, a and b around 128
using Landmarks = std::array<Point3, kLandmarks>;

struct Box
{
    int x = 0, y = 0, width = 0, height = 0;
};

// NaN marks what could not be measured in a frame.
struct FrameTrack
{
    bool found = false;          // the landmarks are valid
    Landmarks landmarks{};       // pixels of the analysed frames
    Lab faceLab{};               // mean over the skin
    double change = 0;           // mean grey difference to the frame before, small picture; NaN for the first
    double faceChange = 0;       // the same in the box of the face, full resolution
    double sharpness = 0;        // Laplacian variance of the upper face in a fixed pose over its variance
    double boil = 0;             // median second difference of that patch over its deviation
    double detail = 0;           // mean absolute Laplacian of the small picture
    bool identical = false;      // bit-identical to the frame before
};

// Small pictures in Lab, every `step`-th frame.
struct SmallPictures
{
    int width = 0, height = 0;
    std::size_t step = 1;
    std::vector<std::vector<std::uint8_t>> frames; // width * height * 3
};

struct IdentitySample
{
    std::size_t frame = 0;
    std::array<float, 128> embedding{};
};

struct Track
{
    std::vector<FrameTrack> frames;
    SmallPictures small;
    std::vector<IdentitySample> identities; // empty when the identity network is not installed
    int width = 0, height = 0;              // of the analysed frames
    double scale = 1;                       // analysed size / size of the video
};

// The face of a reference photo, measured like a frame.
struct ReferenceFace
{
    bool found = false;
    double sharpness = 0;
    Lab lab{};
    bool hasEmbedding = false;
    std::array<float, 128> embedding{};
};

} // namespace loquor::evaluate
