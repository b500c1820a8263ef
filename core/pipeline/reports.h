// What a run tells about itself: values shared by stages, processes and session.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace loquor::pipeline {

// Cost of one stage over a run.
struct StageCost
{
    double wallSeconds = 0, cpuSeconds = 0;
    std::uint64_t count = 0;
};

struct ChunkReport
{
    std::string kind = "N";
    int index = 0, line = 0; // line numbers start at 1
    int frames = 0;
    bool cached = false;
    double seconds = 0;
};

// A face on a picture, for people and for choosing.
struct FaceInfo
{
    int index = 1;                             // as --face counts, biggest first
    float x = 0, y = 0, width = 0, height = 0; // fractions of the picture
    float eyeDistancePx = 0;                   // outer corners, pixels of the file
    float yawDegrees = 0, pitchDegrees = 0, rollDegrees = 0;
    bool mouthOpen = false;
    std::vector<std::array<float, 2>> outline; // face oval, fractions of the picture
};

// What a file is and whether it will work.
struct CheckReport
{
    std::filesystem::path file;
    std::string kind;                     // "image", "video", "audio", "text", "unknown"
    bool usable = false;
    int width = 0, height = 0;            // as displayed (after rotation)
    double durationSeconds = 0;
    std::string details;                  // "JPEG, CMYK, EXIF orientation 6, ICC profile ..."
    std::vector<FaceInfo> faces;
    std::vector<std::string> problems;    // why it will not work
    std::vector<std::string> warnings;    // what to expect
    int bestFrame = -1;                   // of a clip: the frame that suits best
    double bestFrameSeconds = 0;
};

} // namespace loquor::pipeline
