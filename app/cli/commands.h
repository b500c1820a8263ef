// The commands of loquor-cli. Each adds itself to the command line and leaves what to run in `action`.
#pragma once

#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/session_loop.h"
#include "core/base/cancel.h"
#include "core/base/error.h"

namespace loquor::cli {

// What the chosen command does; gives the exit code.
using Action = std::function<int()>;

struct CommandLine
{
    CLI::App& app;
    Interrupts& interrupts;
    Action& action;
};

// Makes `line` run `work` when the command is chosen: Ctrl-C cancels it, an error is shown and becomes the
// exit code. `isComplete` is asked once the options are parsed and may throw CLI::RequiredError.
void runCancellable(CLI::App& command, CommandLine line, std::function<void()> isComplete,
                    std::function<Result<void>(const CancelToken&)> work);

void addRender(CommandLine line);
void addCheck(CommandLine line);
void addSay(CommandLine line);
void addPronounce(CommandLine line);
void addAlign(CommandLine line);
void addTranscribe(CommandLine line);
void addPacks(CommandLine line);
// The part of packs that is about weights of the open models.
void addWeights(CLI::App& packs, CommandLine line);
void addProject(CommandLine line);
void addVoices(CommandLine line);
void addDevices(CommandLine line);
void addVersion(CommandLine line);
// Commands that are programs of their own: evaluate, bench.
void addChildren(CommandLine line);

} // namespace loquor::cli
