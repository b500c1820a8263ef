// Embeddings that are close for pictures of the same person (dlib's ResNet).
#pragma once

#include <array>
#include <filesystem>
#include <memory>

#include "core/base/error.h"
#include "core/evaluate/track.h"
#include "core/media/image.h"

namespace loquor::evaluate {

// Loads in about 0.3 s; one face takes about 0.1 s. Not thread-safe.
class FaceIdentity
{
public:
    // The folder holds dlib_face_recognition_resnet_model_v1.dat and shape_predictor_5_face_landmarks.dat;
    // NotFound when they are not installed.
    static Result<std::unique_ptr<FaceIdentity>> load(const std::filesystem::path& folder);
    ~FaceIdentity();

    // The face inside `box` of an RGB image. Distances below 0.6 mean the same person.
    std::array<float, 128> embed(const Image& rgb, const Box& box);

private:
    FaceIdentity();
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::evaluate
