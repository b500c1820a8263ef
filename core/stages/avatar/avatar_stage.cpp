#include <optional>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "core/base/check.h"
#include "core/modules/wan/avatar_sampler.h"
#include "core/modules/wan/colour_match.h"
#include "core/modules/wan/schedulers.h"
#include "core/modules/wan/tiny_autoencoder.h"
#include "core/modules/wan/wan_vae.h"
#include "core/pipeline/bytes.h"
#include "core/stages/avatar/tensors.h"

namespace loquor::stages {

namespace {

using modules::HeldLatents;

const char* nameOf(modules::Precision precision)
{
    switch (precision) {
    case modules::Precision::Float32: break;
    case modules::Precision::BFloat16: return "bfloat16";
    case modules::Precision::Float16: return "float16";
    }
    return "float32";
}

std::string nameOf(const pipeline::ChunkSpec& chunk)
{
    return "chunk " + std::to_string(chunk.indexInLine + 1) + " of line " + std::to_string(chunk.line);
}

// What is wrong with decoded pictures [1, 3, frames, height, width]; null: nothing.
const char* defectOf(const at::Tensor& pictures)
{
    if (!pictures.isfinite().all().item<bool>())
        return "values that are not numbers";
    constexpr double kOneColour = 1.0 / 255, kBlack = -0.9;
    const at::Tensor frames = pictures[0].transpose(0, 1).flatten(1);
    const std::int64_t values[] = {1};
    if (frames.std(at::IntArrayRef(values), false, false).max().item<double>() >= kOneColour)
        return nullptr;
    return frames.mean().item<double>() < kBlack ? "black pictures" : "pictures of a single colour";
}

// A network made ready for one size.
struct Machine
{
    AvatarNetworksPtr networks;
    std::shared_ptr<const modules::WanGrid> grid;
    std::vector<std::shared_ptr<const modules::WanModulation>> modulations; // of each step
    std::vector<float> timesteps;
    std::int64_t latents;

    Machine(AvatarNetworksPtr n, const at::Tensor& condition, std::int64_t count) : networks(std::move(n)), latents(count)
    {
        timesteps = modules::avatarTimesteps(networks->plan.timesteps, networks->plan.shift);
        grid = networks->video->grid(latents, condition.size(3), condition.size(4));
        for (std::size_t i = 0; i + 1 < timesteps.size(); ++i)
            modulations.push_back(networks->video->modulation(at::tensor({timesteps[i]}).to(condition.device())));
    }
    at::Tensor decoded(const at::Tensor& made) const
    {
        const at::Tensor x = made.to(scalarType(networks->placement.precision));
        if (networks->preview)
            return networks->preview->decode(x.transpose(1, 2)).transpose(1, 2).to(at::kFloat) * 2 - 1;
        return networks->vae->decode(x).to(at::kFloat);
    }
};

} // namespace

NoiseSource seededNoise()
{
    return [](const pipeline::ChunkSpec& chunk, int draw, const std::vector<std::int64_t>& shape) {
        auto generator = at::make_generator<at::CPUGeneratorImpl>(chunk.seed + static_cast<std::uint64_t>(draw) * 0x9e3779b97f4a7c15u);
        return at::randn(shape, generator, at::TensorOptions(at::kFloat));
    };
}

struct AvatarStage::Impl
{
    Machine usual;
    std::optional<Machine> exact;
    AvatarReferencePtr reference;
    AvatarOptions options;
    at::Tensor tail; // the last pictures shown, [1, 3, overlap, height, width]; undefined before the first chunk

    std::int64_t latents() const { return reference->condition.size(2); }

