// Internal to core/portrait.
#pragma once

#include "core/portrait/reference_work.h"

namespace loquor::portrait {

// Gives each vertex without depth (NaN) one: from the face outwards over skull and hair. Needs the
// operators of the mesh and the person mask.
void solveDepth(ReferenceWork& work);

} // namespace loquor::portrait
