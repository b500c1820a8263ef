// packs: the engines that are known, what they take, and tiny ones for tests.
#pragma once

#include "app/cli/commands.h"
#include "core/base/json.h"

namespace loquor::cli {

// Prints the engines, or adds them to `json`.
void listEngines(nlohmann::ordered_json* json);
// estimate, make-tiny
void addEnginePacks(CLI::App& packs, CommandLine line);

} // namespace loquor::cli