    at::Tensor sample(const Machine& machine, const pipeline::ChunkSpec& chunk, const at::Tensor& states, const at::Tensor& held,
                      const HeldLatents& where, const CancelToken& cancel) const
    {
        const AvatarNetworks& networks = *machine.networks;
        const std::int64_t count = machine.latents;
        const at::Tensor condition = reference->condition.narrow(2, 0, count);
        const auto audio = networks.video->audio(states.to(scalarType(networks.placement.precision)));
        const std::vector<std::int64_t> shape{1, networks.videoConfig.channelsOut, count, condition.size(3), condition.size(4)};
        const auto noise = [&](std::int64_t draw) { return options.noise(chunk, static_cast<int>(draw), shape).to(condition.device()); };
        modules::AvatarSampling sampling;
        sampling.timesteps = machine.timesteps;
        sampling.noise = [&](std::int64_t step) { return noise(step + 1); };
        sampling.isCancelled = [&](std::int64_t) {
            options.onStep();
            return cancel.isCancelled();
        };
        sampling.velocity = [&](std::int64_t step, const at::Tensor& x) {
            const at::Tensor in = at::cat({x, condition}, 1);
            return networks.video->velocity(in, *machine.grid, *machine.modulations[static_cast<std::size_t>(step)], reference->context.get(), audio.get());
        };
        return modules::sampleChunk(sampling, noise(0), held, where);
    }

    // Decoded pictures of a whole window; undefined when cancelled.
    at::Tensor make(const Machine& machine, const pipeline::ChunkSpec& chunk, const at::Tensor& states, const CancelToken& cancel) const
    {
        const at::Tensor motion = tail.defined() ? encoded(*machine.networks, tail) : reference->motion;
        HeldLatents held;
        for (std::int64_t i = 0; i < motion.size(2); ++i)
            held.places.push_back(i);
        const at::Tensor latent = sample(machine, chunk, states, motion, held, cancel);
        return latent.defined() ? machine.decoded(latent) : latent;
    }

    // With a second try in float32.
    Result<at::Tensor> makeSound(const pipeline::ChunkSpec& chunk, const at::Tensor& states, const CancelToken& cancel)
    {
        at::Tensor pictures = make(usual, chunk, states, cancel);
        if (!pictures.defined())
            return cancelled();
        const char* defect = defectOf(pictures);
        if (!defect)
            return pictures;
        const std::string found = std::string(defect) + " in " + nameOf(usual.networks->placement.precision);
        if (!options.exact || usual.networks->placement.precision == modules::Precision::Float32)
            return fail(ErrorCode::Corrupt, "The video network made " + found + " (" + nameOf(chunk) + "). Its weights may be damaged: check them with 'loquor-cli packs verify'.");
        if (!exact) {
            LQ_TRY(AvatarNetworksPtr networks, options.exact());
            exact.emplace(std::move(networks), reference->condition, latents());
        }
        pictures = make(*exact, chunk, states, cancel);
        if (!pictures.defined())
            return cancelled();
        if (const char* again = defectOf(pictures))
            return fail(ErrorCode::Corrupt, "The video network made " + found + ", and " + again + " in float32 too (" + nameOf(chunk) +
                                                "). Its weights may be damaged: check them with 'loquor-cli packs verify'.");
        options.warn("The video network made " + found + " (" + nameOf(chunk) + "); it was made again in float32.");
        return pictures;
    }

