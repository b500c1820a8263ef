#include "core/pipeline/face_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/media/face_framing.h"

namespace loquor::pipeline {

namespace {

constexpr float kTurned = 22;       // degrees: above, expect a visible limit
constexpr float kProfile = 48;      // degrees: above, half the mouth is hidden
constexpr float kNextRow = .6f;     // of a face's height: lower than that is another row
constexpr float kBeside = .5f;      // of a face's width: nearer than that is not side by side
constexpr float kDominance = 3;     // the main face is this much bigger than any other

std::string pixels(float value)
{
    return std::to_string(static_cast<int>(std::lround(value))) + " px";
}

float middleX(const FaceInfo& face)
{
    return face.x + face.width / 2;
}

float middleY(const FaceInfo& face)
{
    return face.y + face.height / 2;
}

// Indices of `faces` in the order of `centre`.
std::vector<std::size_t> sortedBy(const std::vector<FaceInfo>& faces, float (*centre)(const FaceInfo&))
{
    std::vector<std::size_t> order(faces.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return centre(faces[a]) < centre(faces[b]); });
    return order;
}

// The smallest step from one face to the next, in sizes of a face.
float smallestStep(const std::vector<FaceInfo>& faces, float (*centre)(const FaceInfo&), float FaceInfo::* size)
{
    const std::vector<std::size_t> order = sortedBy(faces, centre);
    float out = std::numeric_limits<float>::max();
    for (std::size_t i = 1; i < order.size(); ++i) {
        const FaceInfo &before = faces[order[i - 1]], &after = faces[order[i]];
        out = std::min(out, (centre(after) - centre(before)) / std::max(1e-6f, (before.*size + after.*size) / 2));
    }
    return out;
}

std::string ordinal(std::size_t number)
{
    const char* end = number % 100 / 10 == 1 ? "th" : number % 10 == 1 ? "st"
                                                  : number % 10 == 2   ? "nd"
                                                  : number % 10 == 3   ? "rd"
                                                                       : "th";
    return std::to_string(number) + end;
}

// Of `count` that stand side by side: "left", "middle", "right"; empty when more than three or one alone.
std::string sideOf(std::size_t index, std::size_t count, const char* first, const char* last)
{
    if (count < 2 || count > 3)
        return {};
    return index == 0 ? first : index + 1 == count ? last
                                                   : "middle";
}

std::string placeIn(std::size_t index, std::size_t count, const char* first, const char* last)
{
    const std::string side = sideOf(index, count, first, last);
    if (!side.empty())
        return side == "middle" ? "in the middle" : "at the " + side;
    return ordinal(index + 1) + " of " + std::to_string(count) + " from the " + first;
}

// Faces whose heights in the picture are alike, from top to bottom, each row from left to right.
std::vector<std::vector<std::size_t>> rowsOf(const std::vector<FaceInfo>& faces)
{
    std::vector<std::vector<std::size_t>> rows;
    float last = 0;
    for (const std::size_t i : sortedBy(faces, middleY)) {
        if (rows.empty() || middleY(faces[i]) - last > kNextRow * faces[i].height)
            rows.emplace_back();
        last = middleY(faces[i]);
        rows.back().push_back(i);
    }
    for (auto& row : rows)
        std::stable_sort(row.begin(), row.end(),
                         [&](std::size_t a, std::size_t b) { return middleX(faces[a]) < middleX(faces[b]); });
    return rows;
}

std::string placeInRows(std::size_t row, std::size_t rows, std::size_t column, std::size_t columns)
{
    const std::string height = sideOf(row, rows, "top", "bottom"), side = sideOf(column, columns, "left", "right");
    if (rows == 1)
        return placeIn(column, columns, "left", "right");
    if (columns == 1)
        return placeIn(row, rows, "top", "bottom");
    if (!height.empty() && !side.empty())
        return side == "middle" ? height == "middle" ? "in the middle" : "in the middle at the " + height
                                : "at the " + height + ' ' + side;
    return placeIn(column, columns, "left", "right") + " in row " + std::to_string(row + 1) + " of " +
           std::to_string(rows);
}

} // namespace

std::vector<std::string> facePlaces(const std::vector<FaceInfo>& faces)
{
    if (faces.empty())
        return {};
    if (faces.size() == 1) {
        const float x = middleX(faces[0]);
        return {x < .37f ? "at the left" : x > .63f ? "at the right"
                                                    : "in the middle"};
    }
    std::vector<std::string> out(faces.size());
    // Most photos: side by side, or one above the other, however tall each is.
    const float across = smallestStep(faces, middleX, &FaceInfo::width);
    const float down = smallestStep(faces, middleY, &FaceInfo::height);
    if (std::max(across, down) >= kBeside) {
        const bool isRow = across >= kBeside && (across >= down || faces.size() > 2);
        const std::vector<std::size_t> order = sortedBy(faces, isRow ? middleX : middleY);
        for (std::size_t i = 0; i < order.size(); ++i)
            out[order[i]] = isRow ? placeIn(i, order.size(), "left", "right") : placeIn(i, order.size(), "top", "bottom");
        return out;
    }
    const auto rows = rowsOf(faces);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t column = 0; column < rows[row].size(); ++column)
            out[rows[row][column]] = placeInRows(row, rows.size(), column, rows[row].size());
    }
    return out;
}

Result<int> chooseFace(const std::vector<FaceInfo>& faces, int wanted)
{
    if (faces.empty())
        return fail(ErrorCode::NoFace,
                    "No face was found in the picture. Use a photo that shows one person from the front, "
                    "with the whole face visible and well lit.");
    const std::vector<std::string> places = facePlaces(faces);
    std::string list;
    for (std::size_t i = 0; i < faces.size(); ++i)
        list += (list.empty() ? "" : ", ") + std::to_string(faces[i].index) + " = " + places[i] + " (" +
                pixels(faces[i].eyeDistancePx) + " between the outer eye corners)";
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
