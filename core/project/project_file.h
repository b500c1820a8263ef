// .loquor files: UTF-8 JSON, versioned, written atomically. Paths of files inside the folder of the
// project are stored relative, so that a moved project still opens. Fields that this version does
// not know are kept. Nothing here depends on the locale. Blocking: call it off the UI thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/project/document.h"

namespace loquor::project {

inline constexpr int kFormatVersion = 1;

struct LoadedProject
{
    Document document;
    // Files the project uses that are not where it says: for one relink dialog.
    std::vector<std::filesystem::path> missing;
};

// NotFound, Unreadable, Corrupt (names the field), Unsupported (made by a newer version).
Result<LoadedProject> loadProject(const std::filesystem::path& file);

// Writes beside the target and renames, so that the old file stays whole whatever happens. Follows
// a link at `file`. PermissionDenied, DiskFull, NotFound (folder), InvalidArgument (not UTF-8).
Result<void> saveProject(const Document& document, const std::filesystem::path& file);

// The two steps without the file. `folder` is the one that relative paths belong to.
Result<std::string> toJson(const Document& document, const std::filesystem::path& folder);
Result<Document> fromJson(std::string_view json, const std::filesystem::path& folder);

} // namespace loquor::project
