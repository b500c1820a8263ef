#include "app/rank/program.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "app/rank/rank_server.h"
#include "core/base/guarded_thread.h"
#include "core/comm/rank_process.h"
#include "core/packs/pack_finder.h"
#include "core/platform/file_descriptor.h"
#include "core/platform/memory.h"
#include "core/platform/paths.h"
#include "core/platform/signals.h"

namespace loquor::rank {

namespace {

ServerOptions readOptions(int argc, char** argv)
{
    ServerOptions out;
    out.dataFolder = platform::dataFolder();
    out.cacheFolder = platform::cacheFolder();
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--preview")
            out.preview = true;
        else if (argument == "--data-folder" && i + 1 < argc)
            out.dataFolder = argv[++i];
        else if (argument == "--cache-folder" && i + 1 < argc)
            out.cacheFolder = argv[++i];
    }
    return out;
}

int complain(const Error& error)
{
    std::fprintf(stderr, "loquor-rank: %s\n", error.logText().c_str());
    return 1;
}

int serve(int argc, char** argv, std::shared_ptr<stages::FrameStage> behindDecode)
{
    ServerOptions options = readOptions(argc, argv);
    options.behindDecode = std::move(behindDecode);
    auto pack = packs::findPack("portrait", packs::packFolders(options.dataFolder));
    if (!pack)
        return complain(pack.error());
    std::optional<comm::FrameRing> ring;
    if (options.preview) {
        auto opened = comm::FrameRing::open(platform::FileDescriptor(comm::kRingDescriptor));
        if (!opened)
            return complain(opened.error());
        ring = std::move(*opened);
    }
    comm::Channel channel{platform::FileDescriptor(comm::kControlDescriptor)};
    RankServer server(options, channel, std::move(*pack), std::move(ring));
    return server.run();
}

} // namespace

int runProgram(int argc, char** argv, std::shared_ptr<stages::FrameStage> behindDecode)
{
    platform::returnLargeBlocksAtOnce();
    platform::ignorePipeAndSizeSignals();
    int exitCode = EXIT_FAILURE;
    const auto all = [&] { exitCode = serve(argc, argv, std::move(behindDecode)); };
    if (const auto error = caught("serving the session", all))
        logCaught(*error);
    return exitCode;
}

} // namespace loquor::rank
