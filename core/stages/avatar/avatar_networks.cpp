#include "core/stages/avatar/avatar_networks.h"

#include <ATen/ATen.h>

#include "core/modules/wan/encoders.h"
#include "core/modules/wan/swift_vr.h"
#include "core/modules/wan/tiny_autoencoder.h"
#include "core/modules/wan/wan_transformer.h"
#include "core/modules/wan/wan_vae.h"
#include "core/platform/atomic_file.h"
#include "core/weights/network_specs.h"

namespace loquor::stages {

namespace fs = std::filesystem;
using modules::Parameters;

AvatarNetworks::AvatarNetworks() = default;
AvatarNetworks::~AvatarNetworks() = default;

Result<NetworkFiles> openNetwork(const AvatarFiles& files, const char* role)
{
    const auto found = files.find(role);
    if (found == files.end())
        return fail(ErrorCode::Corrupt, std::string("The pack names no weights for its network '") + role + "'.");
    NetworkFiles out;
    auto opened = weights::Checkpoint::open(found->second);
    if (!opened)
        return fail(std::move(opened).error().addContext(std::string("opening the network '") + role + '\''));
    out.checkpoint = std::move(*opened);
    std::error_code ignored;
    const fs::path folder = fs::is_directory(found->second, ignored) ? found->second : found->second.parent_path();
    const fs::path config = folder / "config.json";
    out.configFile = config.string();
    out.config = "{}";
    if (fs::exists(config, ignored)) {
        LQ_TRY(out.config, platform::readTextFile(config));
    }
    return out;
}

namespace {

// Loads one network: `read` makes its config, `make` the network.
template<class Config, class Network>
Result<std::unique_ptr<const Network>> loadNetwork(AvatarNetworks& all, const char* role, Result<Config> (*read)(std::string_view, const std::string&),
                                                   weights::CheckpointSpec (*spec)(const Config&), Config* kept = nullptr)
{
    LQ_TRY(const NetworkFiles files, openNetwork(all.files, role));
    LQ_TRY(const Config config, read(files.config, files.configFile));
    LQ_TRY(const Parameters parameters, Parameters::load(files.checkpoint, spec(config), all.placement));
    for (const auto& [name, tensor] : files.checkpoint->tensors())
        all.weightBytes += tensor.data.size();
    if (kept)
        *kept = config;
    return std::make_unique<const Network>(config, parameters);
}

Result<weights::WanDitConfig> readFlashTalk(std::string_view text, const std::string& file)
{
    return weights::readWanDitConfig(text, file, weights::AudioPath::Extra);
}
Result<weights::WanDitConfig> readFlashHead(std::string_view text, const std::string& file)
{
    return weights::readWanDitConfig(text, file, weights::AudioPath::InsteadOfText);
}
Result<weights::TinyAutoencoderConfig> readTaehv(std::string_view text, const std::string& file)
{
    return weights::readTinyAutoencoderConfig(text, file);
}

Result<std::shared_ptr<const modules::SwiftVr>> loadRestorer(AvatarNetworks& all)
{
    LQ_TRY(const NetworkFiles restorer, openNetwork(all.files, kRestorerNetwork));
    LQ_TRY(const NetworkFiles codec, openNetwork(all.files, kRestorerCodec));
    LQ_TRY(const NetworkFiles prompt, openNetwork(all.files, kRestorerPrompt));
    modules::SwiftVr::Networks config;
    LQ_TRY(config.restorer, weights::readWanDitConfig(restorer.config, restorer.configFile));
    LQ_TRY(config.autoencoder, weights::readTinyAutoencoderConfig(codec.config, codec.configFile, weights::reaeConfig()));
    LQ_TRY(const Parameters first, Parameters::load(restorer.checkpoint, weights::wanDitSpec(config.restorer), all.placement));
    LQ_TRY(const Parameters second, Parameters::load(codec.checkpoint, weights::tinyAutoencoderSpec(config.autoencoder), all.placement));
    LQ_TRY(const weights::TensorView words, prompt.checkpoint->tensor("prompt_emb"));
    const std::int64_t width = config.restorer.textWidth;
    if (words.shape.empty() || words.shape.back() != width || config.restorer.channelsIn != config.autoencoder.latents)
        return fail(ErrorCode::Corrupt, "The parts of SwiftVR do not fit each other: prompt " + weights::toString(words.shape) + ", text width " +
                                            std::to_string(width) + ", latents " + std::to_string(config.autoencoder.latents) + " and " +
                                            std::to_string(config.restorer.channelsIn) + '.');
    weights::CheckpointSpec spec;
    spec.network = "the prompt of SwiftVR";
    spec.tensors = {{"prompt_emb", words.shape}};
    spec.spellings = {weights::ownSpelling("SwiftVR")};
    LQ_TRY(const Parameters loaded, Parameters::load(prompt.checkpoint, spec, all.placement));
    return std::make_shared<const modules::SwiftVr>(config, first, second, loaded["prompt_emb"].reshape({-1, width}));
}

Result<void> checkSound(const AvatarNetworks& all, const weights::Wav2Vec2Config& sound)
{
    const weights::AudioProjectorConfig& audio = all.videoConfig.audio;
    if (sound.layers != audio.blocks || sound.width != audio.channels)
        return fail(ErrorCode::Corrupt, "The sound encoder does not fit the video network: it gives " + std::to_string(sound.layers) + " layers of " +
                                            std::to_string(sound.width) + ", " + std::to_string(audio.blocks) + " of " + std::to_string(audio.channels) +
                                            " are expected.");
    return {};
}

Result<std::shared_ptr<AvatarNetworks>> loadVideo(const AvatarPlan& plan, const AvatarFiles& files, const modules::Placement& placement)
{
    auto all = std::make_shared<AvatarNetworks>();
    all->plan = plan;
    all->files = files;
    all->placement = placement;
    const auto read = plan.model == AvatarModel::FlashTalk ? readFlashTalk : readFlashHead;
    LQ_TRY(all->video, (loadNetwork<weights::WanDitConfig, modules::WanTransformer>(*all, kVideoNetwork, read, weights::wanDitSpec, &all->videoConfig)));
    LQ_TRY(all->vae, (loadNetwork<weights::WanVaeConfig, modules::WanVae>(*all, kVaeNetwork, weights::readWanVaeConfig, weights::wanVaeSpec)));
    if (plan.decoder == AvatarDecoder::Taehv) {
        LQ_TRY(all->preview, (loadNetwork<weights::TinyAutoencoderConfig, modules::TinyAutoencoder>(*all, kPreviewNetwork, readTaehv, weights::tinyAutoencoderSpec)));
    }
    return all;
}

} // namespace

Result<AvatarNetworksPtr> loadVideoNetworks(const AvatarPlan& plan, const AvatarFiles& files, const modules::Placement& placement)
{
    LQ_TRY(AvatarNetworksPtr out, loadVideo(plan, files, placement));
    return out;
}

Result<AvatarNetworksPtr> loadAvatarNetworks(const AvatarPlan& plan, const AvatarFiles& files, const modules::Placement& placement)
{
    LQ_TRY(const std::shared_ptr<AvatarNetworks> all, loadVideo(plan, files, placement));
    weights::Wav2Vec2Config sound;
    LQ_TRY(all->sound, (loadNetwork<weights::Wav2Vec2Config, modules::Wav2Vec2Encoder>(*all, kSoundNetwork, weights::readWav2Vec2Config, weights::wav2vec2Spec, &sound)));
    LQ_CHECKED(checkSound(*all, sound));
    if (plan.scale > 1) {
        LQ_TRY(all->restorer, loadRestorer(*all));
    }
    return AvatarNetworksPtr(all);
}

} // namespace loquor::stages
