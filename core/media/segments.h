// Finished chunks as small video files: written once, looked at frame by frame, put together without
// being encoded again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "core/base/trace.h"
#include "core/media/audio_block.h"
#include "core/media/image.h"
#include "core/media/mp4_writer.h"

namespace loquor::media {

// Key frames of a segment are at most so many frames apart: any frame is near when scrubbing.
inline constexpr int kSegmentKeyInterval = 13;

struct SegmentOptions
{
    int width = 0, height = 0; // even, 16 .. 8192
    Rational fps{25, 1};
    std::vector<FrameIndex> keyFrames; // beside frame 0: where a join may begin or end
    int quality = 21;                  // CRF; the way segments are encoded, about as good as 18 elsewhere
    std::string preset = "veryfast";
};

struct SegmentSummary
{
    std::int64_t frames = 0;
    std::uint64_t bytes = 0;
    double encoderCpuSeconds = 0, conversionCpuSeconds = 0;
};

// One chunk's pictures as H.264 (yuv420p, BT.709 limited) in an MP4 file without sound: closed groups, no
// B frames. The same pictures give the same bytes on every machine with this x264, and segments with the
// same options but keyFrames have the same parameter sets. The file gets its name on finish(). One thread
// at a time; any number beside each other.
class SegmentWriter
{
public:
    // Errors as Mp4Writer::create.
    static Result<SegmentWriter> create(const std::filesystem::path& file, const SegmentOptions& options,
                                        platform::IfExists ifExists = platform::IfExists::Refuse);
    ~SegmentWriter();
    SegmentWriter(SegmentWriter&&) noexcept;
    SegmentWriter& operator=(SegmentWriter&&) noexcept;

    // RGB of the size in the options. Unusable after an error; the file is then gone.
    Result<> addFrame(const Image& rgb);
    std::int64_t framesAdded() const;
    std::int64_t framesEncoded() const; // that came out of the encoder
    // EmptyInput without a frame. Call once, last.
    Result<SegmentSummary> finish();

private:
    struct Impl;
    explicit SegmentWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

// Any frame of a segment by number. Keeps the compressed data in memory (a chunk's: about 100 kB). One
// thread at a time.
class SegmentReader
{
public:
    // Unreadable or Corrupt name the file.
    static Result<SegmentReader> open(const std::filesystem::path& file);
    ~SegmentReader();
    SegmentReader(SegmentReader&&) noexcept;
    SegmentReader& operator=(SegmentReader&&) noexcept;

    std::int64_t frames() const;
    int width() const;
    int height() const;
    bool isKeyFrame(FrameIndex frame) const;
    // RGB. Frames in a row cost one decoded frame each, others at most kSegmentKeyInterval.
    Result<Image> frame(FrameIndex frame);

private:
    struct Impl;
    explicit SegmentReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

// Frames [fromFrame, fromFrame + frames) of a segment.
struct SegmentPart
{
    std::filesystem::path file;
    FrameIndex fromFrame = 0; // a key frame, to be copied
    FrameIndex frames = 0;
    TraceArgs of{};           // which chunk it is, for the trace
};

// A line of the caption track, seconds of the video; end > start, in order, not overlapping.
struct Caption
{
    double start = 0, end = 0;
    std::string text; // UTF-8; lines end with \n
};

// The sound of the whole video, piece by piece: at most `maxFrames`, an empty block is the end. Called
// from the thread that exports.
using SoundSource = std::function<Result<AudioBlock>(SampleIndex maxFrames)>;

struct ExportOptions
{
    // width, height, fps and sound; quality, preset, threads, key frames and label only where frames are
    // encoded again. Size and rate must be those of the segments to be copied.
    Mp4Options video;
    std::vector<Caption> captions;  // empty: no track
    std::string captionLanguage;    // ISO 639-2, "eng"
    int soundThreads = 0;           // 0 = one per core
    std::function<void(FrameIndex done)> onProgress; // may be empty
    Trace* trace = nullptr;         // null: nobody wants to know; "copy", or "decode" and "encode", of each part
};

// Puts parts together by copying their pictures, with new sound. Reads each file once; memory does not
// depend on the length. As Mp4Writer: exact lengths, index in front, verified before it gets its name,
// nothing left after an error. InvalidArgument or Corrupt name the segment that does not fit (another
// size, other parameter sets, no key frame where the part begins, damage).
Result<Mp4Summary> copySegments(const std::filesystem::path& file, const std::vector<SegmentPart>& parts,
                                const ExportOptions& options, const SoundSource& sound, platform::IfExists ifExists,
                                const CancelToken& cancel = {});
// The same with pictures encoded anew: any size and quality, parts may begin at any frame.
Result<Mp4Summary> encodeSegments(const std::filesystem::path& file, const std::vector<SegmentPart>& parts,
                                  const ExportOptions& options, const SoundSource& sound, platform::IfExists ifExists,
                                  const CancelToken& cancel = {});

} // namespace loquor::media
