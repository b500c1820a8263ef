// The finished video: H.264 and AAC in an MP4 file that exists only when it is whole and verified.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/media/burnt_caption.h"
#include "core/media/image.h"
#include "core/media/picture_label.h"
#include "core/platform/atomic_file.h"

namespace loquor::media {

struct Mp4Options
{
    int width = 0; // even, 16 .. 8192; the file has exactly this size
    int height = 0;
    Rational fps{25, 1};
    int audioRate = 0; // of the samples given to addAudio; 0 = a file without sound
    int audioChannels = 1;
    int audioBitrate = 128'000;
    int quality = 18; // x264's CRF: 0 lossless .. 51
    std::string preset = "veryfast";
    int threads = 0;            // of the H.264 encoder; 0 = one per core
    double keyFrameSeconds = 5; // at most this long between key frames
    PictureLabel label{};       // stays on every picture
    std::optional<CaptionStyle> captionStyle{}; // how captions are drawn into the pictures; nothing: there are none
    std::vector<BurntCaption> captions{};       // those that are known; addCaptions() takes more
    // title, comment, description, artist, copyright, date, encoding_tool (name and version of the
    // engine), and our own, which begin with "com.loquor." (any text); others are refused.
    std::map<std::string, std::string> tags;
};

struct Mp4Summary
{
    std::int64_t frames = 0;
    SampleIndex audioFrames = 0; // as given, at audioRate
    double videoSeconds = 0;
    double audioSeconds = 0;
    std::uint64_t bytes = 0;
    double encoderCpuSeconds = 0;    // H.264 and AAC, all their threads
    double conversionCpuSeconds = 0; // RGB to YUV and sample rate
};

// Frames and sound are added in step (a second or so apart at most, else the file interleaves
// badly); each from frame 0 / sample 0 on, without gaps. The data go to a part file; finish()
// verifies it by probing and only then gives it the final name. An error or destruction before
// removes it; kill -9 leaves no file with the final name. Sound of other rates is converted to 48
// kHz. Blocks while encoding. One thread at a time; any number of writers beside each other.
class Mp4Writer
{
public:
    // InvalidArgument for sizes, rates and tags; checks as AtomicFile::create for the name.
    static Result<Mp4Writer> create(const std::filesystem::path& file, const Mp4Options& options,
                                    platform::IfExists ifExists);
    ~Mp4Writer();
    Mp4Writer(Mp4Writer&&) noexcept;
    Mp4Writer& operator=(Mp4Writer&&) noexcept;

    // RGB, exactly width x height. DiskFull and the like name the file; the writer is unusable
    // after an error.
    Result<> addFrame(const Image& rgb);
    // Interleaved samples; `frames` per channel.
    Result<> addAudio(const float* samples, SampleIndex frames);

    // Behind those that are there, before their pictures are added. For writers with a captionStyle.
    void addCaptions(std::vector<BurntCaption> captions);

    std::int64_t framesAdded() const;
    // Frames that came out of the encoder: the first one appears some frames after the first
    // addFrame.
    std::int64_t framesEncoded() const;
    double encoderCpuSeconds() const;
    double conversionCpuSeconds() const;

    // Fails when sound and picture differ by a frame or more, when nothing was added, when the disk
    // is full, or when the file is not what was written. Call once, last.
    Result<Mp4Summary> finish();

private:
    struct Impl;
    explicit Mp4Writer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

} // namespace loquor::media
