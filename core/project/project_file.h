// .loquor files: UTF-8 JSON, versioned, written atomically; docs/project.md describes the format.
// Paths of files inside the folder of the project are stored relative, so that a moved project still
// opens. Fields that this version does not know are kept. Nothing here depends on the locale.
// Blocking: call it off the UI thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/project/document.h"
#include "core/project/ids.h"

namespace loquor::project {

inline constexpr int kFormatVersion = 2;

struct LoadedProject
{
    Document document; // project and lines have ids
    // Files the project uses that are not where it says: for one relink dialog.
    std::vector<std::filesystem::path> missing;
    std::vector<std::string> warnings; // sentences for people
    std::string fingerprint;           // of the file as read; see saveProject
    // The file is of an older version or its ids are not in it: save before anything is stored
    // elsewhere under an id of this document.
    bool mustBeSaved = false;
};

// NotFound, Unreadable, Corrupt (names the field), Unsupported (made by a newer version).
Result<LoadedProject> loadProject(const std::filesystem::path& file);

// Writes beside the target and renames, so that the old file stays whole whatever happens. Follows
// a link at `file`. A file of an older version is kept once as "<name>.v1". Gives the fingerprint of
// the new file. PermissionDenied (also when `expectedFingerprint` is given and the file there is another
// by now), DiskFull, NotFound (folder), InvalidArgument (not UTF-8).
Result<std::string> saveProject(const Document& document, const std::filesystem::path& file,
                                const std::string& expectedFingerprint = {});

// Files the document uses that are not there.
std::vector<std::filesystem::path> missingFiles(const Document& document);

// Changes whenever the content of the file does.
Result<std::string> fingerprintOf(const std::filesystem::path& file);

// The two steps without the file. `folder` is the one that relative paths belong to. fromJson gives
// lines without an id one that depends on the content alone; a project without one keeps 0.
struct ReadNotes
{
    int version = 0;                   // of the file
    bool idsGiven = false;             // some line had none
    std::vector<std::string> warnings; // sentences for people
};
Result<std::string> toJson(const Document& document, const std::filesystem::path& folder);
Result<Document> fromJson(std::string_view json, const std::filesystem::path& folder,
                          ReadNotes* notes = nullptr);

} // namespace loquor::project
