#include "core/session/project_inspector.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/guarded_thread.h"
#include "core/session/export_captions.h"

namespace loquor::session {

namespace {

// What is left of a line's takes when none fits: whether it was ever made, and how much of it is there.
LineState::Kind kindWithoutTake(const LineItem& item, bool soundKnown, LineLookup& lookup,
                                const std::string& boundary, bool wasMade, LineState& state, ShownLine& shown)
{
    if (soundKnown) {
        const LineLookup::Chain chain = lookup.findChain(item, boundary);
        for (std::size_t i = 0; i < chain.keys.size(); ++i)
            shown.chunks.push_back({chain.keys[i], item.grid[i].frames});
        state.chunks = static_cast<int>(item.grid.size());
        state.chunksMade = static_cast<int>(chain.keys.size());
        if (state.chunksMade > 0)
            return LineState::Kind::Partial;
    }
    return wasMade ? LineState::Kind::Stale : LineState::Kind::New;
}

TakeInfo describe(const cache::Take& take, const LineItem& item, const LineLookup& lookup, cache::ChunkStore& store)
{
    TakeInfo out;
    out.id = take.id;
    out.line = take.line;
    out.number = take.number;
    out.frames = take.frames;
    out.complete = take.complete;
    out.pinned = take.pinned;
    out.matches = take.lineKey == item.lineKey;
    out.fits = lookup.fits(item, take);
    out.available = !take.chunks.empty() && store.missing(take.chunks).empty();
    out.seed = take.seed;
    out.createdAt = take.createdAt;
    return out;
}

Result<void> addCaptions(const LineItem& item, cache::ChunkStore& store, ProjectState& out)
{
    LQ_TRY(const SaidText said, saidText(item, store));
    for (speech::CaptionCue& cue : captionsOf({said}, nullptr))
        out.captions.push_back({cue.start, cue.end, std::move(cue.text)});
    return {};
}

// Words that cannot be read are shown nowhere; the line is as good without.
std::shared_ptr<const std::vector<speech::Word>> wordsOf(const LineItem& item, cache::ChunkStore& store, WordCache& known)
{
    auto& words = known[item.speechKey];
    if (!words) {
        if (auto said = saidText(item, store))
            words = std::make_shared<const std::vector<speech::Word>>(std::move(said->timing.words));
    }
    return words;
}

// What is told of a line as soon as its sound is there.
Result<void> addSound(const LineItem& item, bool isFirst, cache::ChunkStore& store, LineLookup& lookup,
                      const InspectionWish& wish, Inspection& found, LineState& state, ShownLine& shown)
{
    if (item.number == wish.captionsOf)
        LQ_CHECKED(addCaptions(item, store, found.state));
    if (wish.words != nullptr)
        state.words = wordsOf(item, store, *wish.words);
    for (const pipeline::ChunkSpec& chunk : item.grid)
        state.grid.push_back(chunk.frames);
    if (!isFirst && !item.grid.empty())
        state.joinFrames = pipeline::joinLength(item.grid.front(), lookup.facts().pack.joins());
    shown.sound = heardOf(item, lookup);
    return {};
}

Result<void> inspectScene(const project::Document& document, std::size_t sceneIndex, cache::ChunkStore& store,
                          LineLookup& lookup, Inspection& found, const InspectionWish& wish, const CancelToken& cancel)
{
    ProjectState& out = found.state;
    std::string boundary, left; // of the line before, when it is there
    const int before = static_cast<int>(out.lines.size());
    LQ_TRY(std::vector<LineItem> items, lineItems(document, sceneIndex, before + 1));
    for (LineItem& item : items) {
        if (cancel.isCancelled())
            return cancelled();
        LineState state;
        state.number = item.number;
        state.id = item.line.id;
        const auto known = lookup.findSound(item);
        const bool soundKnown = known && *known;
        state.frames = item.frames;
        LQ_TRY(const std::vector<cache::Take> takes, store.ledger().list(document.id, item.line.id));
        for (const cache::Take& take : takes)
            out.takes.push_back(describe(take, item, lookup, store));
        ShownLine shown{item.line.id, item.frames, {}, {}};
        if (soundKnown)
            LQ_CHECKED(addSound(item, item.number == before + 1, store, lookup, wish, found, state, shown));
        std::optional<cache::Take> take;
        if (soundKnown) {
            LQ_TRY(take, lookup.findTake(item));
        }
        if (take) {
            state.kind = LineState::Kind::Fresh;
            state.take = take->id;
            state.chunks = state.chunksMade = static_cast<int>(take->chunks.size());
            boundary = lookup.boundaryBehind(take->chunks.back());
            const std::string join = left.empty() ? std::string()
                                                  : lookup.joinBetween(left, take->chunks.front(), item);
            state.joined = join.empty() || store.part(join, kVideoPart).has_value();
            if (!state.joined) {
                state.kind = LineState::Kind::Partial; // an export would miss its first pictures
                state.joinFault = readJoinFault(take->reason, join);
            }
            for (std::size_t i = 0; i < std::min(take->chunks.size(), item.grid.size()); ++i)
                shown.chunks.push_back({take->chunks[i], item.grid[i].frames});
            if (!join.empty() && state.joined)
                shown.join = {join, pipeline::joinLength(item.grid.front(), lookup.facts().pack.joins())};
            left = take->chunks.back();
        } else {
            const bool wasMade = std::any_of(takes.begin(), takes.end(), [](const cache::Take& one) { return one.complete; });
            state.kind = kindWithoutTake(item, soundKnown, lookup, boundary, wasMade, state, shown);
            left.clear();
        }
        out.lines.push_back(state);
        found.shown.push_back(std::move(shown));
    }
    return {};
}

// Of what the cache holds, the words of this project stay.
void keepUsed(WordCache& words, const ProjectState& state)
{
    std::set<const void*> used;
    for (const LineState& line : state.lines)
        used.insert(line.words.get());
    std::erase_if(words, [&](const auto& one) { return !used.contains(one.second.get()); });
}

} // namespace

const char* toString(LineState::Kind kind)
{
    switch (kind) {
    case LineState::Kind::New: return "new";
    case LineState::Kind::Stale: return "stale";
    case LineState::Kind::Partial: return "partial";
    case LineState::Kind::Fresh: return "fresh";
    }
    return "?";
}

Result<Inspection> inspectProject(const project::Document& document, cache::ChunkStore& store,
                                  const VoiceShelf& voices, const std::filesystem::path& dataFolder,
                                  const InspectionWish& wish, const CancelToken& cancel)
{
    Inspection out;
    const auto list = voices.list();
    for (std::size_t i = 0; i < document.scenes.size(); ++i) {
        if (document.scenes[i].lines.empty())
            continue;
        LQ_TRY(SceneFacts facts, sceneFacts(document, document.scenes[i], dataFolder, cancel, wish.hashes));
        LineLookup lookup(store, std::move(facts), document.scenes[i], document.id, list);
        LQ_CHECKED(inspectScene(document, i, store, lookup, out, wish, cancel));
    }
    LQ_TRY(const cache::StoreUsage usage, store.usage());
    out.state.storeBytes = usage.bytes;
    return out;
}

ProjectInspector::ProjectInspector(std::shared_ptr<cache::ChunkStore> store, std::shared_ptr<VoiceShelf> voices,
                                   std::filesystem::path dataFolder, Done done)
    : m_store(std::move(store)), m_voices(std::move(voices)), m_dataFolder(std::move(dataFolder)),
      m_done(std::move(done))
{
    m_thread = guardedThread("looking at projects", [this] { run(); });
}

ProjectInspector::~ProjectInspector()
{
    m_cancel.cancel();
    {
        std::lock_guard lock(m_mutex);
        m_quit = true;
    }
    m_changed.notify_one();
    m_thread.join();
}

void ProjectInspector::ask(CommandId id, project::Document document, int captionsOf, bool words)
{
    {
        std::lock_guard lock(m_mutex);
        m_asked.push_back({id, std::move(document), captionsOf, words});
    }
    m_changed.notify_one();
}

void ProjectInspector::run()
{
    for (;;) {
        Question next;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_quit || !m_asked.empty(); });
            if (m_quit)
                return;
            next = std::move(m_asked.front());
            m_asked.pop_front();
        }
        const std::uint64_t project = next.document.id;
        Result<Inspection> found = fail(ErrorCode::Internal, "The project was not looked at.");
        WordCache words = std::exchange(m_words, {});
        const auto look = [&] {
            const InspectionWish wish{next.captionsOf, next.words ? &words : nullptr, &m_hashes};
            found = inspectProject(next.document, *m_store, *m_voices, m_dataFolder, wish, m_cancel.token());
        };
        if (auto error = caught("looking at the project", look))
            found = fail(std::move(*error));
        if (found && next.words)
            keepUsed(words, found->state);
        m_words = std::move(words);
        m_done(next.id, project, std::move(found));
    }
}

} // namespace loquor::session
