// Autosave: unsaved work in the data folder, in several generations, and finding it after a crash.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/project/document.h"

namespace loquor::project {

inline constexpr int kAutosaveGenerations = 20;

// Where autosaves are by default: "autosave" in the data folder.
std::filesystem::path autosaveRoot();

// The autosaves of one open project (or of one unnamed piece of work). The owner saves a project in
// this order: store, saveProject, clean - then a crash between any two of them leaves nothing that
// is offered wrongly. One thread at a time; all calls block.
class Autosave
{
public:
    // `project` empty: work without a name, in a folder of its own. Generations that a crash left for
    // this project stay and are counted on. PermissionDenied when another process autosaves the same
    // project, and when the data folder cannot be written.
    static Result<Autosave> open(const std::filesystem::path& project,
                                 const std::filesystem::path& root = autosaveRoot());
    // Keeps the generations unless clean() was called: what is left is found by findRecoverable.
    ~Autosave();
    Autosave(Autosave&&) noexcept;
    Autosave& operator=(Autosave&&) noexcept;

    // Writes the next generation and removes the ones before the last 20. `base`: fingerprint of the
    // project file the work began with ("" = none). Nothing happens when nothing changed since the
    // last call. DiskFull and the like leave the earlier generations alone.
    Result<void> store(const Document& document, const std::string& base);
    // The work is saved or given up: removes all generations.
    void clean();
    const std::filesystem::path& folder() const;

private:
    struct Impl;
    explicit Autosave(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

// Work that nobody has open and that is newer than its file.
struct RecoverableWork
{
    std::filesystem::path generation; // the newest one that can be read
    std::filesystem::path project;    // empty: never had a name
    std::string savedAt;              // UTC, for people
    // The project file is not the one the work began with: both have changes.
    bool fileChangedSince = false;
    int generations = 0;
};

// Unsaved work of processes that are gone, newest first. A generation counts as newer than its file
// when it differs and the file is still the one the work began with - no clock is asked; only when
// the file was changed by something else do the times of the two files decide. Damaged generations
// are passed over for the one before; folders with nothing but damaged ones are removed.
std::vector<RecoverableWork> findRecoverable(const std::filesystem::path& root = autosaveRoot());

// The document of a generation, ready to be opened as a copy; `document.id` stays that of the project.
Result<Document> loadRecoverable(const RecoverableWork& work);
// Removes the work, unless somebody has it open by now.
void discardRecoverable(const RecoverableWork& work);

} // namespace loquor::project
