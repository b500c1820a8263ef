// The words of motion prompts and of directions in scripts. A library of its own (Loquor::motion_words): programs
// that only want to know whether a word means something need nothing else of this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace loquor::portrait {

// Directions the script may give, at a time of the run: from tags ([smile], [nod], ...).
enum class CueKind {
    None = 0,
    Smile,
    Serious,
    Nod,
    Shake,
    LookLeft,
    LookRight,
    LookUp,
    LookDown,
    LookCamera,
    BrowUp,
    BrowDown,
    Blink,
};
// How lively the person is; set by the prompt and the user.
struct Style
{
    double energy = 1;      // 0..2 scale of mouth amplitude
    double headMotion = 1;  // 0..3 scale of head, brow and gaze motion
    double smile = 0;       // 0..1 held expression
};

// Reads a motion prompt ("calm, smiling, less head motion") into a style and reports the words it did
// not understand. Vocabulary: core/portrait/DESIGN.md.
struct PromptReading
{
    Style style;
    std::vector<std::string> unknown;
};
PromptReading readPrompt(const std::string& prompt, Style base = {});
// "look left" -> LookLeft (left on the screen); nothing when the tag is not a motion tag. `tag` comes
// without brackets; case and extra spaces do not matter.
std::optional<CueKind> cueFromTag(const std::string& tag);

} // namespace loquor::portrait
