// Small stores with contents that follow from a number: for the tests and their child program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/random.h"
#include "core/cache/chunk_store.h"
#include "core/platform/atomic_file.h"
#include "core/platform/hash.h"

namespace loquor::test {

inline std::string keyOf(int n)
{
    return platform::sha256("chunk " + std::to_string(n));
}

inline std::string bytesOf(int n, std::size_t count)
{
    Random random(static_cast<std::uint64_t>(n));
    std::string out(count, '\0');
    for (char& byte : out)
        byte = static_cast<char>(random.next() & 0xff);
    return out;
}

constexpr std::size_t kVideoBytes = 20'000;

inline cache::EntryFacts factsOf(int n, cache::EntryKind kind = cache::EntryKind::N)
{
    return {keyOf(n), kind, R"({"frames":25,"n":)" + std::to_string(n) + "}", {"video.mp4", "boundary.bin"}};
}

// What a rank would do: the parts of chunk n in a staging folder.
inline Result<std::filesystem::path> stageChunk(cache::ChunkStore& store, int n)
{
    LQ_TRY(std::filesystem::path folder, store.stage());
    auto written = platform::writeFile(folder / "video.mp4", bytesOf(n, kVideoBytes));
    if (written)
        written = platform::writeFile(folder / "boundary.bin", bytesOf(n + 1'000'000, 300));
    if (!written) {
        store.discard(folder);
        return fail(written.error());
    }
    return folder;
}

inline Result<cache::EntryInfo> addChunk(cache::ChunkStore& store, int n, cache::TakeId take = 0)
{
    LQ_TRY(const std::filesystem::path folder, stageChunk(store, n));
    if (take == 0)
        return store.commit(folder, factsOf(n));
    return store.commit(folder, factsOf(n), cache::ChunkStore::AppendTo{take, 25});
}

// The parts of chunk n are there with exactly their bytes.
inline bool holdsChunk(cache::ChunkStore& store, int n)
{
    const auto video = store.part(keyOf(n), "video.mp4");
    const auto boundary = store.part(keyOf(n), "boundary.bin");
    if (!video || !boundary)
        return false;
    const auto videoBytes = platform::readTextFile(*video);
    const auto boundaryBytes = platform::readTextFile(*boundary);
    return videoBytes && *videoBytes == bytesOf(n, kVideoBytes) && boundaryBytes &&
           *boundaryBytes == bytesOf(n + 1'000'000, 300);
}

} // namespace loquor::test
