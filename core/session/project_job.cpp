#include "core/session/project_job.h"

#include <algorithm>

#include "core/base/guarded_thread.h"
#include "core/base/trace.h"
#include "core/project/line_facts.h"

namespace loquor::session {

namespace {

constexpr std::size_t kSpokenAhead = 3;               // lines spoken before they are sent
constexpr double kSecondsAhead = 12;                  // of lines with the rank

} // namespace

ProjectJob::ProjectJob(CommandId id, ProjectRequest request, Clock::time_point asked, ProjectTools tools)
    : m_id(id), m_request(std::move(request)), m_asked(asked), m_tools(std::move(tools)),
      m_disk(m_tools.store->folder())
{
}

ProjectJob::~ProjectJob()
{
    m_hashingCancel.cancel();
    if (m_hashing.joinable())
        m_hashing.join();
}

void ProjectJob::start()
{
    m_tools.board.beginJob(m_id, Phase::Preparing, "reference");
    m_cpuBefore = processCpuSeconds();
    m_tools.memory.restart();
    act(prepare());
}

Result<void> ProjectJob::prepare()
{
    const project::Document& document = m_request.document;
    for (const project::Scene& scene : document.scenes) {
        if (scene.speech.mode == project::SpeechMode::Recording)
            return fail(ErrorCode::Unsupported, "This project speaks a recording as a whole. Make lines of it with "
                                                "`project add-recording`, or its video with `render --audio` or in the "
                                                "studio.");
    }
    const bool anyLine = std::any_of(document.scenes.begin(), document.scenes.end(),
                                     [](const project::Scene& scene) { return !scene.lines.empty(); });
    if (!anyLine)
        return fail(ErrorCode::EmptyInput, "The project has no line to speak yet. Add one first.");
    if (const auto why = m_tools.store->whyNotWritable())
        return fail(*why);
    while (document.scenes[m_scene].lines.empty())
        ++m_scene;
    m_report.fps = document.output.fps;
    m_report.width = document.output.width;
    m_report.height = document.output.height;
    m_tools.frames.restart();
    showLines();
    startScene();
    return {};
}

// The hash of the reference is made on a thread of its own: a clip may have gigabytes.
void ProjectJob::startScene()
{
    m_items.clear();
    const auto answer = [this, place = m_scene](Result<SceneFacts> facts) {
        m_tools.box.put(WorkerNote{m_id, place, 0, {}, std::move(facts), {}, {}, {}});
    };
    auto lines = lineItems(m_request.document, m_scene, m_linesBefore + 1);
    for (LineItem& line : lines.value_or(std::vector<LineItem>())) {
        Item item;
        static_cast<LineItem&>(item) = std::move(line);
        m_items.push_back(std::move(item));
    }
    m_next = 0;
    m_nextJoin = 1;
    m_endSent = false;
    m_lookup.reset();
    endSpeech();
    m_speaker = std::make_unique<ProjectSpeaker>(
        m_tools.voices,
        [&box = m_tools.box, id = m_id, place = m_scene](std::size_t item, Result<LineSound> sound,
                                                         std::optional<RecordingCut> cut) {
            box.put(WorkerNote{id, place, item, std::move(sound), {}, {}, std::move(cut), {}});
        },
        [&box = m_tools.box, id = m_id, place = m_scene](std::size_t item, SpokenSoFar soFar) {
            box.put(WorkerNote{id, place, item, {}, {}, {}, {}, std::move(soFar)});
        });
    if (m_hashing.joinable())
        m_hashing.join();
    if (!lines)
        return answer(fail(lines.error()));
    m_hashing = guardedThread(
        "looking at a scene",
        [this, answer, place = m_scene, &document = m_request.document] {
            answer(sceneFacts(document, document.scenes[place], m_tools.dataFolder, m_hashingCancel.token()));
        },
        [answer](const Error& error) { answer(fail(error)); });
}

void ProjectJob::onWorker(WorkerNote&& note)
{
    if (m_over || m_error || note.scene != m_scene)
        return;
    if (note.facts)
        onScene(std::move(*note.facts));
    else if (note.sound)
        act(onSound(note.item, std::move(*note.sound), note.cut));
    else if (note.soFar)
        act(onSaid(note.item, *note.soFar));
}

void ProjectJob::onScene(Result<SceneFacts> facts)
{
    if (!facts)
        return failWith(std::move(facts).error());
    m_report.pack = facts->pack.label();
    m_report.seed = facts->runSeed;
    m_lookup = std::make_unique<LineLookup>(*m_tools.store, std::move(*facts), m_request.document.scenes[m_scene],
                                            m_request.document.id, m_tools.voices->list());
    act(protectTakes());
    act(advance());
}

// Nothing the project has made so far, and no sound it needs, may be evicted while it is being worked on.
// Chunks that are added to its takes are protected with it by the store.
Result<void> ProjectJob::protectTakes()
{
    LQ_TRY(const std::vector<cache::Take> takes, m_tools.store->ledger().list(m_request.document.id));
    std::set<std::string> keys = m_shown; // of earlier scenes
    for (const cache::Take& take : takes)
        keys.insert(take.chunks.begin(), take.chunks.end());
    for (Item& item : m_items) {
        if (m_lookup->nameSound(item)) // a line without a voice fails later, with its reason
            keys.insert({item.speechKey, item.soundKey});
    }
    return m_tools.store->protect(m_request.document.id, {keys.begin(), keys.end()});
}

Result<void> ProjectJob::advance()
{
    if (m_over || m_error || m_paused || m_lettingGo || !m_lookup)
        return {};
    LQ_CHECKED(askForSpeech());
    for (;;) {
        LQ_TRY(const bool more, scheduleLine());
        if (!more)
            break;
        LQ_CHECKED(askForSpeech());
    }
    LQ_CHECKED(scheduleJoins());
    return endSceneIfDone();
}

// Keeps a few lines ahead of the one to be sent next spoken.
Result<void> ProjectJob::askForSpeech()
{
    const std::size_t end = std::min(m_items.size(), m_next + kSpokenAhead);
    for (std::size_t i = m_next; i < end; ++i) {
        Item& item = m_items[i];
        if (item.stage != Stage::Unknown)
            continue;
        auto found = m_lookup->findSound(item);
        if (!found) {
            failLine(item, found.error().message());
            continue;
        }
        if (*found) {
            item.stage = Stage::Ready;
            ++m_linesKnown;
            m_framesKnown += item.frames;
        } else {
            item.stage = Stage::Asked;
            std::optional<RecordingCut> cut;
            if (item.wish.recording) {
                if (auto stored = m_lookup->loadCut(item))
                    cut = std::move(*stored);
            }
            m_speaker->ask(i, item.wish, std::move(cut));
            if (i == m_next && !inFlight()) // the rank makes ready meanwhile
                LQ_CHECKED(ensureRun());
        }
    }
    return {};
}

Result<void> ProjectJob::onSound(std::size_t index, Result<LineSound> sound, const std::optional<RecordingCut>& cut)
{
    Item& item = m_items[index];
    if (!sound) {
        if (sound.error().isCancelled())
            return fail(std::move(sound).error());
        if (std::exchange(item.open, std::nullopt))
            letGo(); // the rest of the line would never come
        failLine(item, sound.error().message());
        return advance();
    }
    if (item.stage == Stage::Failed) // while it was made from what had been said of it
        return {};
    for (const std::string& warning : sound->warnings)
        warn("Line " + std::to_string(item.number) + ": " + warning);
    if (!sound->voice.empty())
        m_report.voice = sound->voice;
    if (cut)
        LQ_CHECKED(m_lookup->storeCut(item, *cut));
    LQ_CHECKED(m_lookup->storeSound(item, *sound));
    ++m_linesKnown;
    m_framesKnown += item.frames;
    if (item.open)
        return completeOpenLine(item, *sound);
    item.stage = Stage::Ready;
    return advance();
}

ProjectJob::Item* ProjectJob::leftOf(std::size_t index)
{
    while (index-- > 0) {
        if (m_items[index].stage != Stage::Failed)
            return &m_items[index];
    }
    return nullptr;
}

// After a fault it starts again at the line that was at work; those behind it may have their takes.
void ProjectJob::skipDone()
{
    while (m_next < m_items.size() &&
           (m_items[m_next].stage == Stage::Failed || m_items[m_next].stage == Stage::Settled))
        ++m_next;
}

// Takes up the next line; false when it has to wait.
Result<bool> ProjectJob::scheduleLine()
{
    skipDone();
    if (m_next == m_items.size() || m_items[m_next].stage != Stage::Ready)
        return false;
    Item& item = m_items[m_next];
    Item* left = leftOf(m_next);
    const bool leftSettled = !left || left->stage == Stage::Settled;
    std::optional<std::string> boundary;
    if (leftSettled)
        boundary = left ? left->boundary : std::string();
    if (item.keys.empty() && !item.take) {
        LQ_TRY(const bool used, useTake(item, boundary));
        if (used) {
            ++m_next;
            return true;
        }
    }
    double ahead = 0;
    for (const Task& task : m_tasks)
        ahead += task.join ? 0 : secondsOf(m_items[task.item].frames, m_report.fps);
    if (inFlight() && (m_cautious || ahead > kSecondsAhead))
        return false;
    LQ_CHECKED(sendLine(item, left));
    ++m_next;
    return true;
}

// The take that is shown, when it can stay. When every line is to continue the one before, it must have been
// made behind the very boundary (none for a line still in the making: it is not known). An older take that was
// will not do, since the newest is what is seen afterwards: its chunks become a new one. A chosen take stays in
// any case: it would be shown again whatever was made, without the joins to it.
Result<std::optional<cache::Take>> ProjectJob::takeToKeep(const Item& item, const std::optional<std::string>& boundary)
{
    LQ_TRY(std::optional<cache::Take> take, m_lookup->findTake(item));
    if (take && m_request.everything && take->id != item.line.chosenTake && take->boundaryIn != boundary)
        take.reset();
    return take;
}

// Shows a finished take instead of making one.
Result<bool> ProjectJob::useTake(Item& item, const std::optional<std::string>& boundary)
{
    LQ_TRY(const std::optional<cache::Take> take, takeToKeep(item, boundary));
    if (!take)
        return false;
    item.keys = take->chunks;
    item.take = take->id;
    item.boundary = m_lookup->boundaryBehind(item.keys.back());
    if (item.boundary.empty()) { // it was damaged: the line is made again
        item.keys.clear();
        item.take.reset();
        return false;
    }
    for (const pipeline::ChunkSpec& chunk : item.grid)
        reportChunk({"N", 0, item.number, chunk.frames, true, 0});
    m_framesDone += item.frames;
    settle(item);
    return true;
}

Result<void> ProjectJob::sendLine(Item& item, Item* left)
{
    comm::MakeLine line;
    const bool leftWorking = left && left->stage != Stage::Settled;
    if (item.keys.empty() && !leftWorking) {
        item.boundaryIn = left ? left->boundary : std::string();
        auto chain = m_lookup->findChain(item, item.boundaryIn);
        if (!chain.keys.empty()) {
            LQ_TRY(const cache::Take take,
                   m_tools.store->ledger().begin({m_request.document.id, item.line.id, item.lineKey,
                                                  item.boundaryIn, lineSeed(m_lookup->facts(), item.line)}));
            item.take = take.id;
            for (std::size_t i = 0; i < chain.keys.size(); ++i) {
                LQ_CHECKED(m_tools.store->ledger().append(take.id, chain.keys[i], item.grid[i].frames));
                reportChunk({"N", 0, item.number, item.grid[i].frames, true, 0});
                m_framesDone += item.grid[i].frames;
            }
            item.keys = std::move(chain.keys);
            item.boundary = std::move(chain.boundary);
            if (item.keys.size() == item.grid.size()) {
                LQ_CHECKED(m_tools.store->ledger().complete(take.id));
                settle(item);
                return {};
            }
        }
    }
    if (!item.keys.empty()) {
        LQ_TRY(line.boundary, m_lookup->boundaryBytes(item.keys.back()));
        line.boundaryFrom = comm::BoundaryFrom::Given;
    } else if (leftWorking) {
        line.boundaryFrom = comm::BoundaryFrom::Before;
    } else if (left) {
        LQ_TRY(line.boundary, m_lookup->boundaryBytes(left->keys.back()));
        line.boundaryFrom = comm::BoundaryFrom::Given;
    }
    LQ_CHECKED(ensureRun());
    LQ_TRY(LineSound sound, m_lookup->loadSound(item));
    line.firstChunk = static_cast<int>(item.keys.size());
    line.timing = std::move(sound.timing);
    line.audioOnly = line.timing.phonemes.empty();
    line.cues = std::move(sound.cues);
    line.contextBefore = sound.contextBefore;
    line.contextAfter = sound.contextAfter;
    line.audio = std::move(sound.audio);
    return startWork(item, std::move(line));
}

Result<void> ProjectJob::startWork(Item& item, comm::MakeLine line)
{
    line.job = m_id;
    line.task = m_nextTask++;
    line.id = item.line.id;
    line.number = item.number;
    line.seed = lineSeed(m_lookup->facts(), item.line);
    line.prompt = project::promptOf(m_request.document.scenes[m_scene], item.line);
    if (item.open)
        item.open->task = line.task;
    item.stage = Stage::Working;
    m_tasks.push_back({line.task, static_cast<std::size_t>(&item - m_items.data()), false, {}});
    return m_tools.rank.send(line);
}

// Joins whose neighbours are both there, from left to right.
Result<void> ProjectJob::scheduleJoins()
{
    for (std::size_t i = m_nextJoin; i < m_items.size(); ++i) {
        Item& right = m_items[i];
        const Item& left = m_items[i - 1];
        if (right.stage == Stage::Failed || left.stage == Stage::Failed)
            right.joinChecked = true; // nothing to join
        if (!right.joinChecked && !right.joinSent && left.stage == Stage::Settled && !right.keys.empty()) {
            const std::string key = m_lookup->joinBetween(left.keys.back(), right.keys.front(), right);
            if (key.empty() || m_tools.store->part(key, kVideoPart)) { // verifies it
                right.joinChecked = true;
                if (!key.empty()) {
                    m_shown.insert(key);
                    showJoin(right, key);
                    reportChunk({"I", 0, right.number, 0, true, 0});
                }
            } else if (!m_cautious || !inFlight()) {
                LQ_CHECKED(sendJoin(i, key));
            }
        }
        if (i == m_nextJoin && right.joinChecked)
            ++m_nextJoin;
    }
    return {};
}

Result<void> ProjectJob::sendJoin(std::size_t index, const std::string& key)
{
    Item& right = m_items[index];
    comm::MakeJoin join{m_id, m_nextTask++, right.number, {}, {}};
    LQ_TRY(join.left, m_lookup->boundaryBytes(m_items[index - 1].keys.back()));
    LQ_TRY(join.right, m_lookup->boundaryBytes(right.keys.front()));
    LQ_CHECKED(ensureRun());
    right.joinSent = true;
    LQ_CHECKED(m_tools.store->protectAlso(m_request.document.id, key));
    m_tasks.push_back({join.task, index, true, key});
    return m_tools.rank.send(join);
}

Result<void> ProjectJob::ensureRun()
{
    if (m_runActive)
        return {};
    LQ_TRY(m_staging, m_tools.store->stage());
    const SceneFacts& facts = m_lookup->facts();
    comm::StartProject start;
    start.id = m_id;
    start.reference = facts.reference;
    start.settings = facts.settings;
    start.sampleRate = kProjectRate;
    start.channels = 1;
    start.staging = m_staging;
    start.trace = m_request.trace;
    start.preview = m_tools.frames.ringDescriptor() >= 0;
    m_firstLive = std::max(m_firstLive, m_tools.frames.newestIndex() + 1); // later frames are always newer
    start.firstIndex = m_firstLive;
    m_runActive = true;
    watchDisk();
    return m_tools.rank.send(start);
}

// What is left of the scene against the room for it: said before it is too late.
void ProjectJob::watchDisk()
{
    m_diskSeen = Clock::now();
    double seconds = 0;
    for (const Item& item : m_items) {
        if (item.stage != Stage::Settled && item.stage != Stage::Failed)
            seconds += item.frames > 0 ? secondsOf(item.frames, m_report.fps) : project::estimatedSeconds(item.line);
    }
    if (const auto words = m_disk.look(storedBytes(seconds, m_report.width, m_report.height, m_report.fps.toDouble())))
        warn(*words);
}

Result<void> ProjectJob::endSceneIfDone()
{
    if (m_next < m_items.size() || inFlight() || m_endSent)
        return {};
    if (m_nextJoin < m_items.size())
        return {};
    if (m_runActive) {
        m_endSent = true;
        showProgress("finish");
        return m_tools.rank.send(comm::EndProject{m_id});
    }
    sceneDone();
    return {};
}

// Joins the speaker; what it is at is given up.
void ProjectJob::endSpeech()
{
    if (!m_speaker)
        return;
    m_speechCpu += m_speaker->cpuSeconds();
    m_speaker.reset();
}

void ProjectJob::sceneDone()
{
    m_linesBefore += static_cast<int>(m_items.size());
    for (const Item& item : m_items) {
        if (item.take)
            m_takes.push_back(*item.take);
    }
    do
        ++m_scene;
    while (m_scene < m_request.document.scenes.size() && m_request.document.scenes[m_scene].lines.empty());
    if (m_scene < m_request.document.scenes.size())
        return startScene();
    finish();
}

void ProjectJob::settle(Item& item)
{
    item.stage = Stage::Settled;
    m_shown.insert(item.keys.begin(), item.keys.end());
    m_shown.insert({item.speechKey, item.soundKey});
    showLine(item);
    if (m_cautious && item.failures > 0)
        m_cautious = false;
    showProgress("render");
}

Result<void> ProjectJob::protect()
{
    return m_tools.store->protect(m_request.document.id, {m_shown.begin(), m_shown.end()});
}

} // namespace loquor::session
