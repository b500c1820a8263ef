#include "core/speech/denoise.h"

#include <algorithm>

#include <sherpa-onnx/c-api/c-api.h>

#include "core/base/time.h"
#include "core/platform/paths.h"

namespace loquor::speech {

namespace {

constexpr int kRate = 16000;
constexpr SampleIndex kPiece = 30 * kRate, kWarmUp = kRate; // the network remembers about a second

struct FreeDenoiser
{
    void operator()(const SherpaOnnxOfflineSpeechDenoiser* d) const { SherpaOnnxDestroyOfflineSpeechDenoiser(d); }
};
struct FreeSound
{
    void operator()(const SherpaOnnxDenoisedAudio* sound) const { SherpaOnnxDestroyDenoisedAudio(sound); }
};

} // namespace

struct Denoiser::Impl
{
    std::filesystem::path model;
    std::unique_ptr<const SherpaOnnxOfflineSpeechDenoiser, FreeDenoiser> network;

    Result<void> load()
    {
        if (network)
            return {};
        std::error_code ec;
        if (!std::filesystem::is_regular_file(model, ec))
            return fail(ErrorCode::NotFound, "The noise suppressor " + platform::quotedPath(model) +
                                                 " is not there. Run packaging/setup.sh.");
        const std::string name = model.string();
        SherpaOnnxOfflineSpeechDenoiserConfig config{};
        config.model.gtcrn.model = name.c_str();
        config.model.num_threads = 1;
        config.model.provider = "cpu";
        network.reset(SherpaOnnxCreateOfflineSpeechDenoiser(&config));
        if (!network || SherpaOnnxOfflineSpeechDenoiserGetSampleRate(network.get()) != kRate)
            return fail(ErrorCode::Corrupt, "The noise suppressor " + platform::quotedPath(model) +
                                                " cannot be loaded. Run packaging/setup.sh again.");
        return {};
    }
};

std::filesystem::path denoiserModelFile(const std::filesystem::path& dataFolder)
{
    return dataFolder / "models" / "denoise" / "gtcrn.onnx";
}

Denoiser::Denoiser(std::filesystem::path model) : m(std::make_unique<Impl>())
{
    m->model = std::move(model);
}

Denoiser::~Denoiser() = default;

Result<AudioBlock> Denoiser::run(const AudioBlock& mono, const CancelToken& cancel)
{
    if (mono.sampleRate != kRate || mono.channels != 1)
        return fail(ErrorCode::InvalidArgument, "The noise suppressor takes mono sound at 16 kHz.");
    LQ_CHECKED(m->load());
    AudioBlock out{kRate, 1, {}};
    out.samples.reserve(mono.samples.size());
    for (SampleIndex at = 0; at < mono.frames(); at += kPiece) {
        if (cancel.isCancelled())
            return cancelled();
        const SampleIndex begin = std::max<SampleIndex>(0, at - kWarmUp);
        const SampleIndex end = std::min(mono.frames(), at + kPiece);
        const std::unique_ptr<const SherpaOnnxDenoisedAudio, FreeSound> piece(SherpaOnnxOfflineSpeechDenoiserRun(
            m->network.get(), mono.samples.data() + begin, static_cast<std::int32_t>(end - begin), kRate));
        if (!piece)
            return fail(ErrorCode::Internal, "The noise suppressor gave no sound.");
        // Whole steps of 256 samples come out; the rest of the last one is silence.
        const SampleIndex skip = std::min<SampleIndex>(at - begin, piece->n);
        const SampleIndex got = std::min<SampleIndex>(end - begin, piece->n);
        out.samples.insert(out.samples.end(), piece->samples + skip, piece->samples + got);
        out.samples.resize(static_cast<std::size_t>(end), 0.f);
    }
    return out;
}

} // namespace loquor::speech
