// Identity of what a project is made of: which stored chunk belongs to what. Pure functions of values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/packs/manifest.h"
#include "core/pipeline/chunk_spec.h"
#include "core/project/document.h"

namespace loquor::session {

// All that the chunks of a scene have in common.
struct SceneFacts
{
    packs::PackManifest pack;
    pipeline::RenderSettings settings; // size, rate, background, framing, face; no prompt, no seed
    std::filesystem::path reference;
    std::string referenceHash;
    std::string pictureKey;            // hash of pack, networks, reference file and settings
    std::uint64_t runSeed = 0;
};

// Hashes of files for somebody who asks often: a file is read again when its size or time has changed. One thread.
class FileHashes
{
public:
    Result<std::string> of(const std::filesystem::path& file, const CancelToken& cancel);

private:
    struct Known
    {
        std::uintmax_t size = 0;
        std::filesystem::file_time_type changed;
        std::string hash;
    };
    std::map<std::filesystem::path, Known> m_known;
};

// Reads the reference (and a background picture) once for its hash, or asks `hashes`. Errors of the files and the pack.
Result<SceneFacts> sceneFacts(const project::Document& document, const project::Scene& scene,
                              const std::filesystem::path& dataFolder, const CancelToken& cancel,
                              FileHashes* hashes = nullptr);

// hash(run seed, line id, take seed)
std::uint64_t lineSeed(const SceneFacts& scene, const project::Line& line);
// Everything the chunks of a line depend on, except the boundary they are conditioned on.
std::string lineKey(const SceneFacts& scene, const std::string& speechKey, const std::string& prompt,
                    std::uint64_t seed);
// Of an N chunk: `boundary` is the hash of the bytes it is conditioned on, empty for none.
std::string chunkKey(const std::string& lineKey, int indexInLine, const std::string& boundary);
// Of the join between two N chunks.
std::string joinKey(const std::string& left, const std::string& right, const pipeline::JoinNumbers& joins);

// The chunks of a line of so many frames, on its own grid.
Result<std::vector<pipeline::ChunkSpec>> lineGrid(const SceneFacts& scene, std::uint64_t lineId, int number,
                                                  FrameIndex frames, int sampleRate);

} // namespace loquor::session
