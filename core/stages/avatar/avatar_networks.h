// The networks of an avatar engine, loaded.
#pragma once

#include <memory>

#include "core/base/error.h"
#include "core/modules/wan/parameters.h"
#include "core/stages/avatar/avatar_plan.h"
#include "core/weights/network_config.h"

namespace loquor::modules {
class SwiftVr;
class TinyAutoencoder;
class WanTransformer;
class WanVae;
class Wav2Vec2Encoder;
} // namespace loquor::modules

namespace loquor::stages {

// Immutable and shared by the stages. Weights are views of the mapped files where they can be.
struct AvatarNetworks
{
    AvatarPlan plan;
    AvatarFiles files; // the encoders of text and image are loaded from here when a reference is made
    modules::Placement placement;
    weights::WanDitConfig videoConfig;
    std::uint64_t weightBytes = 0; // of what is loaded
    std::unique_ptr<const modules::WanTransformer> video;
    std::unique_ptr<const modules::WanVae> vae;
    std::unique_ptr<const modules::TinyAutoencoder> preview; // with AvatarDecoder::Taehv
    std::unique_ptr<const modules::Wav2Vec2Encoder> sound;
    std::shared_ptr<const modules::SwiftVr> restorer;        // with scale > 1

    AvatarNetworks();
    ~AvatarNetworks();
};
using AvatarNetworksPtr = std::shared_ptr<const AvatarNetworks>;

// Errors name the network and what it lacks; Corrupt when two networks do not fit each other.
Result<AvatarNetworksPtr> loadAvatarNetworks(const AvatarPlan& plan, const AvatarFiles& files, const modules::Placement& placement);
// Without sound encoder and restorer: for chunks whose hearing comes from elsewhere.
Result<AvatarNetworksPtr> loadVideoNetworks(const AvatarPlan& plan, const AvatarFiles& files, const modules::Placement& placement);

// One network: its weights, and the config.json beside them ("{}" when there is none).
struct NetworkFiles
{
    std::shared_ptr<const weights::Checkpoint> checkpoint;
    std::string config, configFile;
};
Result<NetworkFiles> openNetwork(const AvatarFiles& files, const char* role);

} // namespace loquor::stages
