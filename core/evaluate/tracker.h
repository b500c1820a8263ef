// Looks at the frames of a video one after the other and keeps what the measures need.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/evaluate/track.h"
#include "core/media/image.h"

namespace loquor::evaluate {

struct TrackerOptions
{
    std::filesystem::path faceModels;     // folder of the face networks
    std::filesystem::path identityModels; // folder of the identity network; may be missing
    double fps = 25;
    std::size_t expectedFrames = 0; // decides how densely pictures and embeddings are kept
    std::optional<Box> region;      // where the face is, in pixels of the video, when there are several
};

// About 60 ms a frame on one thread. Not thread-safe.
class Tracker
{
public:
    static Result<std::unique_ptr<Tracker>> create(const TrackerOptions& options);
    ~Tracker();

    // The next frame, RGB; all of one size.
    Result<void> add(const Image& frame);
    Track take();

    // The biggest face of a photo, measured like a frame.
    Result<ReferenceFace> measureReference(const Image& photo);
    bool measuresIdentity() const;

private:
    Tracker();
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::evaluate
