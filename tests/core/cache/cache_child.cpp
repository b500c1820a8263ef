// The other process of the store's tests.
#include "tests/core/cache/store_fixture.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

using namespace loquor;
using namespace loquor::cache;
using namespace loquor::test;

namespace {

int failed(const Error& error)
{
    std::fprintf(stderr, "%s\n", error.text().c_str());
    return 1;
}

// Commits chunk n to a new take of line n and is killed at the given step of it.
int commitAndDie(StoreOptions options, int n, int step)
{
    options.atStep = [step](CommitStep at) {
        if (static_cast<int>(at) == step)
            ::kill(::getpid(), SIGKILL);
        return 0;
    };
    auto store = ChunkStore::open(options);
    if (!store)
        return failed(store.error());
    const auto take = (*store)->ledger().begin({1, static_cast<std::uint64_t>(n), "key", "", 5});
    if (!take)
        return failed(take.error());
    const auto made = addChunk(**store, n, take->id);
    return made ? 3 : failed(made.error()); // it should not have come so far
}

int commitRange(const StoreOptions& options, int first, int count)
{
    auto store = ChunkStore::open(options);
    if (!store)
        return failed(store.error());
    for (int n = first; n < first + count; ++n)
        if (const auto made = addChunk(**store, n); !made)
            return failed(made.error());
    return 0;
}

// Protects a chunk, begins another, and waits to be killed.
int protectAndWait(const StoreOptions& options, int n)
{
    auto store = ChunkStore::open(options);
    if (!store)
        return failed(store.error());
    if (const auto done = (*store)->protect(1, {keyOf(n)}); !done)
        return failed(done.error());
    if (const auto staging = stageChunk(**store, n + 1); !staging)
        return failed(staging.error());
    std::printf("ready\n");
    std::fflush(stdout);
    for (;;)
        ::pause();
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 4)
        return 2;
    StoreOptions options;
    options.folder = argv[2];
    const int n = std::atoi(argv[3]);
    if (std::strcmp(argv[1], "commit-and-die") == 0 && argc == 5)
        return commitAndDie(options, n, std::atoi(argv[4]));
    if (std::strcmp(argv[1], "commit-range") == 0 && argc == 5)
        return commitRange(options, n, std::atoi(argv[4]));
    if (std::strcmp(argv[1], "protect-and-wait") == 0)
        return protectAndWait(options, n);
    return 2;
}
