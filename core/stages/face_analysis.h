// Finds and measures the faces of a picture: the networks in the order the recipe needs.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/image.h"
#include "core/portrait/face_observation.h"

namespace loquor::stages {

// Loads the networks at the first use and keeps them. One thread at a time.
class FaceAnalysis
{
public:
    explicit FaceAnalysis(std::filesystem::path modelFolder);
    ~FaceAnalysis();

    // Loads the networks now.
    Result<void> load();
    // The landmarks of every face, biggest first. An empty list is not an error.
    Result<std::vector<portrait::Landmarks>> findFaces(const Image& rgb, const CancelToken& cancel);
    // Landmarks on another picture of the same person, from where the face must be (a cut canvas).
    Result<portrait::Landmarks> refine(const Image& rgb, const portrait::Landmarks& guess);
    // 1 channel, 255 = person.
    Result<Image> segment(const Image& rgb);

private:
    struct Networks;
    std::filesystem::path m_folder;
    std::unique_ptr<Networks> m_networks;
};

} // namespace loquor::stages
