// packs verify, packs import: weights of the open models, judged by their headers and brought into one kind of file.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>

#include <unistd.h>

#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "app/cli/outputs.h"
#include "core/base/json.h"
#include "core/packs/installed.h"
#include "core/packs/pack_finder.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/weights/import.h"
#include "core/weights/published.h"

using nlohmann::ordered_json;

namespace loquor::cli {

namespace fs = std::filesystem;

namespace {

int verify(const std::string& folder, const std::string& name, bool json)
{
    const auto reports = weights::verifyWeights(folder, name);
    if (!reports)
        return complain(reports.error());
    bool good = true;
    ordered_json list = ordered_json::array();
    for (const weights::WeightsReport& report : *reports) {
        good = good && report.problem.empty();
        if (json) {
            list.push_back({{"file", report.source.string()}, {"network", report.network}, {"names", report.spelling}, {"tensors", report.tensors}, {"bytes", report.bytes}, {"problem", report.problem}});
            continue;
        }
        if (report.problem.empty())
            std::printf("%s: %s, complete (%zu tensors, %.1f GB, names of %s)\n", report.source.string().c_str(), report.network.c_str(), report.tensors,
                        static_cast<double>(report.bytes) / 1e9, report.spelling.c_str());
        else
            std::printf("%s\n", report.problem.c_str());
    }
    if (json)
        std::printf("%s\n", list.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
    return good ? kSuccess : kInput;
}

struct ImportArguments
{
    std::string source, name;
    bool overwrite = false;
};

Result<void> importNetwork(const ImportArguments& arguments, const CancelToken& cancel)
{
    LQ_TRY(const weights::PublishedNetwork* network, weights::publishedNetwork(arguments.name));
    LQ_TRY(const weights::CheckpointSpec spec, weights::specFor(*network, arguments.source));
    const fs::path folder = platform::dataFolder() / "models" / arguments.name, target = folder / "model.safetensors";
    LQ_CHECKED(platform::makeFolder(folder));
    weights::ImportOptions options;
    options.ifExists = ifExists(arguments.overwrite);
    const bool terminal = ::isatty(STDERR_FILENO) == 1;
    if (terminal)
        options.progress = [](double part) { std::fprintf(stderr, "\rcopying %3.0f %%", 100 * part); };
    const auto done = weights::importWeights(arguments.source, spec, target, options, cancel);
    if (terminal)
        std::fprintf(stderr, "\r\033[K");
    LQ_CHECKED(done);
    if (const auto config = weights::configFor(*network, arguments.source)) {
        LQ_TRY(const std::string text, platform::readTextFile(*config));
        LQ_CHECKED(platform::writeFile(folder / "config.json", text));
    }
    std::printf("Imported '%s' into %s.\n", arguments.name.c_str(), platform::quotedPath(folder).c_str());
    return {};
}

// A file of this name in `folder` or right below it.
std::optional<fs::path> findFile(const fs::path& folder, const fs::path& name)
{
    std::error_code error;
    if (fs::exists(folder / name, error))
        return folder / name;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        if (fs::exists(it->path() / name, ignored))
            return it->path() / name;
    }
    return std::nullopt;
}

Result<void> copyFile(const fs::path& source, const fs::path& target, bool overwrite)
{
    constexpr std::uintmax_t kMost = 256u << 20;
    LQ_CHECKED(platform::makeFolder(target.parent_path()));
    LQ_TRY(const std::vector<std::uint8_t> bytes, platform::readFile(source, kMost));
    LQ_CHECKED(platform::writeFile(target, bytes, ifExists(overwrite)));
    std::printf("Copied %s.\n", platform::quotedPath(target).c_str());
    return {};
}

// Everything of a pack that lies in the folder and right below it; networks that are in the data folder already may be
// missing there.
Result<void> importPack(const packs::PackManifest& pack, const std::vector<weights::WeightsReport>& found, const ImportArguments& arguments,
                        const CancelToken& cancel)
{
    const fs::path models = platform::dataFolder() / "models";
    for (const packs::ModuleSpec& module : pack.modules) {
        const auto report = std::ranges::find_if(found, [&](const weights::WeightsReport& r) { return r.problem.empty() && r.network == module.network; });
        std::error_code ignored;
        const bool there = fs::exists(models / module.file, ignored) && !arguments.overwrite;
        if (module.network.empty()) {
            const auto file = findFile(arguments.source, module.file.filename());
            if (file && !there)
                LQ_CHECKED(copyFile(*file, models / module.file, arguments.overwrite));
        } else if (report != found.end() && !there) {
            LQ_CHECKED(importNetwork({report->source.string(), module.network, arguments.overwrite}, cancel));
        }
    }
    LQ_CHECKED(packs::checkInstalled(pack, models));
    std::printf("The pack '%s' is complete.\n", pack.id.c_str());
    return {};
}

// A name may be that of a network and of a pack: a folder with several networks of the pack is taken for the pack.
Result<void> importAny(const ImportArguments& arguments, const CancelToken& cancel)
{
    const auto pack = packs::findPack(arguments.name, packs::packFolders(platform::dataFolder()));
    const bool isNetwork = weights::publishedNetwork(arguments.name).has_value();
    std::error_code ignored;
    if (pack && pack->isAvatar() && fs::is_directory(arguments.source, ignored)) {
        const auto found = weights::verifyWeights(arguments.source);
        std::set<std::string> networks;
        for (const packs::ModuleSpec& module : pack->modules) {
            if (found && std::ranges::any_of(*found, [&](const weights::WeightsReport& r) { return r.problem.empty() && r.network == module.network; }))
                networks.insert(module.network);
        }
        if (!isNetwork || networks.size() > 1) {
            if (!found)
                return fail(found.error());
            return importPack(*pack, *found, arguments, cancel);
        }
    }
    if (pack && !isNetwork)
        return fail(ErrorCode::InvalidArgument, "The pack '" + arguments.name + "' is imported from a folder that holds its networks.");
    return importNetwork(arguments, cancel);
}

} // namespace

void addWeights(CLI::App& packs, CommandLine line)
{
    auto folder = std::make_shared<std::string>();
    auto name = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    CLI::App* check = packs.add_subcommand("verify", "Are the weights in a folder complete, and of which network? Reads headers only");
    check->add_option("DIR", *folder, "Folder (or file) of weights")->required();
    check->add_option("--as", *name, "They must be of this network");
    check->add_flag("--json", *json, "Machine-readable");
    check->callback([line, folder, name, json] { line.action = [folder, name, json] { return verify(*folder, *name, *json); }; });

    auto arguments = std::make_shared<ImportArguments>();
    CLI::App* bring = packs.add_subcommand("import", "Bring published weights into the data folder, as one safetensors file");
    bring->add_option("SRC", arguments->source, "A .safetensors file, an index, a folder with one, or a PyTorch file (.pth)")->required();
    bring->add_option("--as", arguments->name, "The network they are of, or a pack of which the folder holds the networks")->required();
    bring->add_flag("--overwrite", arguments->overwrite, "Replace weights that are there");
    runCancellable(*bring, line, [] {}, [arguments](const CancelToken& cancel) { return importAny(*arguments, cancel); });
}

} // namespace loquor::cli
