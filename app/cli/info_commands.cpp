// devices, version: what there is.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "core/base/json.h"
#include "core/packs/installed.h"
#include "core/packs/pack_finder.h"
#include "core/platform/memory.h"
#include "core/platform/paths.h"

using nlohmann::ordered_json;

namespace loquor::cli {

namespace {

std::string processorName()
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.starts_with("model name"))
            return line.substr(std::min(line.size(), line.find(':') + 2));
    }
    return "unknown processor";
}

int printDevices(bool json)
{
    const std::string name = processorName();
    const unsigned threads = std::thread::hardware_concurrency();
    const double memory = static_cast<double>(platform::totalMemory()) / 1e9;
    if (json) {
        const ordered_json out = ordered_json::array(
            {{{"id", "cpu"}, {"kind", "CPU"}, {"name", name}, {"threads", threads}, {"memory_gb", memory}, {"used", true}}});
        std::printf("%s\n", out.dump(2).c_str());
    } else {
        std::printf("cpu  %s, %u threads, %.1f GB of memory (used by the portrait engine)\n", name.c_str(), threads,
                    memory);
    }
    return kSuccess;
}

int printVersion(bool json)
{
    ordered_json packList = ordered_json::array();
    std::string packText;
    for (const packs::PackManifest& pack : packs::allPacks(packs::packFolders(platform::dataFolder()))) {
        if (!packs::checkInstalled(pack, platform::dataFolder() / "models"))
            continue;
        packList.push_back({{"id", pack.id}, {"version", pack.version}});
        packText += "pack " + pack.label() + "\n";
    }
    if (json)
        std::printf("%s\n", ordered_json{{"name", "loquor"}, {"version", LOQUOR_VERSION}, {"packs", packList}}.dump(2).c_str());
    else
        std::printf("loquor %s\n%s", LOQUOR_VERSION, packText.c_str());
    return kSuccess;
}

void addInfo(CommandLine line, const char* name, const char* description, int (*print)(bool))
{
    auto json = std::make_shared<bool>(false);
    CLI::App* app = line.app.add_subcommand(name, description);
    app->add_flag("--json", *json, "Machine-readable");
    app->callback([line, json, print] { line.action = [json, print] { return print(*json); }; });
}

} // namespace

void addDevices(CommandLine line)
{
    addInfo(line, "devices", "List what the engine can run on", printDevices);
}

void addVersion(CommandLine line)
{
    addInfo(line, "version", "Version of the program and its packs", printVersion);
}

} // namespace loquor::cli
