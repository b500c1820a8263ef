// How far the solver looks beyond a chunk.
#pragma once

namespace loquor::stages {

// From the pack.
struct ContextReach
{
    double behindSeconds = 0.6, aheadSeconds = 0.6;
};

} // namespace loquor::stages
