// What a project is made of at the moment: looked up on a thread of its own, without rendering.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
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

// Blocks: reads the reference for its hash, looks up every line. Lines whose sound is not stored are new
// or stale; nothing is spoken. `captionsOf`: number of the line whose captions are wanted, 0 = none.
Result<Inspection> inspectProject(const project::Document& document, cache::ChunkStore& store,
                                  const VoiceShelf& voices, const std::filesystem::path& dataFolder,
                                  int captionsOf, const CancelToken& cancel);

// Asked from the engine thread; `done` is called on the inspector's own, in order. Destruction cancels and
// joins.
class ProjectInspector
{
public:
    using Done = std::function<void(CommandId id, std::uint64_t project, Result<Inspection> found)>;
    ProjectInspector(std::shared_ptr<cache::ChunkStore> store, std::shared_ptr<VoiceShelf> voices,
                     std::filesystem::path dataFolder, Done done);
    ~ProjectInspector();
    void ask(CommandId id, project::Document document, int captionsOf);

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
    };
    std::deque<Question> m_asked;
    bool m_quit = false;
    std::condition_variable m_changed;
    std::thread m_thread;
};

} // namespace loquor::session
