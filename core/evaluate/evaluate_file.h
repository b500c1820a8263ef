// Measures a video file: reads sound and pictures, tracks the face, measures.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/evaluate/evaluation.h"

namespace loquor::evaluate {

struct FileOptions
{
    std::filesystem::path models;                   // the data folder's models/
    std::optional<std::filesystem::path> reference; // photo of the person
    std::optional<std::filesystem::path> timing;    // timing.json of what is spoken (docs/timing.md)
    std::optional<Box> region;                      // where the face is, in pixels of the video
    std::optional<double> maxSeconds;               // track only the beginning; lengths are of the whole file
    std::function<void(double)> progress;           // 0..1, now and then, on this thread
};

// About 0.1 s a frame on one thread; memory grows by 6 KB and a small picture per frame. Errors as the
// readers of core/media; NotFound when the face networks are not installed.
Result<Evaluation> evaluateFile(const std::filesystem::path& video, const FileOptions& options,
                                const CancelToken& cancel = {});

} // namespace loquor::evaluate
