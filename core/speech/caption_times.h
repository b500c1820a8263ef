// How long captions stay. Internal to this folder.
#pragma once

#include <vector>

#include "core/speech/captions.h"

namespace loquor::speech {

// Captions whose ends are those of their words: long enough to be read, never into the next one; short gaps become
// the usual one.
void setCaptionEnds(std::vector<CaptionCue>& cues, double until, const CaptionRules& rules);

} // namespace loquor::speech
