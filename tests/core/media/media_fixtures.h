// Made-up pictures and sounds, and FFmpeg's own programs as a second opinion.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/media/audio_block.h"
#include "core/media/image.h"

namespace loquor::test {

// A smooth moving picture with a bright square whose place depends on `index`.
Image movingPicture(int width, int height, int index);
// RGB noise, the same for the same seed.
Image noise(int width, int height, unsigned seed);
AudioBlock sine(int sampleRate, int channels, double seconds, double hertz = 440,
                float level = 0.5f);

// All pictures of a video, as far as they can be decoded.
std::vector<Image> decoded(const std::filesystem::path& file);

double psnr(const Image& a, const Image& b);
double rms(const AudioBlock& block, std::int64_t from, std::int64_t to, int channel = 0);

// Runs ffmpeg or ffprobe and gives what it writes to standard output; "error: ..." when it fails.
std::string runTool(const std::string& program, const std::vector<std::string>& arguments);
// One value of ffprobe ("stream=nb_read_frames") for one kind of stream ("v:0"; "" = the
// container).
std::string ffprobe(const std::filesystem::path& file, const std::string& entry,
                    const std::string& stream = {}, bool countFrames = false);

// Files in a folder whatever their names.
int filesIn(const std::filesystem::path& folder);

} // namespace loquor::test
