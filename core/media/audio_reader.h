// Sound out of any file, as float samples at any rate, in constant memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "core/media/audio_block.h"

namespace loquor::media {

struct AudioStreamInfo
{
    int number = 1;                      // among the sound streams of the file, from 1
    int index = 0;                       // among all streams of the file, from 0
    std::string codec, layout, language; // "aac", "stereo", "deu"
    int sampleRate = 0;
    int channels = 0;
};

struct AudioFileInfo
{
    std::string container; // "wav", "mov,mp4,m4a,3gp,3g2,mj2" ...
    std::vector<AudioStreamInfo> streams;
    bool hasVideo = false;         // a moving picture; cover art does not count
    double startSeconds = 0;       // of the chosen stream, relative to the file's own start
    double estimatedSeconds = 0;   // what the file claims; for progress only. Decode to know.
    std::vector<std::string> tags; // "title=..." as in the file
};

struct AudioReadOptions
{
    int sampleRate = 0; // Hz; 0 = the file's
    int channels = 1;   // 1 = mono (channels averaged so that nothing clips); 0 = the file's
    int stream = 0;     // AudioStreamInfo::number; 0 = the first one with sound
    // The part that is read, counted from the start of the stream's sound; 0 = to the end. What lies outside has no influence
    // on a sample.
    std::chrono::microseconds from{0}, to{0};

    static constexpr std::chrono::microseconds kSlack{10'000}; // an end so little behind that of the sound is meant to be it
};

// Decodes one stream block by block. Gaps in the file's own timestamps are filled with silence, so
// sound stays where it was relative to the picture. The number of samples is what decoding gives,
// never what a header claims: total = ceil(decoded * outputRate / fileRate). A part is counted at the file's rate:
// (to - from) * fileRate samples, rounded. One thread at a time.
class AudioReader
{
public:
    // Decodes the first block too, so that a file without any sound fails here. Errors: NotFound,
    // PermissionDenied, EmptyInput (0 bytes, no samples), Unreadable (damaged, not a media file),
    // Unsupported (a picture, a video without sound, no decoder), InvalidArgument (names the streams there are; a part
    // that begins behind the end, with the length). What lies before the part is decoded here, which `cancel` ends.
    static Result<AudioReader> open(const std::filesystem::path& file,
                                    const AudioReadOptions& options = {}, const CancelToken& cancel = {});
    ~AudioReader();
    AudioReader(AudioReader&&) noexcept;
    AudioReader& operator=(AudioReader&&) noexcept;

    const AudioFileInfo& info() const;
    int sampleRate() const; // of the blocks
    int channels() const;
    int fileSampleRate() const;

    // The next samples, at most `maxFrames` per channel; an empty block is the end. InvalidArgument with the length: the part
    // ends behind the end of the sound.
    Result<AudioBlock> read(SampleIndex maxFrames);
    // Sample frames delivered so far; the exact length once read() has given an empty block.
    SampleIndex position() const;
    // What was wrong and went on all the same (damaged packets, gaps); complete at the end.
    const std::vector<std::string>& warnings() const;

private:
    struct Impl;
    explicit AudioReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

// The whole file; InvalidArgument when it is longer than `maxSeconds` (memory: 4 bytes a sample).
Result<AudioBlock> readAudio(const std::filesystem::path& file,
                             const AudioReadOptions& options = {}, double maxSeconds = 4 * 3600.0,
                             const CancelToken& cancel = {});

// Exact length by decoding everything, at the file's own rate.
struct AudioLength
{
    SampleIndex frames = 0;
    int sampleRate = 0;
    float peak = 0; // largest absolute sample; 0 = digital silence
    double seconds() const { return sampleRate > 0 ? static_cast<double>(frames) / sampleRate : 0; }
};
Result<AudioLength> measureLength(const std::filesystem::path& file,
                                  const CancelToken& cancel = {});

} // namespace loquor::media
