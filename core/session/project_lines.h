// The lines of a project beside what the store holds of them. Shared by rendering, looking and export.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cache/chunk_store.h"
#include "core/session/line_speech.h"
#include "core/session/project_keys.h"
#include "core/session/recorded_line.h"
#include "core/speech/timing_json.h"

namespace loquor::session {

struct LineItem
{
    std::size_t scene = 0;
    int number = 1;                        // in the project, from 1
    project::Line line;
    LineWish wish;
    std::string speechKey; // of its times, and of its sound when a voice says it
    std::string soundKey;  // of its sound: speechKey, or the key of the cut
    // Known once the sound is in the store:
    FrameIndex frames = 0;
    std::vector<comm::LineCue> cues;
    std::string lineKey;
    std::vector<pipeline::ChunkSpec> grid; // of its N chunks
};

// The lines of a scene in order; `firstNumber` is the number of its first one.
// Reads the user's dictionary; an unreadable one is an error.
Result<std::vector<LineItem>> lineItems(const project::Document& document, std::size_t scene, int firstNumber);

// Looks things up for one scene. One thread at a time.
class LineLookup
{
public:
    LineLookup(cache::ChunkStore& store, SceneFacts facts, const project::Scene& scene,
               std::uint64_t project, std::vector<speech::VoiceDescription> voices);

    const SceneFacts& facts() const { return m_facts; }
    // Gives the item its speechKey and soundKey. Errors of the choice of a voice.
    Result<void> nameSound(LineItem& item) const;
    // The identity of a line whose sound has a name: gives it its lineKey.
    void nameLine(LineItem& item) const;
    // Fills what is known once the sound is stored; false: it is not. Errors of the choice of a voice.
    Result<bool> findSound(LineItem& item);
    // Puts a line's sound into the store and fills the item.
    Result<void> storeSound(LineItem& item, const LineSound& sound);
    // The sound of a recorded line as it was cut: for itself, its times are stored by storeSound().
    Result<void> storeCut(const LineItem& item, const RecordingCut& cut);
    // Nothing when it is not stored.
    std::optional<CutShape> findCut(const LineItem& item);
    Result<RecordingCut> loadCut(const LineItem& item);
    // Sound and times from the store. NotFound when they were evicted.
    Result<LineSound> loadSound(const LineItem& item);

    // The take to show: the chosen one if it still says this line, else the newest that is exactly this
    // line. Only complete takes whose chunks are all there.
    Result<std::optional<cache::Take>> findTake(const LineItem& item);
    // Whether the take could be chosen for a line whose sound has a name: it may have been made with another seed,
    // what is said and shown must be the same.
    bool fits(const LineItem& item, const cache::Take& take) const;
    // Keys of the line's chunks that exist behind this boundary, from the first one on without a gap, and
    // the hash of the boundary behind the last of them.
    struct Chain
    {
        std::vector<std::string> keys;
        std::string boundary;
    };
    Chain findChain(const LineItem& item, const std::string& boundary);
    // Hash of the boundary behind a chunk; empty when the chunk is gone.
    std::string boundaryBehind(const std::string& chunkKey);
    Result<std::vector<std::byte>> boundaryBytes(const std::string& chunkKey);
    // Key of the join between two chunks; empty when the right one is too short for any.
    std::string joinBetween(const std::string& left, const std::string& right, const LineItem& rightLine) const;

private:
    Result<void> fill(LineItem& item, FrameIndex frames, std::vector<comm::LineCue> cues);
    Result<cache::EntryInfo> store(const std::string& key, const std::string& facts, const AudioBlock* sound,
                                   const speech::TimingDocument* timing);

    cache::ChunkStore& m_store;
    const SceneFacts m_facts;
    const project::Scene& m_scene;
    const std::uint64_t m_project;
    const std::vector<speech::VoiceDescription> m_voices;
};

// What a take's ledger says of the join in front of it that could not be made: for this very join, or nothing.
std::string joinFault(const std::string& joinKey, const std::string& reason);
std::string readJoinFault(const std::string& noted, const std::string& joinKey);

// Names of the parts of entries.
inline constexpr const char* kVideoPart = "video.mp4";
inline constexpr const char* kBoundaryPart = "boundary.bin";
inline constexpr const char* kSoundPart = "sound.wav";
inline constexpr const char* kTimingPart = "timing.json";

} // namespace loquor::session
