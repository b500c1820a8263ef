// Speech without the noise around it, for analysis: what is heard stays as it was recorded.
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"

namespace loquor::speech {

// <data folder>/models/denoise/gtcrn.onnx
std::filesystem::path denoiserModelFile(const std::filesystem::path& dataFolder);

// GTCRN through sherpa-onnx: 16 kHz, no delay, a fifteenth of real time on one thread. Loads its model (0.5 MB) when it is first
// needed. One thread at a time.
class Denoiser
{
public:
    explicit Denoiser(std::filesystem::path model);
    ~Denoiser();
    Denoiser(const Denoiser&) = delete;
    Denoiser& operator=(const Denoiser&) = delete;

    // 16 kHz mono in, the same length out. Sees a cancel every 30 s of sound. Errors: NotFound (set-up has not run),
    // Corrupt (the file is no such model), InvalidArgument (another rate), Cancelled.
    Result<AudioBlock> run(const AudioBlock& mono, const CancelToken& cancel = {});

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::speech
