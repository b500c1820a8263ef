// The whole worker process but its main function, so that tests can build one with a stage that fails.
#pragma once

#include <memory>

#include "core/stages/project_chain.h"

namespace loquor::rank {

// Serves the session at descriptor 3 until it is gone or says so; returns the exit code. `behindDecode` works on
// the pictures of project runs before they are looked at; null in the product.
int runProgram(int argc, char** argv, std::shared_ptr<stages::FrameStage> behindDecode = nullptr);

} // namespace loquor::rank
