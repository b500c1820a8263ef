#include "core/session/engine.h"

#include <system_error>

#include "core/base/guarded_thread.h"
#include "core/base/log.h"
#include "core/packs/installed.h"
#include "core/packs/pack_finder.h"
#include "core/session/recording_source.h"
#include "core/session/text_source.h"

namespace loquor::session {

namespace {

constexpr std::chrono::milliseconds kTick{100};

template<class... Ts>
struct Overloaded : Ts...
{
    using Ts::operator()...;
};
template<class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

} // namespace

Engine::Engine(Shared& shared, SessionOptions options, std::shared_ptr<VoiceShelf> voices, QueueFile& queue)
    : m_shared(shared), m_options(std::move(options)), m_voices(std::move(voices)),
      m_rank({m_options.rankProgram, m_options.dataFolder, m_options.cacheFolder,
              shared.frames.ringDescriptor(),
              m_options.rankSilence, m_options.rankStall},
             shared.box),
      m_checker([this](CommandId id, CheckReport report) {
          m_shared.box.put(CheckedNote{id, std::move(report)});
      }),
      m_queue(queue)
{
    m_thread = guardedThread("running the engine", [this] { run(); });
}

Engine::~Engine()
{
    m_shared.box.put(QuitNote{});
    m_thread.join();
}

void Engine::run()
{
    while (!m_quit) {
        const auto turn = [this] {
            if (auto note = m_shared.box.take(kTick))
                handle(std::move(*note));
            if (Clock::now() - m_lastTick >= kTick)
                tick();
            if (m_job && m_job->isOver())
                startNext();
        };
        const auto error = caught("running a job", turn);
        if (!error)
            continue;
        // A broken invariant ends the job it happened in, not the program.
        logCaught(*error);
        const auto abandon = [&] {
            if (m_job && !m_job->isOver())
                m_job->abandon(*error);
        };
        if (const auto again = caught("ending a job", abandon))
            logCaught(*again);
    }
    m_job.reset();
    m_warmingCancel.cancel();
    if (m_warming.joinable())
        m_warming.join();
    removePreview();
}

void Engine::handle(Note note)
{
    std::visit(
        Overloaded{
            [&](CheckNote& check) { this->check(check); },
            [&](RenderNote& render) { enqueue(std::move(render)); },
            [&](ProjectNote& project) { enqueue(std::move(project)); },
            [&](ExportNote& asked) { enqueue(std::move(asked)); },
            [&](InspectNote& inspect) { this->inspect(inspect); },
            [&](RecordingNote& asked) { cutRecording(asked); },
            [&](SayNote& asked) { say(asked); },
            [&](LookNote& asked) { look(asked); },
            [&](TakeInNote& asked) { takeIn(asked); },
            [&](CutPartNote& asked) { cutPart(asked); },
            [&](QueueResumedNote&) { m_queue.forgetTakenOver(); },
            [&](CloseNote& close) {
                m_closing.push_back(std::move(close.document));
                closeWaiting();
            },
            [&](TakeNote& take) { changeTake(take); },
            [&](PauseNote& pause) {
                if (m_job && m_job->id() == pause.job)
                    pause.pause ? m_job->pause() : m_job->resume();
            },
            [&](MoveNote& move) { moveJob(move); },
            [&](CancelNote& cancel) { cancelJob(cancel.job); },
            [&](WorkerNote& work) {
                if (m_job && m_job->id() == work.job)
                    m_job->onWorker(std::move(work));
            },
            [&](InspectedNote& inspected) { postInspected(inspected); },
            [&](WarmUpNote& warm) { warmUp(warm.voice); },
            [&](PrepareNote& prepare) {
                // Ahead of need: whatever is wrong is said when it is needed.
                if (auto sent = m_rank.send(comm::PrepareReference{0, prepare.reference, prepare.settings}); !sent)
                    log(LogLevel::Info, "session", sent.error().logText());
            },
            [&](FetchNote&) { fetchFrame(); },
            [&](RankNote& rank) {
                if (m_rank.isCurrent(rank.generation))
                    onRank(rank.message);
            },
            [&](RankGoneNote& gone) { onRankGone(gone); },
            [&](SpeechNote& speech) {
                if (m_job && m_job->id() == speech.job)
                    m_job->onSpeech();
            },
            [&](CheckedNote& checked) { postChecked(checked.id, std::move(checked.report), {}); },
            [&](QuitNote&) { m_quit = true; },
        },
        note);
}

JobTools Engine::tools()
{
    return {m_shared.board, m_shared.box, m_rank, m_shared.audio, m_shared.frames, m_memory,
            m_options.dataFolder, m_options.cacheFolder,
            [voices = m_voices](const RenderRequest& request) -> std::unique_ptr<SpeechSource> {
                if (request.speech.audioFile.empty())
                    return std::make_unique<TextSource>(request.speech, request.settings.fps, voices);
                return std::make_unique<RecordingSource>(request.speech, request.settings.fps, voices);
            }};
}

void Engine::startNext()
{
    if (m_project && m_job && m_job->isFinished())
        m_queue.forgetLeft(*m_project);
    m_job.reset();
    m_project.reset();
    closeWaiting();
    while (!m_job && !m_waiting.empty()) {
        Note next = std::move(m_waiting.front());
        m_waiting.pop_front();
        showQueue();
        m_job = makeJob(std::move(next));
    }
    saveQueue();
    if (!m_job)
        return;
    m_lastJob = m_job->id();
    m_job->start();
    if (const auto* render = dynamic_cast<RenderJob*>(m_job.get()); render && render->isPreviewOnly())
        m_preview = render->output();
}

void Engine::removePreview()
{
    std::error_code ignored;
    if (!m_preview.empty())
        std::filesystem::remove(m_preview, ignored);
    m_preview.clear();
}

void Engine::onRank(const comm::FromRank& message)
{
    if (const auto* ready = std::get_if<comm::Ready>(&message)) {
        m_shared.board.update([&](Snapshot& s) { s.device = ready->device; });
    } else if (const auto* checked = std::get_if<comm::FileChecked>(&message)) {
        onChecked(*checked);
    } else if (const auto* fetched = std::get_if<comm::FrameFetched>(&message)) {
        if (fetched->job != m_lastJob) // of the video before this one; the store has forgotten the request
            return;
        auto frame = std::make_shared<VideoFrame>();
        frame->image = fetched->image;
        frame->index = fetched->index;
        m_shared.frames.deliver(std::move(frame));
        m_shared.board.wake();
    } else if (m_job) {
        m_job->onRank(message);
    }
}

void Engine::onChecked(const comm::FileChecked& checked)
{
    if (m_checks.erase(checked.id) > 0)
        postChecked(checked.id, checked.report, checked.picture);
}

Result<void> Engine::engineIsThere() const
{
    LQ_TRY(const packs::PackManifest pack, packs::findPack(RenderSettings().pack, packs::packFolders(m_options.dataFolder)));
    return packs::checkInstalled(pack, m_options.dataFolder / "models");
}

void Engine::check(const CheckNote& check)
{
    if (m_checker.startLocally(check.id, check.file))
        return;
    if (auto there = engineIsThere(); !there)
        return postChecked(check.id, m_checker.failed(check.file, there.error()), {}, there.error());
    m_checks.insert(check.id);
    if (auto sent = m_rank.send(comm::CheckFile{check.id, check.file}); !sent)
        postChecked(check.id, m_checker.failed(check.file, sent.error()), {}, sent.error());
}

void Engine::postChecked(CommandId id, CheckReport report, Image picture, std::optional<Error> fault)
{
    Event event = makeEvent(Event::Kind::Checked, id);
    event.check = std::move(report);
    event.error = std::move(fault);
    if (!picture.isEmpty())
        event.picture = std::make_shared<const Image>(std::move(picture));
    m_shared.board.post(std::move(event));
}

void Engine::onRankGone(const RankGoneNote& note)
{
    if (!m_rank.onGone(note))
        return;
    const Error fault(ErrorCode::ConnectionLost, "The engine process " + note.death.reason + ".");
    for (const CommandId id : std::exchange(m_checks, {}))
        postChecked(id, m_checker.failed({}, fault), {}, fault);
    m_shared.frames.deliver(std::make_shared<VideoFrame>()); // nothing is being fetched any more
    if (m_job)
        m_job->onRankGone(note.death);
}

void Engine::fetchFrame()
{
    const auto index = m_shared.frames.takeWanted();
    if (!index)
        return;
    if (m_rank.isRunning() && m_rank.send(comm::FetchFrame{m_lastJob, *index}))
        return;
    m_shared.frames.deliver(std::make_shared<VideoFrame>());
}

// Loads the voice on a thread of its own: it takes a second.
void Engine::warmUp(const std::string& voice)
{
    if (auto started = m_rank.ensure(); !started)
        log(LogLevel::Info, "session", started.error().logText());
    if (m_warming.joinable()) {
        m_warmingCancel.cancel();
        m_warming.join();
        m_warmingCancel = CancelSource();
    }
    const auto load = [voices = m_voices, voice, cancel = m_warmingCancel.token()] {
        const auto choice = speech::chooseVoice(voices->list(), voice, {}, "Hello.");
        if (!choice)
            return log(LogLevel::Info, "session", choice.error().logText());
        if (auto loaded = voices->get(choice->voice, cancel); !loaded)
            return log(LogLevel::Info, "session", loaded.error().logText());
        if (auto started = voices->phonemes()->warmUp(cancel); !started)
            log(LogLevel::Info, "session", started.error().logText());
    };
    // What fails here is said again by the run that needs it.
    m_warming = guardedThread("loading a voice ahead", load);
}

void Engine::tick()
{
    m_lastTick = Clock::now();
    if (const double copying = m_voices->imports()->making(); copying != m_copying)
        m_shared.board.update([&](Snapshot& s) { m_copying = s.copying = copying; });
    if (!m_job)
        return;
    const double rss = m_memory.sample();
    m_shared.board.update([&](Snapshot& s) { s.rssMb = rss; });
    m_job->tick();
}

} // namespace loquor::session
