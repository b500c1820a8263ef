#include "app/cli/engine_packs.h"

#include <cstdio>

#include "app/cli/exit_codes.h"
#include "app/cli/option_values.h"
#include "app/cli/picture_options.h"
#include "core/packs/estimate.h"
#include "core/packs/installed.h"
#include "core/packs/pack_finder.h"
#include "core/packs/tiny_packs.h"
#include "core/platform/paths.h"

using nlohmann::ordered_json;

namespace loquor::cli {

namespace fs = std::filesystem;

void listEngines(ordered_json* json)
{
    for (const packs::PackManifest& pack : packs::allPacks(packs::packFolders(platform::dataFolder()))) {
        const auto installed = packs::checkInstalled(pack, platform::dataFolder() / "models");
        if (json)
            json->push_back({{"name", pack.id},
                             {"purpose", pack.description},
                             {"engine", pack.engine},
                             {"version", pack.version},
                             {"installed", installed.has_value()},
                             {"problem", installed ? "" : installed.error().text()},
                             {"size", {{"multiple", pack.sizeMultiple}, {"default", {pack.defaultWidth, pack.defaultHeight}}}}});
        else
            std::printf("%-30s %s\n  engine; %s\n", pack.id.c_str(), pack.description.c_str(), installed ? "installed" : installed.error().text().c_str());
    }
}

namespace {

struct EstimateArguments
{
    std::string pack, size;
    int devices = 1;
    bool json = false;
};

void print(const packs::PackManifest& pack, const packs::PackEstimate& e, int width, int height)
{
    std::printf("%s, %dx%d on %d device%s: %lld tokens, %.2f PFLOP for a chunk of %d frames, %.1f GB of memory on each device\n", pack.id.c_str(), width,
                height, e.devices, e.devices == 1 ? "" : "s", static_cast<long long>(e.tokens), e.petaflops, e.framesPerChunk, e.memoryGb);
    for (const packs::DeviceEstimate& kind : e.kinds)
        std::printf("  %-16s %s\n", kind.device.c_str(),
                    kind.fits ? (std::to_string(kind.secondsLow).substr(0, 5) + " to " + std::to_string(kind.secondsHigh).substr(0, 5) + " s a chunk, " +
                                 std::to_string(kind.realTime).substr(0, 4) + " x real time")
                                    .c_str()
                              : "does not fit into its memory");
}

ordered_json toJson(const packs::PackEstimate& e)
{
    ordered_json kinds = ordered_json::array();
    for (const packs::DeviceEstimate& kind : e.kinds)
        kinds.push_back({{"device", kind.device}, {"fits", kind.fits}, {"seconds_low", kind.secondsLow}, {"seconds_high", kind.secondsHigh}, {"real_time", kind.realTime}});
    return {{"tokens", e.tokens}, {"frames_per_chunk", e.framesPerChunk}, {"devices", e.devices}, {"petaflops", e.petaflops}, {"memory_gb", e.memoryGb}, {"kinds", kinds}};
}

int estimate(const EstimateArguments& arguments)
{
    const auto pack = packs::findPack(arguments.pack, packs::packFolders(platform::dataFolder()));
    if (!pack)
        return complain(pack.error());
    int width = pack->defaultWidth, height = pack->defaultHeight;
    if (!arguments.size.empty()) {
        const auto size = chosenSize(arguments.size, "");
        if (!size)
            return complain(size.error());
        width = size->width;
        height = size->height;
    }
    const auto result = packs::estimate(*pack, width, height, arguments.devices);
    if (!result)
        return complain(result.error());
    if (arguments.json)
        std::printf("%s\n", toJson(*result).dump(2).c_str());
    else
        print(*pack, *result, width, height);
    return kSuccess;
}

int makeTiny(const std::string& folder)
{
    const auto made = packs::makeTinyPacks(folder);
    if (!made)
        return complain(made.error());
    for (const fs::path& pack : *made)
        std::printf("%s\n", pack.string().c_str());
    return kSuccess;
}

} // namespace

void addEnginePacks(CLI::App& packs, CommandLine line)
{
    auto arguments = std::make_shared<EstimateArguments>();
    CLI::App* cost = packs.add_subcommand("estimate", "Memory and time that an engine of the open models takes on GPUs");
    cost->add_option("PACK", arguments->pack, "Engine pack: id or folder")->required();
    cost->add_option("--size", arguments->size, "Size of the video, WxH (the pack's own)");
    cost->add_option("--devices", arguments->devices, "How many share the work")->check(CLI::Range(1, 64))->capture_default_str();
    cost->add_flag("--json", arguments->json, "Machine-readable");
    cost->callback([line, arguments] { line.action = [arguments] { return estimate(*arguments); }; });

    auto folder = std::make_shared<std::string>();
    CLI::App* tiny = packs.add_subcommand("make-tiny", "Write tiny engines with random weights, to try the whole way anywhere");
    tiny->add_option("DIR", *folder, "Where; made when it is missing")->required();
    tiny->callback([line, folder] { line.action = [folder] { return makeTiny(*folder); }; });
}

} // namespace loquor::cli
