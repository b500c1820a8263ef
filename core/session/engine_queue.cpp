// Engine: the jobs that wait, projects and their takes.
#include <algorithm>

#include "core/base/log.h"
#include "core/session/engine.h"
#include "core/session/export_job.h"
#include "core/session/project_job.h"

namespace loquor::session {

namespace {

CommandId idOf(const Note& note)
{
    if (const auto* render = std::get_if<RenderNote>(&note))
        return render->id;
    if (const auto* project = std::get_if<ProjectNote>(&note))
        return project->id;
    if (const auto* asked = std::get_if<ExportNote>(&note))
        return asked->id;
    return 0;
}

} // namespace

void Engine::enqueue(Note note)
{
    m_waiting.push_back(std::move(note));
    showQueue();
    if (!m_job)
        startNext();
    else
        saveQueue();
}

// Projects are on disk from here on until they have ended; whether that works is no reason not to make them.
void Engine::saveQueue()
{
    std::vector<const ProjectRequest*> queue;
    if (m_project)
        queue.push_back(&*m_project);
    for (const Note& note : m_waiting) {
        if (const auto* project = std::get_if<ProjectNote>(&note))
            queue.push_back(&project->request);
    }
    if (auto written = m_queue.write(queue); !written)
        log(LogLevel::Warning, "session", written.error().logText());
}

void Engine::showQueue()
{
    std::vector<CommandId> waiting;
    for (const Note& note : m_waiting)
        waiting.push_back(idOf(note));
    m_shared.board.update([&](Snapshot& s) { s.waiting = std::move(waiting); });
}

void Engine::cancelJob(CommandId job)
{
    if (m_job && m_job->id() == job)
        return m_job->cancel();
    for (WorkDesk* desk : {m_recordings.get(), m_heard.get(), m_sounds.get()}) {
        if (desk)
            desk->cancel(job);
    }
    if (std::erase_if(m_waiting, [&](const Note& note) { return idOf(note) == job; }) > 0) {
        showQueue();
        saveQueue();
        m_shared.board.post(makeEvent(Event::Kind::JobCancelled, job));
    }
}

void Engine::moveJob(const MoveNote& move)
{
    const auto found = std::find_if(m_waiting.begin(), m_waiting.end(),
                                    [&](const Note& note) { return idOf(note) == move.job; });
    if (found == m_waiting.end())
        return;
    Note note = std::move(*found);
    m_waiting.erase(found);
    const auto place = std::clamp<std::ptrdiff_t>(move.place, 0, static_cast<std::ptrdiff_t>(m_waiting.size()));
    m_waiting.insert(m_waiting.begin() + place, std::move(note));
    showQueue();
    saveQueue();
}

std::unique_ptr<Job> Engine::makeJob(Note note)
{
    if (auto* render = std::get_if<RenderNote>(&note)) {
        removePreview();
        return std::make_unique<RenderJob>(render->id, std::move(render->request), render->asked, tools());
    }
    auto opened = store();
    if (!opened) {
        Event failed = makeEvent(Event::Kind::JobFailed, idOf(note));
        failed.error = std::move(opened).error();
        m_shared.board.post(std::move(failed));
        return nullptr;
    }
    if (auto* project = std::get_if<ProjectNote>(&note)) {
        m_project = project->request;
        return std::make_unique<ProjectJob>(project->id, std::move(project->request), project->asked,
                                            projectTools(*opened));
    }
    auto& asked = std::get<ExportNote>(note);
    return std::make_unique<ExportJob>(asked.id, std::move(asked.request), asked.asked, projectTools(*opened));
}

ProjectTools Engine::projectTools(std::shared_ptr<cache::ChunkStore> store)
{
    return {m_shared.board, m_shared.box, m_rank, m_memory, m_shared.frames, m_shared.preview,
            std::move(store), m_voices, m_options.dataFolder};
}

Result<std::shared_ptr<cache::ChunkStore>> Engine::store()
{
    if (!m_store) {
        cache::StoreOptions options;
        options.folder = m_options.storeFolder.empty() ? m_options.cacheFolder / "store" : m_options.storeFolder;
        options.maxBytes = m_options.storeMaxBytes;
        LQ_TRY(m_store, cache::ChunkStore::open(options));
    }
    return m_store;
}

void Engine::failCommand(CommandId id, Error error)
{
    Event failed = makeEvent(Event::Kind::CommandFailed, id);
    failed.error = std::move(error);
    m_shared.board.post(std::move(failed));
}

void Engine::inspect(InspectNote& note)
{
    auto opened = store();
    if (!opened)
        return failCommand(note.id, std::move(opened).error());
    if (!m_inspector)
        m_inspector = std::make_unique<ProjectInspector>(
            *opened, m_voices, m_options.dataFolder,
            [&box = m_shared.box, &preview = m_shared.preview, store = *opened](
                CommandId id, std::uint64_t project, Result<Inspection> found) {
                if (!found)
                    return box.put(InspectedNote{id, fail(std::move(found).error())});
                preview.show(project, store, std::move(found->shown), true);
                box.put(InspectedNote{id, std::move(found->state)});
            });
    m_inspector->ask(note.id, std::move(note.document), note.captionsOf, note.words);
}

void Engine::postInspected(const InspectedNote& note)
{
    if (!note.state)
        return failCommand(note.id, note.state.error());
    Event event = makeEvent(Event::Kind::ProjectInspected, note.id);
    event.project = *note.state;
    m_shared.board.post(std::move(event));
}

bool Engine::isBusyWith(std::uint64_t project) const
{
    if (m_job && !m_job->isOver() && m_job->project() == project)
        return true;
    return std::any_of(m_waiting.begin(), m_waiting.end(), [&](const Note& note) {
        if (const auto* render = std::get_if<ProjectNote>(&note))
            return render->request.document.id == project;
        const auto* asked = std::get_if<ExportNote>(&note);
        return asked && asked->request.document.id == project;
    });
}

void Engine::closeWaiting()
{
    std::vector<project::Document> later;
    for (project::Document& document : std::exchange(m_closing, {})) {
        if (isBusyWith(document.id))
            later.push_back(std::move(document));
        else
            closeProject(document);
    }
    m_closing = std::move(later);
}

void Engine::closeProject(const project::Document& document)
{
    if (!m_store) // nothing was made or looked at
        return;
    std::vector<cache::TakeId> keep;
    for (const project::Scene& scene : document.scenes) {
        for (const project::Line& line : scene.lines)
            keep.push_back(line.chosenTake);
    }
    m_shared.preview.close(document.id);
    auto closed = m_store->unprotect(document.id);
    if (closed && !m_store->whyNotWritable()) {
        if (auto forgotten = m_store->ledger().forgetAbandoned(document.id, keep); !forgotten)
            closed = fail(std::move(forgotten).error());
    }
    if (!closed)
        log(LogLevel::Warning, "session", closed.error().text());
}

void Engine::changeTake(const TakeNote& note)
{
    auto opened = store();
    if (!opened)
        return failCommand(note.id, std::move(opened).error());
    cache::Ledger& ledger = (*opened)->ledger();
    auto done = note.change == TakeNote::Change::Remove
                    ? ledger.remove(note.take)
                    : ledger.setPinned(note.take, note.change == TakeNote::Change::Pin);
    if (!done)
        failCommand(note.id, std::move(done).error());
}

} // namespace loquor::session
