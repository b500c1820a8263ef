#include "core/packs/estimate.h"

#include <algorithm>
#include <cstdlib>

namespace loquor::packs {

namespace {

constexpr double kPeta = 1e15, kGiga = 1e9;
constexpr double kGood = 0.50, kUsual = 0.38; // of the peak, seen on such networks
constexpr double kDecodeFlopsPerPixel = 8e6; // of the Wan VAE, for each pixel of each frame
constexpr double kQuickDecodeFlopsPerPixel = 0.3e6;
constexpr double kContextTokens = 769; // text and image
constexpr double kBytesPerValue = 2;   // bfloat16

// One step of the video network: products, self-attention, attention to text and image.
double stepFlops(const ModelCost& cost, double tokens)
{
    const auto width = static_cast<double>(cost.width), forward = static_cast<double>(cost.feedForward), layers = static_cast<double>(cost.layers);
    const double products = 2 * tokens * (8 * width * width + 2 * width * forward);
    return layers * (products + 4 * tokens * tokens * width + 4 * kContextTokens * tokens * width);
}

// SwiftVR's transformer for the frames of a chunk: windows of 16 x 16 tokens over all of its latents.
double restoreFlops(double pixels, int frames)
{
    constexpr double kWidth = 3072, kForward = 14336, kLayers = 30, kWindow = 16 * 16;
    const double latents = frames / 4.0, tokens = latents * pixels / (32.0 * 32.0);
    return kLayers * (2 * tokens * (6 * kWidth * kWidth + 2 * kWidth * kForward) + 4 * tokens * kWindow * latents * kWidth);
}

bool canShare(const ModelCost& cost, std::int64_t tokens, int devices)
{
    return devices > 0 && cost.heads % devices == 0 && tokens % devices == 0;
}

int nearestSharing(const ModelCost& cost, std::int64_t tokens, int devices)
{
    int best = 1;
    for (int n = 1; n <= cost.heads; ++n) {
        if (canShare(cost, tokens, n) && std::abs(n - devices) < std::abs(best - devices))
            best = n;
    }
    return best;
}

} // namespace

const std::vector<DeviceKind>& deviceKinds()
{
    static const std::vector<DeviceKind> kKinds{{"A100 80 GB", 312, 80}, {"H100 80 GB", 989, 80}, {"H200 141 GB", 989, 141}, {"RTX 5090 32 GB", 210, 32}};
    return kKinds;
}

Result<PackEstimate> estimate(const PackManifest& pack, int width, int height, int devices)
{
    pipeline::RenderSettings settings;
    settings.width = width;
    settings.height = height;
    settings.fps = pack.defaultFps;
    LQ_CHECKED(checkSettings(pack, settings));
    if (!pack.avatar || !pack.cost)
        return fail(ErrorCode::InvalidArgument, "The engine '" + pack.id + "' runs on the processor: there is nothing to estimate. 'loquor-cli render' shows its speed.");
    const stages::AvatarPlan& plan = *pack.avatar;
    const ModelCost& cost = *pack.cost;
    PackEstimate out;
    const int latents = (plan.frames - 1) / 4 + 1;
    out.tokens = std::int64_t(latents) * (width / plan.scale / 16) * (height / plan.scale / 16);
    if (!canShare(cost, out.tokens, devices))
        return fail(ErrorCode::InvalidArgument, "The network cannot be shared among " + std::to_string(devices) + " devices: its " + std::to_string(cost.heads) +
                                                    " heads and " + std::to_string(out.tokens) + " tokens must divide by their number. The nearest number is " +
                                                    std::to_string(nearestSharing(cost, out.tokens, devices)) + '.');
    out.devices = devices;
    out.framesPerChunk = plan.newFrames();
    const double pixels = static_cast<double>(width) * height, made = pixels / plan.scale / plan.scale;
    const double decode = made * plan.frames * (plan.decoder == stages::AvatarDecoder::Wan21 ? kDecodeFlopsPerPixel : kQuickDecodeFlopsPerPixel);
    const double restore = plan.scale > 1 ? restoreFlops(pixels, out.framesPerChunk) : 0;
    const double all = stepFlops(cost, static_cast<double>(out.tokens)) * static_cast<double>(plan.timesteps.size()) + decode + restore;
    out.petaflops = all / kPeta;
    // Of a block: what stays, queries, keys, values and the widest layer; four decoded frames of 96 channels.
    const double activations = static_cast<double>(out.tokens) / devices * static_cast<double>(6 * cost.width + 2 * cost.feedForward) * kBytesPerValue;
    out.memoryGb = cost.weightsGb + (activations + made * 96 * 4 * 4 * kBytesPerValue + pixels * plan.frames * 3 * 4) / kGiga;
    for (const DeviceKind& kind : deviceKinds()) {
        const double rate = kind.peakTflops * 1e12 * devices;
        out.kinds.push_back({kind.name, all / (rate * kGood), all / (rate * kUsual), out.framesPerChunk / pack.defaultFps.toDouble() / (all / (rate * kUsual)), out.memoryGb < kind.memoryGb * 0.95});
    }
    return out;
}

} // namespace loquor::packs
