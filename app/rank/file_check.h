// What a picture or clip is and whether it can talk.
#pragma once

#include <filesystem>

#include "app/rank/reference_desk.h"
#include "core/comm/messages.h"

namespace loquor::rank {

// Never fails: what goes wrong is a problem in the report.
comm::FileChecked checkPicture(const comm::CheckFile& request, ReferenceDesk& desk, const CancelToken& cancel);

} // namespace loquor::rank
