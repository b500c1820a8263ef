#include "core/pipeline/face_choice.h"

#include <cmath>

#include "core/media/face_framing.h"

namespace loquor::pipeline {

namespace {

constexpr float kTurned = 22;       // degrees: above, expect a visible limit
constexpr float kProfile = 48;      // degrees: above, half the mouth is hidden
constexpr float kDominance = 3;     // the main face is this much bigger than any other

std::string pixels(float value)
{
    return std::to_string(static_cast<int>(std::lround(value))) + " px";
}

// "at the left", "in the middle", "at the right" of the picture.
const char* place(const FaceInfo& face)
{
    const float middle = face.x + face.width / 2;
    return middle < .37f ? "at the left" : middle > .63f ? "at the right"
                                                         : "in the middle";
}

} // namespace

Result<int> chooseFace(const std::vector<FaceInfo>& faces, int wanted)
{
    if (faces.empty())
        return fail(ErrorCode::NoFace,
                    "No face was found in the picture. Use a photo that shows one person from the front, "
                    "with the whole face visible and well lit.");
    std::string list;
    for (const FaceInfo& face : faces)
        list += (list.empty() ? "" : ", ") + std::to_string(face.index) + " " + place(face) + " (" +
                pixels(face.eyeDistancePx) + " between the outer eye corners)";
    if (wanted < 0 || wanted > static_cast<int>(faces.size()))
        return fail(ErrorCode::InvalidArgument,
                    "There is no face " + std::to_string(wanted) + " in the picture. Found: " + list + ".");
    if (wanted > 0)
        return wanted - 1;
    if (faces.size() > 1 && faces[0].eyeDistancePx < kDominance * faces[1].eyeDistancePx)
        return fail(ErrorCode::SeveralFaces, "The picture shows " + std::to_string(faces.size()) +
                                                 " faces; choose one with --face N: " + list + ".");
    return 0;
}

std::string faceProblem(const FaceInfo& face)
{
    if (std::abs(face.yawDegrees) > kProfile)
        return "The face is turned away by about " +
               std::to_string(std::lround(std::abs(face.yawDegrees))) +
               " degrees, so half of the mouth is hidden. Use a photo taken from the front.";
    return {};
}

std::vector<std::string> faceWarnings(const FaceInfo& face)
{
    std::vector<std::string> out;
    if (face.eyeDistancePx < static_cast<float>(media::kSmallestEyes))
        out.push_back("The face is small (" + pixels(face.eyeDistancePx) +
                      " between the outer eye corners, " + pixels(static_cast<float>(media::kSmallestEyes)) +
                      " or more is better): the result will look soft.");
    if (std::abs(face.yawDegrees) > kTurned)
        out.push_back("The face is turned by about " +
                      std::to_string(std::lround(std::abs(face.yawDegrees))) +
                      " degrees: the far side of the mouth may look wrong. A frontal photo works better.");
    if (std::abs(face.pitchDegrees) > kTurned + 5)
        out.push_back("The head is tilted strongly up or down: a photo at eye level works better.");
    return out;
}

} // namespace loquor::pipeline
