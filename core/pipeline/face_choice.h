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

// Where each face is, seen from the others: "at the left", "in the middle", "at the top right", "2nd of 5 from the
// left". One alone: where it is in the picture. No two are the same.
std::vector<std::string> facePlaces(const std::vector<FaceInfo>& faces);

// Why a face will not work (empty = it will), and what to expect when it does.
std::string faceProblem(const FaceInfo& face);
std::vector<std::string> faceWarnings(const FaceInfo& face);

} // namespace loquor::pipeline
