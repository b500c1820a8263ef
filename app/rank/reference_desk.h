// References and checks of pictures: everything that needs the face networks, one at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/trace.h"
#include "core/packs/manifest.h"
#include "core/stages/face_analysis.h"
#include "core/stages/reference_stage.h"
#include "core/stages/values.h"

namespace loquor::rank {

// Any thread; calls wait for each other. Remembers the reference made last, so that preparing it ahead
// and rendering with it build it once.
class ReferenceDesk
{
public:
    // Checks the networks' checksums at the first use.
    ReferenceDesk(packs::PackManifest pack, std::filesystem::path modelsFolder,
                  const std::filesystem::path& cacheFolder);

    // The cost goes into the `trace` of the first run that uses the reference.
    Result<stages::ReferenceContext> prepare(const stages::ReferenceRequest& request, Trace* trace,
                                             const CancelToken& cancel);
    // Calls `use` while nobody else uses the networks.
    template<class Use>
    auto withAnalysis(Use&& use, const CancelToken& cancel) -> decltype(use(std::declval<stages::FaceAnalysis&>()))
    {
        std::lock_guard lock(m_mutex);
        LQ_CHECKED(loadNetworks(cancel));
        return use(*m_analysis);
    }
    // Loads the networks ahead of need.
    Result<void> warmUp(const CancelToken& cancel);

private:
    Result<void> loadNetworks(const CancelToken& cancel); // m_mutex held

    const packs::PackManifest m_pack;
    const std::filesystem::path m_modelsFolder;
    std::mutex m_mutex; // guards all below
    std::shared_ptr<stages::FaceAnalysis> m_analysis;
    std::shared_ptr<stages::ReferenceStage> m_stage;
    bool m_loaded = false;
    std::string m_lastKey;
    std::optional<stages::ReferenceContext> m_last;
    std::vector<TraceEvent> m_built; // one, when it was made and not put down to a run yet
    double m_builtCpu = 0;
};

} // namespace loquor::rank
