// What the engine says of files: the same answers for `check` and for `project new`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/session_loop.h"
#include "core/session/session.h"

namespace loquor::cli {

// What became of a file. `fault`: the engine could not look at it; its report says nothing about the file then.
struct CheckedFile
{
    session::CheckReport report;
    std::optional<Error> fault;
};

// One a file, in their order; Cancelled after Ctrl-C.
Result<std::vector<CheckedFile>> checkFiles(const std::vector<std::filesystem::path>& files,
                                            Interrupts& interrupts);

// Whether a file can be the person of a project, as `render` would say it: a photo or clip that decodes,
// with a face (`face` as of --face). What is to be expected comes back as warnings.
Result<std::vector<std::string>> checkPerson(const std::filesystem::path& file, int face, Interrupts& interrupts);

} // namespace loquor::cli
