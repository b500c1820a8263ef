// What the chunk store costs, as medians in wall time and CPU time of the thread:
//   bench_store [--entries N] [--memory FOLDER] [--disk FOLDER]
// Fills a store of N entries (10,000) in the memory folder (/dev/shm), opens it, opens it without its index,
// finds entries, verifies and reads parts; commits entries of 200 KB on the disk (the temporary folder), where
// the time is that of the disk's syncs. Prints JSON; removes what it made.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include <unistd.h>

#include "core/base/trace.h"
#include "tests/bench/bench_options.h"
#include "tests/core/cache/store_fixture.h"

using namespace loquor;
using namespace loquor::cache;
using namespace loquor::test;
namespace fs = std::filesystem;

namespace {

constexpr int kRounds = 5;

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// Prints the medians of wall and CPU milliseconds of one of `perRound` calls.
template<class F>
void measure(const char* name, int rounds, int perRound, F call)
{
    std::vector<double> wall, cpu;
    for (int round = 0; round < rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        const double cpuStart = threadCpuSeconds();
        for (int i = 0; i < perRound; ++i)
            call(round * perRound + i);
        cpu.push_back(1000 * (threadCpuSeconds() - cpuStart) / perRound);
        wall.push_back(1000 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
                       perRound);
    }
    std::printf("  \"%s_ms\": %.4f, \"%s_cpu_ms\": %.4f,\n", name, median(wall), name, median(cpu));
}

void require(bool isDone, const char* what)
{
    if (isDone)
        return;
    std::fprintf(stderr, "bench_store: %s failed\n", what);
    std::exit(1);
}

std::unique_ptr<ChunkStore> opened(const StoreOptions& options)
{
    auto store = ChunkStore::open(options);
    if (!store)
        std::fprintf(stderr, "%s\n", store.error().text().c_str());
    require(store.has_value(), "opening");
    return std::move(*store);
}

// Small parts: what counts is how many there are.
void addSmall(ChunkStore& store, int n, TakeId take)
{
    const auto staging = store.stage();
    require(staging && platform::writeFile(*staging / "video.mp4", bytesOf(n, 2000)) &&
                platform::writeFile(*staging / "boundary.bin", bytesOf(n, 300)) &&
                store.commit(*staging, factsOf(n), ChunkStore::AppendTo{take, 25}),
            "a commit");
}

void benchMany(const StoreOptions& options, int entries)
{
    {
        auto store = opened(options);
        TakeId take = 0;
        measure("fill", 1, entries, [&](int n) {
            if (n % 10 == 0)
                take = store->ledger().begin({1, static_cast<std::uint64_t>(n), keyOf(n), "", 1})->id;
            addSmall(*store, n, take);
        });
    }
    measure("open", kRounds, 1, [&](int) { opened(options); });
    measure("open_without_index", kRounds, 1, [&](int) {
        fs::remove(options.folder / "index.db");
        opened(options);
    });
    auto store = opened(options);
    std::vector<std::string> keys;
    for (int n = 0; n < entries; ++n)
        keys.push_back(keyOf(n));
    const auto key = [&](int i) { return keys[static_cast<std::size_t>(i * 7919 % entries)]; };
    measure("find", kRounds, 1000, [&](int i) { require(store->find(key(i)).has_value(), "a find"); });
    measure("first_part", kRounds, 200, [&](int i) { require(store->part(key(i), "video.mp4").has_value(), "a part"); });
    measure("next_part", kRounds, 200, [&](int i) { require(store->part(key(i % 200), "video.mp4").has_value(), "a part"); });
    measure("missing_of_all", kRounds, 1, [&](int) { require(store->missing(keys).empty(), "missing"); });
    measure("protect_all", 1, 1, [&](int) { require(store->protect(1, keys).has_value(), "protect"); });
    measure("list_takes", kRounds, 1, [&](int) { require(store->ledger().list(1).has_value(), "list"); });
    measure("usage", kRounds, 10, [&](int) { require(store->usage().has_value(), "usage"); });
}

void benchCommit(const StoreOptions& options)
{
    auto store = opened(options);
    const TakeId take = store->ledger().begin({1, 1, keyOf(0), "", 1})->id;
    const std::string video = bytesOf(1, 200'000), boundary = bytesOf(2, 25 * 48 * 4);
    std::vector<fs::path> stagings;
    for (int n = 0; n < kRounds * 10; ++n) {
        stagings.push_back(store->stage().value_or(fs::path()));
        require(platform::writeFile(stagings.back() / "video.mp4", video) &&
                    platform::writeFile(stagings.back() / "boundary.bin", boundary),
                "staging");
    }
    measure("commit_on_disk", kRounds, 10, [&](int n) {
        require(store->commit(stagings[static_cast<std::size_t>(n)], factsOf(n), ChunkStore::AppendTo{take, 25})
                    .has_value(),
                "a commit");
    });
}

} // namespace

int main(int argc, char** argv)
{
    int entries = 10'000;
    fs::path memory = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : fs::temp_directory_path();
    fs::path disk = fs::temp_directory_path();
    CLI::App app("What the chunk store costs, as JSON", "bench_store");
    app.add_option("--entries", entries, "Entries of the big store")->check(CLI::Range(1000, 10'000'000));
    app.add_option("--memory", memory, "Folder in memory for it")->check(CLI::ExistingDirectory);
    app.add_option("--disk", disk, "Folder on the disk, for commits")->check(CLI::ExistingDirectory);
    if (const auto code = bench::parse(app, argc, argv))
        return *code;
    const std::string name = "loquor-bench-store-" + std::to_string(::getpid());
    StoreOptions options;
    std::printf("{\n  \"entries\": %d,\n", entries);
    options.folder = memory / name;
    benchMany(options, entries);
    std::error_code ignored;
    fs::remove_all(options.folder, ignored);
    options.folder = disk / name;
    benchCommit(options);
    fs::remove_all(options.folder, ignored);
    std::printf("  \"rounds\": %d\n}\n", kRounds);
    return 0;
}
