// What can be said about a line without making its sound.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/project/document.h"

namespace loquor::project {

// True when something is to be said besides tags ("[smile]") and marks.
bool hasWords(std::string_view text);

// Seconds that saying `text` takes, pauses in tags included, by counting words and ideographs: within
// a quarter for usual voices. 0 when nothing is said.
double estimatedSeconds(std::string_view text);

// Of a recorded line what its recording lasts.
double estimatedSeconds(const Line& line);

// Seconds of silence behind line `index` of the scene: its own pause, else what core/speech gives the
// end of a sentence or of a paragraph (an empty line in the script); 0 after a line without words and,
// unless it asks for one, after the last.
double pauseSeconds(const Scene& scene, std::size_t index);

// The scene's where the line has none of its own.
const std::string& promptOf(const Scene& scene, const Line& line);
const std::string& voiceOf(const Scene& scene, const Line& line);

} // namespace loquor::project
