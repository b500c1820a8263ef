// Pictures out of any video, upright, in RGB, each with its time.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/media/image.h"
#include "core/media/probe.h"

namespace loquor::media {

// How YUV becomes RGB.
enum class RgbConversion {
    Accurate = 1, // chroma interpolated, exactly rounded: for pictures that are looked at
    Fast,         // as `ffmpeg -pix_fmt rgb24` does by default: for measures made with that
};

struct VideoReadOptions
{
    // Larger pictures are scaled down while they are converted; facts() keeps the full size.
    std::int64_t maxPixels = 9'000'000;
    std::array<std::uint8_t, 3> background{255, 255, 255}; // behind transparent parts
    RgbConversion conversion = RgbConversion::Accurate;
    int threads = 0; // of the decoder; 0 = one per core
};

struct TimedFrame
{
    Image image;                      // RGB, sRGB as tagged (no tone mapping of HDR), upright
    std::chrono::nanoseconds time{0}; // from the start of the file, as its sound counts too
    double seconds() const { return std::chrono::duration<double>(time).count(); }
};

// Decodes the first moving picture of a file. Rotation, mirroring and pixel shape are applied.
// Damaged frames are skipped and counted in warnings(). One thread at a time.
class VideoReader
{
public:
    // Decodes the first frame too. Errors as AudioReader::open; Unsupported when there is no
    // picture.
    static Result<VideoReader> open(const std::filesystem::path& file,
                                    const VideoReadOptions& options = {});
    ~VideoReader();
    VideoReader(VideoReader&&) noexcept;
    VideoReader& operator=(VideoReader&&) noexcept;

    const VideoFacts& facts() const; // headers only
    int width() const;               // of the images delivered
    int height() const;

    // The next frame in order of display; nothing at the end.
    Result<std::optional<TimedFrame>> next();
    // Passes over the next frame without converting it; false at the end.
    Result<bool> skip();
    // The frame on screen at that time: the last one that begins at or before it (the first frame
    // for times before it, the last one for times after the end). next() then goes on behind it.
    Result<TimedFrame> frameAt(double seconds);
    // Transparent, HDR, scaled, variable rate, damaged ...: sentences for people.
    const std::vector<std::string>& warnings() const;

private:
    friend class ConstantRateReader;
    struct Impl;
    explicit VideoReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

// The same video at a constant rate, by timestamps: output frame k is what is on screen at k / fps
// (frames are repeated or left out, never moved). Ends where the last source frame ends.
class ConstantRateReader
{
public:
    ConstantRateReader(VideoReader reader, Rational fps);
    // Shared with the frame before when the source did not change (`index` is then the first
    // one's).
    Result<std::optional<FramePtr>> next();
    FrameIndex repeated() const { return m_repeated; }
    FrameIndex leftOut() const { return m_leftOut; }
    VideoReader& reader() { return m_reader; }

private:
    VideoReader m_reader;
    Rational m_fps;
    FrameIndex m_next = 0;
    FramePtr m_current;
    FrameIndex m_repeated = 0, m_leftOut = 0;
};

} // namespace loquor::media
