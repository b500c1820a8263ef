// The numbers of an avatar engine (FlashTalk, FlashHead), as a pack gives them, and where its networks lie.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loquor::stages {

enum class AvatarModel {
    FlashTalk = 1,
    FlashHead,
};
enum class AvatarDecoder {
    Wan21 = 1,
    Taehv, // quicker, less exact
};

struct AvatarPlan
{
    AvatarModel model = AvatarModel::FlashTalk;
    AvatarDecoder decoder = AvatarDecoder::Wan21;
    int frames = 33, overlap = 5;      // of a window; its first `overlap` repeat the end of the chunk before
    std::vector<double> timesteps{1000, 750, 500, 250};
    double shift = 5;
    double soundSeconds = 8;           // that the sound encoder hears, up to the end of the chunk
    std::optional<double> loudness;    // LUFS it is brought to
    double colourStrength = 1;         // of the match with the reference picture
    int joinWindow = 17, joinAnchors = 4; // frames of a join's window, and at its end those that are held
    int scale = 1;                     // of the super-resolution behind; 1: none
    std::string prompt;                // of FlashTalk, when the user gives none

    int newFrames() const { return frames - overlap; }
};

inline constexpr int kAvatarFps = 25;
inline constexpr int kAvatarSoundRate = 16000;

// Weights and models by what they are for. Each lies in a folder (with its config.json) or file of its own.
inline constexpr const char* kVideoNetwork = "video";
inline constexpr const char* kVaeNetwork = "vae";
inline constexpr const char* kPreviewNetwork = "preview-decoder";
inline constexpr const char* kSoundNetwork = "sound-encoder";
inline constexpr const char* kImageNetwork = "image-encoder";
inline constexpr const char* kTextNetwork = "text-encoder";
inline constexpr const char* kTextModel = "text-model";
inline constexpr const char* kRestorerNetwork = "restorer";
inline constexpr const char* kRestorerCodec = "restorer-autoencoder";
inline constexpr const char* kRestorerPrompt = "restorer-prompt";
using AvatarFiles = std::map<std::string, std::filesystem::path>;

} // namespace loquor::stages
