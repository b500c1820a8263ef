// The written form of reports: docs/report.md describes it. Stable: fields are added, never renamed.
#pragma once

#include <string>

#include "core/session/session.h"

namespace loquor::session {

std::string toJson(const RenderReport& report);
std::string toJson(const CheckReport& report);

} // namespace loquor::session
