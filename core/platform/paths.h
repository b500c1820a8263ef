// Where the program keeps its things (XDG base directories), and paths as text for people.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace loquor::platform {

// Models, voices, packs, media: $LOQUOR_DATA_DIR, else $XDG_DATA_HOME/loquor, else
// ~/.local/share/loquor. Relative values of XDG variables are ignored, as the specification says.
// None of these functions creates anything.
std::filesystem::path dataFolder();
// Things that can be made again: $LOQUOR_CACHE_DIR, $XDG_CACHE_HOME/loquor, ~/.cache/loquor.
std::filesystem::path cacheFolder();
// Settings: $LOQUOR_CONFIG_DIR, $XDG_CONFIG_HOME/loquor, ~/.config/loquor.
std::filesystem::path configFolder();
// The folder that holds the running program: helper programs lie beside it.
std::filesystem::path programFolder();
// $HOME, else what the user database says, else "/".
std::filesystem::path homeFolder();

// Makes the folder and its parents, for this user only. Fails with the name and the cause.
Result<> makeFolder(const std::filesystem::path& folder);

// The path in single quotes for messages: control characters and invalid UTF-8 are shown as escapes
// ("\n", "\x1b"), so a message stays one line and a terminal is not driven by a file name.
std::string quotedPath(const std::filesystem::path& path);

// True when both name the same existing file, also through links.
bool isSameFile(const std::filesystem::path& a, const std::filesystem::path& b);

// Longest file name (not path) in bytes on Linux file systems.
inline constexpr std::size_t kMaxNameBytes = 255;

// Shortens UTF-8 text to at most `maxBytes` bytes without cutting a character in two.
std::string truncatedUtf8(std::string_view text, std::size_t maxBytes);

// A file name made of any text ("Grüße: was nun?" + ".mp4"): characters that some file system
// refuses become '_', length is limited in bytes, names that Windows reserves get a '_'. Never
// empty.
std::string safeFileName(std::string_view text, std::string_view extension = {});

} // namespace loquor::platform
