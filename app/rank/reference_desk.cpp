#include "app/rank/reference_desk.h"

#include <system_error>
#include <utility>

#include "core/pipeline/stage.h"
#include "core/platform/memory.h"

namespace loquor::rank {

namespace fs = std::filesystem;

namespace {

std::string stampOf(const packs::PackManifest& pack)
{
    std::string out = pack.label();
    for (const packs::ModuleSpec& module : pack.modules)
        out += ' ' + module.sha256;
    return out;
}

// Changes whenever the request or the file does; empty when the file cannot be looked at.
std::string memoryKey(const stages::ReferenceRequest& request)
{
    std::error_code error;
    const auto time = fs::last_write_time(request.file, error);
    const auto size = error ? 0 : fs::file_size(request.file, error);
    if (error)
        return {};
    const pipeline::RenderSettings& settings = request.settings;
    return request.file.string() + '|' + std::to_string(size) + '|' +
           std::to_string(time.time_since_epoch().count()) + '|' + std::to_string(settings.width) + 'x' +
           std::to_string(settings.height) + '|' + std::to_string(static_cast<int>(settings.framing)) + '|' +
           std::to_string(settings.faceIndex);
}

} // namespace

ReferenceDesk::ReferenceDesk(packs::PackManifest pack, fs::path modelsFolder, const fs::path& cacheFolder)
    : m_pack(std::move(pack)), m_modelsFolder(std::move(modelsFolder)),
      m_analysis(std::make_shared<stages::FaceAnalysis>(m_modelsFolder / m_pack.engine)),
      m_stage(std::make_shared<stages::ReferenceStage>(
          m_analysis, stages::ReferenceCache(cacheFolder / "references"), stampOf(m_pack)))
{
}

Result<void> ReferenceDesk::loadNetworks(const CancelToken& cancel)
{
    if (m_loaded)
        return {};
    LQ_CHECKED(packs::verifyModules(m_pack, m_modelsFolder, cancel));
    LQ_CHECKED(m_analysis->load());
    m_loaded = true;
    return {};
}

Result<void> ReferenceDesk::warmUp(const CancelToken& cancel)
{
    std::lock_guard lock(m_mutex);
    return loadNetworks(cancel);
}

Result<stages::ReferenceContext> ReferenceDesk::prepare(const stages::ReferenceRequest& request, Trace* trace,
                                                        const CancelToken& cancel)
{
    std::lock_guard lock(m_mutex);
    const std::string key = memoryKey(request);
    if (!m_last || key.empty() || key != m_lastKey) {
        m_last.reset();
        m_built.clear();
        Trace building(1);
        {
            const TraceScope scope(&building, m_stage->name());
            LQ_CHECKED(loadNetworks(cancel));
            LQ_TRY(m_last, pipeline::runOnce(*m_stage, request, cancel));
            platform::returnFreeMemory(); // of the networks and of some 150 pictures on the way
        }
        m_lastKey = key;
        m_built = building.events();
        m_builtCpu = building.totals()[m_stage->name()].cpuSeconds;
    }
    if (trace) {
        for (const TraceEvent& event : std::exchange(m_built, {}))
            trace->add(event, m_builtCpu);
    }
    return *m_last;
}

} // namespace loquor::rank
