// One writer per project: the lock a program holds while it has a project open for editing.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace loquor::project {

// Who has a project open; for people. Fields that could not be read are empty or 0.
struct LockHolder
{
    std::string program, host;
    int pid = 0;
    std::string since; // UTC, "2026-11-30 12:45:10"
};

struct LockOptions
{
    std::string program = "loquor";    // shown to others
    std::filesystem::path sharedFolder; // locks of this user; empty: in the data folder
    // For tests: what this machine is called, and whether the folder is on another one.
    std::string host;
    std::optional<bool> isRemote;
};

// Held from lockProject until destruction. Two files are locked: a hidden one beside the project (for
// other users and machines) and one in the data folder (for folders that cannot be written; same
// project by its real path). Locks of dead processes are taken over; files of living ones are never
// touched. On network file systems without working locks, a file left by another machine counts as
// held.
class ProjectLock
{
public:
    ~ProjectLock();
    ProjectLock(ProjectLock&&) noexcept;
    ProjectLock& operator=(ProjectLock&&) noexcept;

    // Whose lock was taken over, if somebody's: his program did not end in an orderly way.
    const std::optional<LockHolder>& takenOverFrom() const;
    // False when the project's folder cannot be written: nothing can be saved there either.
    bool isBesideProject() const;

private:
    friend struct LockAccess;
    struct Impl;
    explicit ProjectLock(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

// Exactly one of the two.
struct LockOutcome
{
    std::optional<ProjectLock> lock;
    std::optional<LockHolder> holder; // somebody else has it; it can still be opened for reading
};

// Never waits. The project need not exist yet. Errors: PermissionDenied when neither place can be
// locked.
Result<LockOutcome> lockProject(const std::filesystem::path& file, const LockOptions& options = {});

// "loquor-cli (process 12 on host, since 2026-11-30 12:45:10 UTC)", with what is known of it.
std::string describe(const LockHolder& holder);

// "The project 'a.loquor' is open in loquor (process 12 on host, since ... UTC). Close it there, or
// wait until that program has ended. Meanwhile ... project status." PermissionDenied.
Error projectInUse(const std::filesystem::path& file, const LockHolder& holder);

// Where the lock beside a project lies; names of any length are possible.
std::filesystem::path lockFileOf(const std::filesystem::path& file);

} // namespace loquor::project
