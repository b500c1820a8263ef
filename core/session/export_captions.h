// The captions of an export, or of a run.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "core/media/burnt_caption.h"
#include "core/session/project_assembly.h"
#include "core/session/project_values.h"
#include "core/speech/captions.h"

namespace loquor::session {

// Of the whole run, in its seconds; broken for a picture with this room, or by the rules of the language (room null).
std::vector<speech::CaptionCue> captionsOf(const std::vector<SaidText>& texts, const media::CaptionRoom* room);
std::vector<media::BurntCaption> burntCaptions(std::vector<speech::CaptionCue> cues);
// Srt, Vtt or VttWords; whole or not at all.
Result<void> writeCaptionFile(const std::filesystem::path& file, Captions captions, const std::vector<speech::CaptionCue>& cues);

} // namespace loquor::session
