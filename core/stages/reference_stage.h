// First stage of a run: the person is made ready, once.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/pipeline/stage.h"
#include "core/stages/face_analysis.h"
#include "core/stages/reference_cache.h"
#include "core/stages/values.h"

namespace loquor::stages {

// photo or clip -> faces -> choice -> canvas -> landmarks and matte on the canvas -> model. Keeps the
// networks loaded between runs. `stamp` goes into the cache key: pack, version, network hashes.
class ReferenceStage : public pipeline::Stage<ReferenceRequest, ReferenceContext>
{
public:
    ReferenceStage(std::shared_ptr<FaceAnalysis> analysis, ReferenceCache cache, std::string stamp);
    const char* name() const override { return "reference"; }
    std::size_t memoryEstimate() const override { return 400u << 20; }
    Result<void> run(const pipeline::ChunkSpec& chunk, ReferenceRequest in,
                     const pipeline::Emit<ReferenceContext>& emit, const CancelToken& cancel) override;

private:
    Result<std::string> cacheKey(const ReferenceRequest& request, const CancelToken& cancel) const;
    Result<CachedReference> build(const ReferenceRequest& request, const CancelToken& cancel);

    std::shared_ptr<FaceAnalysis> m_analysis;
    ReferenceCache m_cache;
    std::string m_stamp;
};

} // namespace loquor::stages
