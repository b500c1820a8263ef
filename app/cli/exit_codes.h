// What the program's exit codes mean; docs/cli.md has the table.
#pragma once

#include "core/base/error.h"

namespace loquor::cli {

enum ExitCode : int {
    kSuccess = 0,
    kFailure = 1,      // unexpected: a fault of this program, or of the machine
    kUsage = 2,        // options and values
    kInput = 3,        // an input is missing, unreadable, damaged or of the wrong kind
    kFace = 4,         // no face, several faces, a profile
    kNothingToSay = 5, // empty text, silent or empty recording
    kOutput = 6,       // the target exists, cannot be written, the disk is full
    kEngine = 7,       // the engine process died, hung or ran out of memory
    kNotUsable = 8,    // check: at least one file will not work
    kInUse = 9,        // project: another program has it open
    kIncomplete = 10,  // project: some lines could not be made, or are not rendered
    kInterrupted = 130,
};

ExitCode exitCodeFor(const Error& error);

// Prints "loquor-cli: <text>" to stderr and gives the exit code.
int complain(const Error& error);

} // namespace loquor::cli
