// The captions of an export.
#pragma once

#include <string>
#include <vector>

#include "core/media/burnt_caption.h"
#include "core/session/project_assembly.h"
#include "core/speech/captions.h"

namespace loquor::session {

// Of the whole run, in its seconds; broken for a picture with this room, or by the rules of the language (room null).
std::vector<speech::CaptionCue> captionsOf(const std::vector<SaidText>& texts, const media::CaptionRoom* room);
std::vector<media::BurntCaption> burntCaptions(std::vector<speech::CaptionCue> cues);

} // namespace loquor::session
