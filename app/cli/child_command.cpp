// evaluate, parity and bench: programs of their own, run with the arguments that follow.
#include <cstdio>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "core/platform/child_process.h"
#include "core/platform/paths.h"

namespace loquor::cli {

namespace {

int runBeside(const std::string& program, std::vector<std::string> arguments, const char* howToGet,
              Interrupts& interrupts)
{
    const std::filesystem::path path = platform::programFolder() / program;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        std::fprintf(stderr, "loquor-cli: %s is not installed. %s\n", program.c_str(), howToGet);
        return kUsage;
    }
    platform::ChildOptions options;
    options.program = path;
    options.arguments = std::move(arguments);
    options.standardInput = platform::Stream::Inherit;
    auto child = platform::ChildProcess::start(options);
    if (!child)
        return complain(child.error());
    interrupts.setHandler([&child] { child->terminate(); });
    const platform::ExitStatus status = child->wait();
    interrupts.setHandler({});
    if (interrupts.count() > 0)
        return kInterrupted;
    if (status.signal != 0) {
        std::fprintf(stderr, "loquor-cli: %s %s\n", program.c_str(), status.describe().c_str());
        return kFailure;
    }
    return status.code;
}

} // namespace

void addChildren(CommandLine line)
{
    CLI::App* evaluate = line.app.add_subcommand("evaluate", "Measure a finished video (loquor-evaluate)");
    evaluate->prefix_command();
    evaluate->fallthrough(false);
    evaluate->set_help_flag();
    evaluate->callback([line, evaluate] {
        line.action = [line, arguments = evaluate->remaining()] {
            return runBeside("loquor-evaluate", arguments,
                             "Build it: cmake --build build/release --target loquor-evaluate (it needs dlib).",
                             line.interrupts);
        };
    });
    CLI::App* parity = line.app.add_subcommand("parity", "Compare the networks of the open models with reference numbers (loquor-parity)");
    parity->prefix_command();
    parity->fallthrough(false);
    parity->set_help_flag();
    parity->callback([line, parity] {
        line.action = [line, arguments = parity->remaining()] {
            return runBeside("loquor-parity", arguments, "It is part of every installation: install Loquor again.", line.interrupts);
        };
    });
    CLI::App* bench = line.app.add_subcommand("bench", "Measure this machine: bench portrait, project, engine, speech, align");
    bench->prefix_command();
    bench->fallthrough(false);
    bench->set_help_flag();
    bench->callback([line, bench] {
        std::vector<std::string> arguments = bench->remaining();
        if (arguments.empty() || arguments[0].starts_with('-'))
            throw CLI::RequiredError("The name of a benchmark (portrait, project, engine, speech, align)");
        line.action = [line, arguments]() mutable {
            const std::string name = arguments[0];
            arguments.erase(arguments.begin());
            return runBeside("bench_" + name, arguments, "Benchmarks are built with -DLOQUOR_BUILD_TESTS=ON.",
                             line.interrupts);
        };
    });
}

} // namespace loquor::cli
