// What the ending of a name promises, and whether the content or the command keeps it. Before any work.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace loquor::session {

enum class Promise { Nothing = 1,
                     Picture,
                     Video,
                     Recording,
                     Project };
Promise promisedBy(const std::filesystem::path& file);

// First bytes of a file; empty when it has none or cannot be read.
std::string headOf(const std::filesystem::path& file);
// UTF-8 or UTF-16, by the first bytes.
bool looksLikeText(const std::string& head);

// For a text whose name promises another thing ("The name says that it is a picture (.jpg), but its content is
// text ..."); empty for other names.
std::string promiseBroken(const std::filesystem::path& text);
// Unsupported when the file is a text: no photo, clip or recording. `wanted`: "a photo or clip". Whatever else is
// wrong with it is for others to say.
Result<void> refuseText(const std::filesystem::path& file, const char* wanted);

// InvalidArgument when a file of that name would not be what its ending says. Nothing is said of empty names.
Result<void> checkVideoName(const std::filesystem::path& file);   // .mp4, .m4v
Result<void> checkSoundName(const std::filesystem::path& file);   // .wav, .flac, .mp3
Result<void> checkProjectName(const std::filesystem::path& file); // .loquor
// JSON: any name but those of pictures, videos, recordings and projects. `what`: "report".
Result<void> checkDataName(const std::filesystem::path& file, const char* what);

} // namespace loquor::session
