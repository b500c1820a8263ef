// loquor-parity: compares the networks with reference numbers of their published implementations.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>

#include "app/parity/golden_case.h"
#include "core/platform/signals.h"

using namespace loquor;

namespace {

enum ExitStatus {
    kEqual = 0,
    kMiss = 1,
    kNotCompared = 2,
};

// Prints the rows of a case: all of them, or those that miss.
bool printCase(const std::string& name, const std::vector<parity::Row>& rows, bool brief)
{
    const auto misses = std::count_if(rows.begin(), rows.end(), [](const parity::Row& row) { return row.isMiss(); });
    for (const parity::Row& row : rows) {
        if (brief && !row.isMiss())
            continue;
        if (row.fault.empty())
            std::printf("%s  %s  worst error %.3g, %.3g of what is allowed  %s\n", name.c_str(), row.tensor.c_str(), row.worst, row.share, row.isMiss() ? "MISS" : "ok");
        else
            std::printf("%s  %s  %s  MISS\n", name.c_str(), row.tensor.c_str(), row.fault.c_str());
    }
    double share = 0;
    for (const parity::Row& row : rows)
        share = std::max(share, row.share);
    std::printf("%s: %zu tensors compared, the worst at %.3g of what is allowed, %td missed: %s\n", name.c_str(), rows.size(), share, misses, misses == 0 ? "ok" : "MISS");
    std::fflush(stdout);
    return misses == 0;
}

int run(const std::vector<std::string>& folders, bool brief)
{
    bool equal = true, compared = true;
    for (const std::string& folder : folders) {
        const auto rows = parity::runCase(folder);
        if (!rows) {
            std::fprintf(stderr, "loquor-parity: %s\n", rows.error().text().c_str());
            compared = false;
            continue;
        }
        std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
        equal = printCase((path.has_filename() ? path : path.parent_path()).filename().string(), *rows, brief) && equal;
    }
    return !equal ? kMiss : compared ? kEqual
                                     : kNotCompared;
}

} // namespace

int main(int argc, char** argv)
{
    ::setenv("OMP_NUM_THREADS", "1", 1);
    platform::ignorePipeAndSizeSignals();
    try {
        CLI::App app("Compares the networks of the open models with reference numbers: folders with config.json, weights and "
                     "io.safetensors.\nExit status: 0 all within the tolerance of their config, 1 at least one is not, 2 a folder could not be compared.");
        std::vector<std::string> folders;
        bool brief = false;
        app.add_option("DIR", folders, "Folders of reference cases")->required();
        app.add_flag("--brief", brief, "Print the summary of each case and what misses");
        try {
            app.parse(argc, argv);
        } catch (const CLI::ParseError& e) {
            return app.exit(e) == 0 ? kEqual : kNotCompared;
        }
        at::set_num_threads(1);
        return run(folders, brief);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "loquor-parity: internal error: %s\n", e.what());
        return kNotCompared;
    }
}
