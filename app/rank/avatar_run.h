// Runs of the open models: FlashTalk and FlashHead, with SwiftVR behind.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/rank/portrait_run.h"
#include "core/packs/manifest.h"
#include "core/stages/avatar/avatar_stages.h"
#include "core/stages/speech_track.h"

namespace loquor::rank {

// The networks of the pack used last, and the person made ready last. Any thread; calls wait for each other.
class AvatarDesk
{
public:
    explicit AvatarDesk(std::filesystem::path modelsFolder) : m_modelsFolder(std::move(modelsFolder)) {}

    struct Ready
    {
        stages::AvatarNetworksPtr networks;
        stages::AvatarReferencePtr reference;
    };
    Result<Ready> prepare(const packs::PackManifest& pack, const stages::ReferenceRequest& request, const CancelToken& cancel);
    stages::AvatarFiles filesOf(const packs::PackManifest& pack) const;

private:
    const std::filesystem::path m_modelsFolder;
    std::mutex m_mutex; // guards all below
    std::string m_packKey, m_referenceKey;
    std::optional<Ready> m_ready;
};

// Blocks until the video is finished, failed or cancelled. Lines arrive through `track` meanwhile.
Result<comm::RenderDone> runAvatar(const comm::StartRender& job, std::shared_ptr<stages::SpeechTrack> track,
                                   const packs::PackManifest& pack, AvatarDesk& desk, const RunTools& tools,
                                   const CancelToken& cancel);

} // namespace loquor::rank
