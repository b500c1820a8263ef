// What has to be done to a Piper model so that it can be used here; the same, to the byte, as
// packaging/setup/patch_piper.py does at set-up. Values in, values out. Internal to this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace loquor::speech {

// A voice's own configuration, the .onnx.json beside its model.
struct PiperConfig
{
    std::string name;         // "joe"; may be empty
    std::string language;     // normalized
    std::string languageName; // "English"
    std::string espeakVoice;
    int sampleRate = 0;
    float noiseScale = 0;
    float lengthScale = 0;
    std::vector<std::string> speakers; // names by number; empty when there is one
    std::string tokens;                // the tokens file: a line of symbol and number each
};
// Errors: Corrupt (no JSON, or not of a voice), Unsupported (phonemes of another kind). They name no file.
Result<PiperConfig> readPiperConfig(std::string_view json);

struct PiperGraph
{
    std::string model;
    bool givesDurations = false; // the frames of each phoneme stand behind the samples
    bool isRepeatable = false;   // no random numbers: the same text gives the same samples
};
enum class Durations {
    Keep = 1, // as the model is
    Append,
};
// Errors: Corrupt (no ONNX model, or cut off), Unsupported (a model of something else). They name no file.
Result<PiperGraph> patchPiperModel(std::string_view model, const PiperConfig& config, Durations durations);

} // namespace loquor::speech
