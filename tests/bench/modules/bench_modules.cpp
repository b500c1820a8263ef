// bench_modules: the time one network of ours takes for what lies in a folder (config.json, weights.safetensors,
// io.safetensors), as JSON. compare.py makes the folders and measures the Python side in the same run.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "app/parity/golden_case.h"
#include "core/modules/wan/encoders.h"
#include "core/modules/wan/tiny_autoencoder.h"
#include "core/modules/wan/wan_transformer.h"
#include "core/modules/wan/wan_vae.h"
#include "core/platform/memory.h"
#include "core/weights/network_specs.h"
#include "tests/bench/bench_options.h"

using namespace loquor;

namespace {

// One repetition, ready to be called again and again.
using Work = std::function<void()>;

Result<Work> stepOf(parity::GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readWanDitConfig(golden.configText(), golden.configFile()));
    LQ_TRY(const auto parameters, golden.load("weights.safetensors", weights::wanDitSpec(config)));
    const auto network = std::make_shared<const modules::WanTransformer>(config, parameters);
    const at::Tensor x = golden.io("x"), text = golden.io("text"), timestep = golden.io("timestep");
    const auto grid = network->grid(x.size(2), x.size(3), x.size(4));
    const auto context = network->context(text, {}); // the same in every step of a run
    return Work([=] { network->velocity(x, *grid, *network->modulation(timestep), context.get(), nullptr); });
}

Result<Work> vaeOf(parity::GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readWanVaeConfig(golden.configText(), golden.configFile()));
    LQ_TRY(const auto parameters, golden.load("weights.safetensors", weights::wanVaeSpec(config)));
    const auto network = std::make_shared<const modules::WanVae>(config, parameters);
    const at::Tensor latent = golden.io("latent");
    return Work([=] {
        modules::StreamMemory memory;
        for (std::int64_t i = 0; i < latent.size(2); ++i)
            network->decodeNext(latent.narrow(2, i, 1), memory);
    });
}

Result<Work> taehvOf(parity::GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readTinyAutoencoderConfig(golden.configText(), golden.configFile()));
    LQ_TRY(const auto parameters, golden.load("weights.safetensors", weights::tinyAutoencoderSpec(config)));
    const auto network = std::make_shared<const modules::TinyAutoencoder>(config, parameters);
    const at::Tensor latent = golden.io("latent");
    return Work([=] {
        modules::StreamMemory memory;
        for (std::int64_t i = 0; i < latent.size(1); ++i)
            network->decodeNext(latent.narrow(1, i, 1), memory);
    });
}

Result<Work> umt5Of(parity::GoldenCase& golden)
{
    LQ_TRY(const auto config, weights::readUmt5Config(golden.configText(), golden.configFile()));
    LQ_TRY(const auto parameters, golden.load("weights.safetensors", weights::umt5Spec(config)));
    const auto network = std::make_shared<const modules::Umt5Encoder>(config, parameters);
    const at::Tensor ids = golden.io("ids"), mask = at::ones_like(golden.io("ids"));
    return Work([=] { network->encode(ids, mask); });
}

// A product as large as those of the step: what the machine reaches at most.
Result<Work> productOf(parity::GoldenCase& golden)
{
    const at::Tensor a = golden.io("a"), b = golden.io("b");
    return Work([=] { at::mm(a, b); });
}

Result<Work> workOf(parity::GoldenCase& golden)
{
    const std::string kind = golden.config().at("kind").get<std::string>();
    if (kind == "wan-dit")
        return stepOf(golden);
    if (kind == "wan21-vae")
        return vaeOf(golden);
    if (kind == "taehv")
        return taehvOf(golden);
    if (kind == "umt5-encoder")
        return umt5Of(golden);
    if (kind == "product")
        return productOf(golden);
    return fail(ErrorCode::InvalidArgument, "The kind '" + kind + "' cannot be measured.");
}

double cpuSeconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int measure(const std::string& folder, int repeats)
{
    const auto golden = parity::GoldenCase::open(folder);
    if (!golden) {
        std::fprintf(stderr, "bench_modules: %s\n", golden.error().text().c_str());
        return 1;
    }
    const auto work = workOf(**golden);
    if (!work) {
        std::fprintf(stderr, "bench_modules: %s\n", work.error().text().c_str());
        return 1;
    }
    const std::uint64_t before = platform::memoryUse().rssBytes;
    std::ofstream("/proc/self/clear_refs") << "5"; // the peak is counted anew
    double best = 0;
    for (int i = 0; i < repeats; ++i) {
        const double started = cpuSeconds();
        (*work)();
        const double took = cpuSeconds() - started;
        best = i == 0 ? took : std::min(best, took);
    }
    std::printf("{\"cpu_seconds\": %.6f, \"peak_mb\": %.1f}\n", best, static_cast<double>(platform::memoryUse().peakRssBytes - before) / 1e6);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Measures one network: processor seconds of the best of several repetitions, memory on top of the weights.");
    std::string folder;
    int repeats = 2, threads = 1;
    app.add_option("DIR", folder, "Folder with config.json, weights.safetensors and io.safetensors")->required();
    app.add_option("--repeats", repeats, "Repetitions")->check(CLI::Range(1, 1000));
    app.add_option("--threads", threads, "Threads")->check(CLI::Range(1, 256));
    if (const auto code = bench::parse(app, argc, argv))
        return *code;
    at::set_num_threads(threads);
    return measure(folder, repeats);
}
