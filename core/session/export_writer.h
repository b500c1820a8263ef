// An assembled project becomes a file.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/trace.h"
#include "core/session/project_assembly.h"
#include "core/session/session.h"

namespace loquor::session {

// Copies the streams when the request leaves size, quality and pictures as they were rendered, else encodes
// again. Blocks; tells how many frames are done. The file has its name only when it is whole and was
// probed; caption files beside it follow.
Result<RenderReport> writeExport(const ExportRequest& request, const Assembly& assembly,
                                 const std::function<void(std::int64_t)>& progress, Trace& trace,
                                 const CancelToken& cancel);

} // namespace loquor::session
