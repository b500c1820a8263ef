// loquor-cli: the engine without a window.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "app/cli/label_options.h"
#include "core/platform/signals.h"

using namespace loquor;

namespace {

bool isOption(const std::string& word)
{
    return word.size() > 1 && word[0] == '-';
}

// CLI11 alone would only say that a command is missing.
bool complainUnknownCommand(const CLI::App& app, const char* word)
{
    if (!word || word[0] == '-')
        return false;
    std::string names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() == word)
            return false;
        names += (names.empty() ? "" : ", ") + command->get_name();
    }
    std::fprintf(stderr, "loquor-cli: there is no command '%s'. Commands: %s.\n", word, names.c_str());
    return true;
}

// CLI11 takes "--label=" for --label alone, which would put a text nobody gave on the picture.
bool complainEmptyLabel(int argc, char** argv)
{
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
        if (std::string_view(argv[i]) == "--label=") {
            std::fprintf(stderr, "--label: %s\n", cli::kEmptyLabel);
            return true;
        }
    }
    return false;
}

// What nobody knows comes first: it is often the misspelt form of what is missing then.
int complainUnreadable(const CLI::App& app, const CLI::ParseError& error)
{
    std::vector<std::string> unknown = app.remaining(true);
    std::erase(unknown, "--"); // kept by CLI11, known to everybody
    if (std::any_of(unknown.begin(), unknown.end(), isOption))
        std::erase_if(unknown, [](const std::string& word) { return !isOption(word); }); // their values
    if (error.get_exit_code() != 0 && !unknown.empty())
        return app.exit(CLI::ExtrasError(app.get_name(), std::move(unknown)));
    return app.exit(error);
}

int runCommandLine(int argc, char** argv, cli::Interrupts& interrupts)
{
    CLI::App app("Loquor makes a talking video of a person from a photo and speech.", "loquor-cli");
    app.require_subcommand(1);
    // The ranks inherit it. Asked for before the command begins, so that its first line is there.
    app.add_flag_callback(
        "-v,--verbose", [] { ::setenv("LOQUOR_LOG", "info", 0); }, "Also say on stderr what happens inside, for reports of faults");
    app.fallthrough();
    app.set_version_flag("--version", std::string("loquor-cli ") + LOQUOR_VERSION);
    app.footer("Exit codes: 0 done, 1 unexpected failure, 2 wrong options, 3 input, 4 face, 5 nothing to say,\n"
               "6 output, 7 engine, 8 check: not usable, 9 project in use, 10 some lines not rendered,\n"
               "130 interrupted. More: docs/cli.md");
    cli::Action action;
    const cli::CommandLine line{app, interrupts, action};
    cli::addRender(line);
    cli::addCheck(line);
    cli::addSay(line);
    cli::addPronounce(line);
    cli::addAlign(line);
    cli::addTranscribe(line);
    cli::addProject(line);
    cli::addVoices(line);
    cli::addPacks(line);
    cli::addDevices(line);
    cli::addVersion(line);
    cli::addChildren(line);
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (complainUnknownCommand(app, argc > 1 ? argv[1] : nullptr) ||
        ((first == "project" || first == "voices" || first == "packs") &&
         complainUnknownCommand(*app.get_subcommand(std::string(first)), argc > 2 ? argv[2] : nullptr)))
        return cli::kUsage;
    if (complainEmptyLabel(argc, argv))
        return cli::kUsage;
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return complainUnreadable(app, error) == 0 ? cli::kSuccess : cli::kUsage;
    }
    return action();
}

} // namespace

int main(int argc, char** argv)
{
    platform::ignorePipeAndSizeSignals();
    cli::Interrupts interrupts;
    // The second Ctrl-C does not wait for anything.
    const platform::InterruptWatch watch([&interrupts](int) {
        interrupts.add();
        if (interrupts.count() > 2)
            ::_exit(cli::kInterrupted);
    });
    try {
        return runCommandLine(argc, argv, interrupts);
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "loquor-cli: unexpected failure: %s\n", exception.what());
        return cli::kFailure;
    }
}
