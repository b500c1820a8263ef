// What travels inside an exported video, so that a project can be made of it again: settings, lines
// with their ids, seed, engine and hashes. Names of files, never their folders; no names of users or
// machines. The format stands in docs/project.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/project/document.h"

namespace loquor::project {

// The tag of the MP4 file that holds the settings.
inline constexpr const char* kSettingsTag = "com.loquor.project";

// What the run adds to the document.
struct ExportFacts
{
    std::string product;   // "Loquor 0.1.0"; "" = this version
    std::string packLabel; // "portrait 3"
    std::map<std::string, std::string> weights; // name of a network -> SHA-256
    std::uint64_t seed = 0;                     // the one that was used
    // SHA-256 of the files the document uses; those that are not here travel by name alone.
    std::map<std::filesystem::path, std::string> fileHashes;
};

// JSON. InvalidArgument when a text or file name is not UTF-8.
Result<std::string> exportedSettings(const Document& document, const ExportFacts& facts);

// A file the video was made of.
struct SourceFile
{
    std::filesystem::path file; // in the folder given to projectFromSettings
    std::string sha256;         // "" = not known

    bool operator==(const SourceFile&) const = default;
};
struct ImportedSettings
{
    Document document; // ids of lines as they were; the project id is that of the original
    ExportFacts facts; // without fileHashes
    std::vector<SourceFile> sources;
};

// The way back. `folder`: where the files are taken to be; the new project's. Corrupt (says what),
// Unsupported (made by a newer version).
Result<ImportedSettings> projectFromSettings(std::string_view json,
                                             const std::filesystem::path& folder);

// Puts `to` in the place of `from` wherever the document uses that file.
void replaceFile(Document& document, const std::filesystem::path& from,
                 const std::filesystem::path& to);

} // namespace loquor::project
