#include "app/cli/commands.h"

#include "app/cli/exit_codes.h"

namespace loquor::cli {

void runCancellable(CLI::App& command, CommandLine line, std::function<void()> isComplete,
                    std::function<Result<void>(const CancelToken&)> work)
{
    command.callback([line, isComplete = std::move(isComplete), work = std::move(work)] {
        isComplete();
        line.action = [line, work]() -> int {
            CancelSource cancel;
            line.interrupts.setHandler([&cancel] { cancel.cancel(); });
            const auto done = work(cancel.token());
            line.interrupts.setHandler({});
            return done ? kSuccess : complain(done.error());
        };
    });
}

} // namespace loquor::cli
