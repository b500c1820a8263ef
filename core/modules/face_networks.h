// The three face networks of the portrait pack, read from safetensors files made at set-up.
// Not thread-safe: one instance per worker. CPU, float32. No torch types in this header.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/media/image.h"

namespace loquor::modules {

// A face found by the detector, in pixels of the searched image.
struct DetectedFace
{
    float x = 0, y = 0, width = 0, height = 0; // box, may reach over the image border
    float score = 0;                           // 0..1
    // image-left eye, image-right eye, nose, mouth, image-left ear, image-right ear
    std::array<std::array<float, 2>, 6> keyPoints{};
};

struct MeshPoint
{
    float x = 0, y = 0, z = 0; // pixels of the image; pixel centres at +0.5; z away from the viewer
};

struct MeshResult
{
    std::array<MeshPoint, 478> points{}; // 468 face mesh + 2 x 5 iris, attention-refined lips and eyes
    float faceScore = 0;                 // 0..1, that there is a face in the region
};

// The rotated square the mesh network looks at, in image pixels.
struct MeshRegion
{
    float centerX = 0, centerY = 0, side = 0;
    float rotation = 0; // radians, clockwise in image coordinates
};

// BlazeFace short range (128x128). Faces sorted by score x area, biggest first.
class FaceDetector
{
public:
    static Result<std::unique_ptr<FaceDetector>> load(const std::filesystem::path& modelFolder);
    ~FaceDetector();
    // RGB image of any size >= 1x1. An empty list is not an error. Looks closer, in overlapping tiles, until
    // every face of at least half the width of the widest one is found: 10 ms for a portrait, up to
    // half a second when there is no face. What only looks like a face is told by MeshResult::faceScore.
    Result<std::vector<DetectedFace>> detect(const Image& rgb, float minScore = 0.5f);

private:
    FaceDetector();
    struct Impl;
    std::unique_ptr<Impl> m;
};

// Attention mesh (192x192).
class FaceMesh
{
public:
    static Result<std::unique_ptr<FaceMesh>> load(const std::filesystem::path& modelFolder);
    ~FaceMesh();
    static MeshRegion regionFromDetection(const DetectedFace& face);
    static MeshRegion regionFromMesh(const MeshResult& previous);
    Result<MeshResult> run(const Image& rgb, const MeshRegion& region);

private:
    FaceMesh();
    struct Impl;
    std::unique_ptr<Impl> m;
};

// Selfie segmentation, general model (256x256): a mask of 256x256, 255 = person, that covers the image.
class PersonSegmenter
{
public:
    static Result<std::unique_ptr<PersonSegmenter>> load(const std::filesystem::path& modelFolder);
    ~PersonSegmenter();
    Result<Image> run(const Image& rgb);

private:
    PersonSegmenter();
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::modules
