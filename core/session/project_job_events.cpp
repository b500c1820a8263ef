// ProjectJob: what the rank answers, faults, and how the job ends.
#include <algorithm>
#include <utility>

#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/platform/paths.h"
#include "core/session/project_job.h"

namespace loquor::session {

namespace {

constexpr int kTries = 3;                             // of one chunk or join
constexpr std::chrono::seconds kDiskTime{5};          // between looks at the room that is left
constexpr std::chrono::milliseconds kLetGoTime{500};  // for the rank to end a run it was told to end

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string chunkFacts(std::uint64_t project, std::uint64_t line, int index, int frames)
{
    return "{\"project\":\"" + std::to_string(project) + "\",\"line\":\"" + std::to_string(line) +
           "\",\"index\":" + std::to_string(index) + ",\"frames\":" + std::to_string(frames) + "}";
}

// Faults that making the chunk again cannot cure.
bool isFinal(const Error& error)
{
    return error.code() == ErrorCode::DiskFull || error.code() == ErrorCode::PermissionDenied;
}

// The rank's folder becomes a staging folder of its own, so that it can be committed alone.
Result<std::filesystem::path> adopted(cache::ChunkStore& store, const std::filesystem::path& folder)
{
    LQ_TRY(std::filesystem::path staging, store.stage());
    std::error_code error;
    std::filesystem::rename(folder, staging, error);
    if (error) {
        store.discard(staging);
        return fail(errorFromErrno(error.value(), "A finished chunk could not be taken over from " +
                                                      platform::quotedPath(folder)));
    }
    return staging;
}

} // namespace

void ProjectJob::act(Result<void> result)
{
    if (!result)
        failWith(std::move(result).error());
}

void ProjectJob::onRank(const comm::FromRank& message)
{
    if (m_over)
        return;
    if (const auto* made = std::get_if<comm::ChunkMade>(&message)) {
        if (made->job == m_id)
            act(onMade(*made));
    } else if (const auto* begun = std::get_if<comm::ChunkBegun>(&message)) {
        if (begun->job == m_id)
            onBegun(*begun);
    } else if (const auto* progress = std::get_if<comm::JobProgress>(&message)) {
        if (progress->job != m_id || m_error)
            return;
        if (progress->framesDone > 0 && m_report.firstFrameSeconds <= 0)
            m_report.firstFrameSeconds = secondsSince(m_asked);
        showProgress(progress->activity.c_str());
    } else if (const auto* warning = std::get_if<comm::JobWarning>(&message)) {
        if (warning->job == m_id)
            warn(warning->text);
    } else if (const auto* done = std::get_if<comm::ProjectDone>(&message)) {
        if (done->job != m_id)
            return;
        runEnded();
        m_report.engineCpuSeconds += done->engineCpuSeconds;
        m_report.encoderCpuSeconds += done->encoderCpuSeconds;
        m_report.peakRssMb = std::max(m_report.peakRssMb, done->peakRssMb);
        for (const auto& [name, cost] : done->stages) {
            StageCost& sum = m_report.stages[name];
            sum = {sum.wallSeconds + cost.wallSeconds, sum.cpuSeconds + cost.cpuSeconds, sum.count + cost.count};
        }
        if (m_error) // the cancel and this met on the way
            return failWith(*m_error);
        sceneDone();
    } else if (const auto* failed = std::get_if<comm::JobFailed>(&message)) {
        if (failed->job != m_id || !m_runActive)
            return;
        if (m_error || m_lettingGo) { // it let go, as it was told to
            runEnded();
            if (m_error)
                return failWith(*m_error);
            return act(advance());
        }
        if (failed->preparing || isFinal(failed->error)) {
            runEnded();
            return failWith(failed->error);
        }
        blame(failed->error);
        runEnded();
        act(advance());
    }
}

Result<void> ProjectJob::onMade(const comm::ChunkMade& made)
{
    const auto task = std::find_if(m_tasks.begin(), m_tasks.end(),
                                   [&](const Task& t) { return t.id == made.task; });
    if (task == m_tasks.end() || m_error) // of a run that was given up; its staging goes with it
        return {};
    if (m_report.firstFrameSeconds <= 0)
        m_report.firstFrameSeconds = secondsSince(m_asked);
    if (auto& open = m_items[task->item].open; open && !task->join) {
        open->held.push_back(made);
        return {};
    }
    if (task->join) {
        const Task join = std::move(*task);
        m_tasks.erase(task);
        LQ_CHECKED(keepJoin(join, made));
    } else {
        LQ_CHECKED(onLineChunk(*task, made));
        if (m_items[task->item].stage == Stage::Settled)
            m_tasks.erase(task);
    }
    return advance();
}

Result<void> ProjectJob::onLineChunk(const Task& task, const comm::ChunkMade& made)
{
    Item& item = m_items[task.item];
    const auto index = item.keys.size();
    if (static_cast<std::size_t>(made.indexInLine) != index || index >= item.grid.size() ||
        made.chunk.frames != item.grid[index].frames)
        return fail(ErrorCode::Internal, "The engine made another chunk than it was asked for.");
    if (index == 0) {
        const Item* left = leftOf(task.item);
        item.boundaryIn = left ? left->boundary : std::string();
    }
    const std::uint64_t seed = lineSeed(m_lookup->facts(), item.line);
    if (!item.take) {
        LQ_TRY(const cache::Take take,
               m_tools.store->ledger().begin(
                   {m_request.document.id, item.line.id, item.lineKey, item.boundaryIn, seed}));
        item.take = take.id;
    }
    const std::string key =
        chunkKey(item.lineKey, made.indexInLine, index == 0 ? item.boundaryIn : item.boundary);
    LQ_TRY(const std::filesystem::path staging, adopted(*m_tools.store, made.folder));
    LQ_TRY(const cache::EntryInfo entry,
           m_tools.store->commit(staging,
                                 {key, cache::EntryKind::N, chunkFacts(m_request.document.id, item.line.id, made.indexInLine, made.chunk.frames), {kVideoPart, kBoundaryPart}},
                                 cache::ChunkStore::AppendTo{*item.take, made.chunk.frames}));
    item.keys.push_back(key);
    item.boundary = entry.parts.at(1).sha256;
    m_shown.insert(key);
    m_framesDone += made.chunk.frames;
    m_framesMade += made.chunk.frames;
    reportChunk(made.chunk);
    showLine(item);
    if (item.keys.size() == item.grid.size()) {
        LQ_CHECKED(m_tools.store->ledger().complete(*item.take));
        settle(item);
        item.failures = 0;
    } else if (item.failures > 0) {
        item.failures = 0;
        m_cautious = false;
    }
    showProgress("render");
    return {};
}

Result<void> ProjectJob::keepJoin(const Task& task, const comm::ChunkMade& made)
{
    const std::string facts = chunkFacts(m_request.document.id, m_items[task.item].line.id, 0, made.chunk.frames);
    LQ_TRY(const std::filesystem::path staging, adopted(*m_tools.store, made.folder));
    LQ_TRY(const cache::EntryInfo entry, m_tools.store->commit(staging, {task.joinKey, cache::EntryKind::I, facts, {kVideoPart}}));
    m_items[task.item].joinChecked = true;
    m_shown.insert(entry.key);
    showJoin(m_items[task.item], entry.key);
    reportChunk(made.chunk);
    return {};
}

// Puts a fault down to what the rank was at: it works in order, so that is the first unfinished task.
bool ProjectJob::blame(const Error& error)
{
    m_cautious = true;
    if (m_tasks.empty())
        return false;
    const Task& task = m_tasks.front();
    Item& item = m_items[task.item];
    if (task.join) {
        if (++item.joinFailures >= kTries)
            failJoin(item, task.joinKey, error.message());
        return false;
    }
    ++item.failures;
    if (item.take) {
        if (auto noted = m_tools.store->ledger().noteFailure(*item.take, error.message()); !noted)
            log(LogLevel::Info, "session", "failure not noted: " + noted.error().logText());
    }
    const std::string place = "chunk " + std::to_string(item.keys.size() + 1) + " of line " + std::to_string(item.number);
    if (item.failures >= kTries)
        failLine(item, "Making " + place + " failed " + std::to_string(kTries) + " times: " + error.message());
    else
        warn("Making " + place + " failed and is tried again: " + error.message());
    return true;
}

void ProjectJob::failLine(Item& item, const std::string& reason)
{
    item.stage = Stage::Failed;
    m_cautious = false;
    m_report.failedLines.push_back({item.number, reason});
    warn("Line " + std::to_string(item.number) + " is left out. " + reason);
}

// The lines on both sides stay; the next run tries it again.
void ProjectJob::failJoin(Item& right, const std::string& key, const std::string& reason)
{
    right.joinChecked = true;
    m_cautious = false;
    if (right.take) {
        if (auto noted = m_tools.store->ledger().noteFailure(*right.take, joinFault(key, reason)); !noted)
            log(LogLevel::Info, "session", "failure not noted: " + noted.error().logText());
    }
    m_report.failedJoins.push_back({right.number, reason});
    warn("The join in front of line " + std::to_string(right.number) + " failed " + std::to_string(kTries) +
         " times and is left out: " + reason);
}

// The rank holds nothing of this job any more: what was with it is to be sent again.
void ProjectJob::runEnded()
{
    m_runActive = false;
    m_endSent = false;
    m_lettingGo = false;
    m_deadline.reset();
    for (const Task& task : m_tasks) {
        Item& item = m_items[task.item];
        if (task.join) {
            item.joinSent = false;
            continue;
        }
        if (item.stage == Stage::Working)
            item.stage = item.open ? Stage::Asked : Stage::Ready;
        item.open.reset();
        m_next = std::min(m_next, task.item);
    }
    m_tasks.clear();
    if (!m_staging.empty())
        m_tools.store->discard(m_staging);
    m_staging.clear();
}

void ProjectJob::onRankGone(const comm::RankDeath& death)
{
    if (m_over)
        return;
    const bool active = m_runActive;
    Error error(ErrorCode::ConnectionLost, "The engine process " + death.reason + ".");
    const bool told = active && !m_error && !m_lettingGo && blame(error);
    runEnded();
    if (m_error)
        return failWith(*m_error);
    if (m_paused || !active)
        return;
    m_tools.board.post(makeEvent(Event::Kind::EngineRestarted, m_id, told ? std::string() : error.message() + " It is started again."));
    act(advance());
}

void ProjectJob::cancel()
{
    if (m_over || m_cancelled)
        return;
    m_cancelled = true;
    failWith(Error(ErrorCode::Cancelled, "Cancelled."));
}

void ProjectJob::pause()
{
    if (m_over || m_error || m_paused)
        return;
    m_paused = true;
    m_tools.board.update([](Snapshot& s) { s.paused = true; });
    letGo();
}

// Ends the rank's run; what it was at is sent again in another.
void ProjectJob::letGo()
{
    if (!m_runActive || m_lettingGo)
        return;
    m_lettingGo = true;
    m_deadline = Clock::now() + kLetGoTime;
    if (auto told = m_tools.rank.send(comm::CancelJob{m_id}); !told)
        log(LogLevel::Info, "session", told.error().logText()); // its death comes next
}

void ProjectJob::resume()
{
    if (m_over || m_error || !m_paused)
        return;
    m_paused = false;
    m_tools.board.update([](Snapshot& s) { s.paused = false; });
    act(advance());
}

void ProjectJob::reportChunk(pipeline::ChunkReport chunk)
{
    chunk.index = static_cast<int>(m_report.chunks.size());
    m_report.chunks.push_back(chunk);
    Event event = makeEvent(Event::Kind::ChunkFinished, m_id);
    event.chunk = std::move(chunk);
    m_tools.board.post(std::move(event));
}

// Which frames of the ring belong to which frames of the project.
void ProjectJob::onBegun(const comm::ChunkBegun& begun)
{
    const auto task = std::find_if(m_tasks.begin(), m_tasks.end(), [&](const Task& t) { return t.id == begun.task; });
    if (task != m_tasks.end())
        m_tools.frames.setPlace(begun.firstIndex, {m_items[task->item].line.id, begun.frameInLine});
}

// All lines in order, for the preview; what is known of them is kept.
void ProjectJob::showLines()
{
    std::vector<ShownLine> lines;
    for (const project::Scene& scene : m_request.document.scenes) {
        for (const project::Line& line : scene.lines)
            lines.push_back({line.id, 0, {}, {}});
    }
    m_tools.preview.show(m_request.document.id, m_tools.store, std::move(lines), false);
}

void ProjectJob::showLine(const Item& item)
{
    ShownLine shown{item.line.id, item.frames, {}, {}};
    for (std::size_t i = 0; i < std::min(item.keys.size(), item.grid.size()); ++i)
        shown.chunks.push_back({item.keys[i], item.grid[i].frames});
    shown.sound = heardOf(item, *m_lookup);
    m_tools.preview.setLine(m_request.document.id, std::move(shown));
}

void ProjectJob::showJoin(const Item& right, const std::string& key)
{
    const int frames = pipeline::joinLength(right.grid.front(), m_lookup->facts().pack.joins());
    m_tools.preview.setJoin(m_request.document.id, right.line.id, {key, frames});
}

void ProjectJob::showProgress(const char* activity)
{
    // Lines that were not spoken yet are taken to be as long as the others are on average.
    const double total = m_linesKnown == 0 ? 0
                                           : static_cast<double>(m_framesKnown) / static_cast<double>(m_linesKnown) *
                                                 static_cast<double>(m_items.size());
    m_tools.board.update([&](Snapshot& s) {
        s.activity = activity;
        s.phase = s.activity == "finish"      ? Phase::Finishing
                  : s.activity == "reference" ? Phase::Preparing
                                              : Phase::Rendering;
        s.framesDone = s.framesReady = m_framesDone;
        s.framesTotal = std::max(m_framesDone, static_cast<std::int64_t>(total));
        if (m_framesMade > 0) // the speed is that of making, not of finding in the store
            m_rate.update(Clock::now(), m_framesMade, m_framesMade + s.framesTotal - m_framesDone);
        s.fpsNow = m_rate.framesPerSecond();
        s.secondsLeft = m_rate.secondsLeft();
    });
}

void ProjectJob::warn(const std::string& text)
{
    auto& warnings = m_report.warnings;
    if (std::find(warnings.begin(), warnings.end(), text) != warnings.end())
        return;
    warnings.push_back(text);
    m_tools.board.post(makeEvent(Event::Kind::Warning, m_id, text));
}

void ProjectJob::failWith(Error error)
{
    if (m_over)
        return;
    if (!m_error)
        m_error = std::move(error);
    endSpeech();
    m_hashingCancel.cancel();
    if (m_runActive && m_tools.rank.isRunning()) {
        if (m_deadline)
            return;
        m_deadline = Clock::now() + kLetGoTime;
        if (m_tools.rank.send(comm::CancelJob{m_id}))
            return; // JobFailed, RankGoneNote or the deadline comes next
    }
    runEnded();
    if (m_error->isCancelled())
        return over(makeEvent(Event::Kind::JobCancelled, m_id), Phase::Cancelled);
    Event failed = makeEvent(Event::Kind::JobFailed, m_id);
    failed.error = *m_error;
    over(std::move(failed), Phase::Failed);
}

void ProjectJob::abandon(Error error)
{
    if (m_over)
        return;
    if (m_runActive)
        m_tools.rank.kill();
    m_error = std::move(error);
    m_runActive = false;
    failWith(*m_error);
}

// Takes of earlier tries that were given up: the run has found their chunks again, or something else is said now.
void ProjectJob::forgetAbandoned()
{
    std::vector<cache::TakeId> keep = m_takes;
    for (const project::Scene& scene : m_request.document.scenes) {
        for (const project::Line& line : scene.lines)
            keep.push_back(line.chosenTake);
    }
    if (auto done = m_tools.store->ledger().forgetAbandoned(m_request.document.id, keep); !done)
        log(LogLevel::Warning, "session", done.error().text());
}

void ProjectJob::finish()
{
    act(protect());
    if (m_over || m_error)
        return;
    forgetAbandoned();
    m_tools.memory.sample();
    for (auto* failed : {&m_report.failedLines, &m_report.failedJoins})
        std::sort(failed->begin(), failed->end(), [](const auto& a, const auto& b) { return a.line < b.line; });
    m_report.frames = m_framesDone;
    m_report.durationSeconds = m_report.audioSeconds = secondsOf(m_framesDone, m_report.fps);
    m_report.totalSeconds = secondsSince(m_asked);
    m_report.realtimeFactor = m_report.totalSeconds > 0 ? m_report.durationSeconds / m_report.totalSeconds : 0;
    m_report.peakRssMb = std::max(m_tools.memory.peakMb(), m_report.peakRssMb);
    m_report.engineCpuSeconds += processCpuSeconds() - m_cpuBefore;
    endSpeech();
    m_report.stages["speech"] = {0, m_speechCpu, m_linesKnown};
    for (std::string& warning : m_tools.store->takeWarnings())
        warn(warning);
    m_finished = m_report.failedLines.empty() && m_report.failedJoins.empty();
    Event finished = makeEvent(Event::Kind::JobFinished, m_id);
    finished.report = m_report;
    over(std::move(finished), Phase::Done);
}

void ProjectJob::over(Event event, Phase phase)
{
    m_over = true;
    endSpeech();
    // The phase first: whoever sees the event finds the state that belongs to it.
    m_tools.board.update([&](Snapshot& s) {
        s.phase = phase;
        s.activity.clear();
        s.paused = false;
    });
    m_tools.board.post(std::move(event));
}

void ProjectJob::tick()
{
    if (!m_over && m_runActive && Clock::now() - m_diskSeen > kDiskTime)
        watchDisk();
    if (m_over || !m_deadline || Clock::now() <= *m_deadline)
        return;
    log(LogLevel::Info, "session", "loquor-rank did not let go of a run and is ended");
    m_deadline.reset();
    m_tools.rank.kill(); // RankGoneNote follows
}

} // namespace loquor::session
