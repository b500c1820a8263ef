// Which face of a picture is meant and what is to be expected of it: the words that the engine, `check`,
// `project new` and the studio share. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/pipeline/reports.h"

namespace loquor::pipeline {

// Picks the face of a picture: `wanted` counts from 1, 0 = there must be one (or one that is at least
// three times as big as any other). NoFace, SeveralFaces (listing them) or InvalidArgument.
Result<int> chooseFace(const std::vector<FaceInfo>& faces, int wanted);

// Why a face will not work (empty = it will), and what to expect when it does.
std::string faceProblem(const FaceInfo& face);
std::vector<std::string> faceWarnings(const FaceInfo& face);

} // namespace loquor::pipeline