    at::Tensor matched(const at::Tensor& pictures) const
    {
        return modules::matchColours(pictures, reference->picture, usual.networks->plan.colourStrength);
    }
};

AvatarStage::AvatarStage(AvatarNetworksPtr networks, AvatarReferencePtr reference, AvatarOptions options)
{
    const at::Tensor condition = reference->condition;
    m.reset(new Impl{Machine(std::move(networks), condition, condition.size(2)), std::nullopt, std::move(reference), std::move(options), {}});
}
AvatarStage::~AvatarStage() = default;

std::size_t AvatarStage::memoryEstimate() const
{
    const auto pixels = static_cast<std::size_t>(m->options.width) * static_cast<std::size_t>(m->options.height);
    // Finished pictures twice, and what the decoder has in hand: four frames of its widest layer a few times.
    const std::size_t decoder = m->usual.networks->preview ? 64 : 96 * 4 * 6;
    return pixels * sizeof(float) * (static_cast<std::size_t>(m->usual.networks->plan.frames) * 6 + decoder);
}

Result<void> AvatarStage::run(const pipeline::ChunkSpec& chunk, AvatarHearing in, const pipeline::Emit<AvatarPictures>& emit, const CancelToken& cancel)
{
    const AvatarPlan& plan = m->usual.networks->plan;
    LOQUOR_CHECK(chunk.frames > 0 && chunk.frames <= plan.newFrames(), "more frames than the network makes");
    LQ_TRY(const at::Tensor made, m->makeSound(chunk, in.states->value, cancel));
    const at::Tensor corrected = m->matched(made);
    m->tail = corrected.narrow(2, chunk.frames, plan.overlap).clone();
    const at::Tensor shown = corrected.narrow(2, plan.overlap, chunk.frames).transpose(1, 2).add(1).mul_(127.5);
    return emit(AvatarPictures{boxed(shown), std::move(in.audio), chunk.firstFrame}) ? Result<void>{} : cancelled();
}

std::vector<std::uint8_t> AvatarStage::saveState() const
{
    pipeline::ByteWriter out;
    const at::Tensor tail = m->tail.defined() ? m->tail.cpu().contiguous() : at::empty({0, 0, 0, 0, 0});
    out.putAll(std::span<const std::int64_t>(tail.sizes().data(), tail.sizes().size()));
    out.putAll(std::span<const float>(tail.const_data_ptr<float>(), static_cast<std::size_t>(tail.numel())));
    return out.take();
}

Result<void> AvatarStage::restoreState(const std::vector<std::uint8_t>& bytes)
{
    pipeline::ByteReader in(bytes);
    const auto shape = in.getAll<std::int64_t>();
    const auto values = in.getAll<float>();
    const at::Tensor& picture = m->reference->picture;
    const std::vector<std::int64_t> expected{1, 3, m->usual.networks->plan.overlap, picture.size(3), picture.size(4)};
    const bool none = shape == std::vector<std::int64_t>(5, 0) && values.empty();
    const bool fits = shape == expected && values.size() == static_cast<std::size_t>(3 * expected[2] * expected[3] * expected[4]);
    if (!in.isOk() || !in.isAtEnd() || !(none || fits))
        return fail(ErrorCode::Corrupt, "The state of the avatar engine belongs to another size or is damaged.");
    m->tail = none ? at::Tensor() : at::tensor(at::ArrayRef<float>(values)).view(expected).to(picture.device());
    return {};
}

Result<AvatarStage::Join> AvatarStage::join(const pipeline::ChunkSpec& chunk, const at::Tensor& left, const at::Tensor& right, const TensorPtr& states,
                                            const CancelToken& cancel) const
{
    const AvatarNetworksPtr& networks = m->usual.networks;
    const AvatarPlan& plan = networks->plan;
    LOQUOR_CHECK(left.size(2) == plan.overlap && left.size(2) + right.size(2) == plan.joinWindow, "a join between other pictures");
    const at::Tensor anchors = encoded(*networks, at::cat({left, right}, 2));
    const std::int64_t perLatent = networks->videoConfig.audio.framesPerLatent, atEnd = plan.joinAnchors / perLatent;
    HeldLatents held;
    held.as = modules::HeldAs::AtLevel;
    for (std::int64_t i = 0; i <= (plan.overlap - 1) / perLatent; ++i)
        held.places.push_back(i);
    for (std::int64_t i = anchors.size(2) - atEnd; i < anchors.size(2); ++i)
        held.places.push_back(i);
    const Machine machine(networks, m->reference->condition, anchors.size(2));
    const at::Tensor kept = anchors.index_select(2, at::tensor(held.places).to(anchors.device()));
    const at::Tensor latents = m->sample(machine, chunk, states->value, kept, held, cancel);
    if (!latents.defined())
        return cancelled();
    const at::Tensor pictures = machine.decoded(latents);
    if (const char* defect = defectOf(pictures))
        return fail(ErrorCode::Corrupt, std::string("The video network made ") + defect + " (join in front of " + nameOf(chunk) + ").");
    const at::Tensor shown = m->matched(pictures).narrow(2, plan.overlap, plan.joinWindow - plan.overlap - plan.joinAnchors);
    return Join{boxed(shown), boxed(latents), boxed(anchors)};
}

} // namespace loquor::stages
