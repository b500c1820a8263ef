// What a media file really holds, by its headers, its packets or by decoding all of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/time.h"

namespace loquor::media {

enum class ProbeDepth {
    Headers = 1, // what the file says about itself
    Packets,     // counts packets: exact for durations, start times, frame counts of sound files
    Decode,      // decodes everything: exact for all, finds damage
};

struct VideoFacts
{
    std::string codec, pixelFormat;
    int width = 0, height = 0; // as displayed: pixel shape and rotation applied
    int codedWidth = 0, codedHeight = 0;
    int rotationDegrees = 0;     // clockwise turn that was applied for display: 0, 90, 180, 270
    Rational frameRate;          // average; 0/1 when unknown
    Rational baseRate;           // the lowest that fits all time stamps; 0/1 when unknown
    bool isVariableRate = false; // distances between frames differ (Packets and Decode)
    bool hasAlpha = false;
    bool isHdr = false;                             // PQ or HLG
    std::string primaries, transfer, matrix, range; // as tagged, "bt709", "tv"; "unknown" when not
    std::int64_t packets = 0;                       // Packets, Decode
    std::int64_t keyFrames = 0;                     // Packets, Decode
    std::int64_t decodedFrames = -1;                // Decode
    double startSeconds = 0;
    double durationSeconds = 0; // from the first frame to the end of the last
};

struct AudioFacts
{
    std::string codec;
    int sampleRate = 0, channels = 0;
    std::int64_t packets = 0;       // Packets, Decode
    SampleIndex decodedFrames = -1; // Decode: sample frames
    double startSeconds = 0;
    double durationSeconds = 0;
};

struct MediaFacts
{
    std::string container;
    double durationSeconds = 0;
    int damagedParts = 0;            // packets that are broken or, with Decode, cannot be decoded
    std::optional<VideoFacts> video; // first moving picture; cover art does not count
    std::optional<AudioFacts> audio; // first sound stream
    std::map<std::string, std::string> tags;
};

// Errors as AudioReader::open; a file with neither picture nor sound is Unsupported. Any thread.
Result<MediaFacts> probeMedia(const std::filesystem::path& file, ProbeDepth depth,
                              const CancelToken& cancel = {});

} // namespace loquor::media
