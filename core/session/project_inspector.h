// What a project is made of at the moment: looked up on a thread of its own, without rendering.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "core/session/project_lines.h"
#include "core/session/project_preview.h"
#include "core/session/session.h"

namespace loquor::session {

// What was found, and where its frames lie.
struct Inspection
{
    ProjectState state;
    std::vector<ShownLine> shown;
};

// Words of lines by the key of their times; what a project uses is kept from one look to the next.
using WordCache = std::map<std::string, std::shared_ptr<const std::vector<speech::Word>>>;

// What is wanted besides the state.
struct InspectionWish
{
    int captionsOf = 0;         // number of the line whose captions are wanted, 0 = none
    WordCache* words = nullptr; // words of all lines are wanted
    FileHashes* hashes = nullptr; // of the references, from one look to the next
};

// Blocks: reads the reference for its hash, looks up every line. Lines whose sound is not stored are new
// or stale; nothing is spoken.
Result<Inspection> inspectProject(const project::Document& document, cache::ChunkStore& store,
                                  const VoiceShelf& voices, const std::filesystem::path& dataFolder,
                                  const InspectionWish& wish, const CancelToken& cancel);

// Asked from the engine thread; `done` is called on the inspector's own, in order. Destruction cancels and
// joins.
class ProjectInspector
{
public:
    using Done = std::function<void(CommandId id, std::uint64_t project, Result<Inspection> found)>;
    ProjectInspector(std::shared_ptr<cache::ChunkStore> store, std::shared_ptr<VoiceShelf> voices,
                     std::filesystem::path dataFolder, Done done);
    ~ProjectInspector();
    void ask(CommandId id, project::Document document, int captionsOf, bool words);

private:
    void run();

    const std::shared_ptr<cache::ChunkStore> m_store;
    const std::shared_ptr<VoiceShelf> m_voices;
    const std::filesystem::path m_dataFolder;
    const Done m_done;
    CancelSource m_cancel;
    std::mutex m_mutex; // guards the two below
    struct Question
    {
        CommandId id = 0;
        project::Document document;
        int captionsOf = 0;
        bool words = false;
    };
    std::deque<Question> m_asked;
    bool m_quit = false;
    WordCache m_words;   // own thread only, as the next
    FileHashes m_hashes;
    std::condition_variable m_changed;
    std::thread m_thread;
};

} // namespace loquor::session
