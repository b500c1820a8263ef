// The script of a scene as one text, and back. The lines are the master; the text is a view that can
// be edited: what scriptText gives is byte for byte what setScriptText was given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/project/ids.h"

namespace loquor::project {

std::string scriptText(const Scene& scene);

// Takes an edited text. Lines the edit did not touch stay as they are; what it touched is split into
// sentences as speech::parseScript does. A line that was changed in place or moved keeps its id,
// prompt, voice, pause and takes (longest common subsequence of lines, then equal texts elsewhere,
// then the most similar one at the same place); the others get new ids. Cost grows with the edit, not
// with the script, but for two passes over the bytes. A scene with recorded lines is refused (Unsupported): their
// sound cannot be split with their text. A text without any word becomes one line (or
// none when it is blank): it may be half typed. Errors leave the scene alone: Corrupt (not UTF-8),
// InvalidArgument (too long, NUL bytes).
Result<void> setScriptText(Scene& scene, std::string_view text, const IdSource& ids);

// The lines of a text, for adding to a scene; ids are new. EmptyInput when there is no word in it.
// `language` "": guessed.
Result<std::vector<Line>> linesOfText(std::string_view text, std::string_view language,
                                      const IdSource& ids);

// False when `left`, its white space and `right`, written as one text, would be read as one sentence.
bool boundarySurvives(const Line& left, const Line& right);

} // namespace loquor::project
