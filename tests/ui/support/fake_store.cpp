#include "tests/ui/support/fake_store.h"

#include <algorithm>
#include <sstream>

namespace loquor::test {

namespace {

constexpr int kJoinFrames = 6;

template<class Visit>
void eachLine(const project::Document& document, Visit visit)
{
    for (const project::Scene& scene : document.scenes) {
        for (const project::Line& line : scene.lines)
            visit(line);
    }
}

} // namespace

std::string FakeStore::keyOf(const project::Document& document, const project::Line& line, bool withSeed)
{
    const project::Scene& scene = document.scenes.front();
    const project::Output& output = document.output;
    std::ostringstream out;
    out << line.id << '|' << line.text << '|' << line.voice << '|' << line.prompt << '|' << line.pauseAfter.value_or(-1)
        << '|' << scene.speech.voice << '|' << scene.prompt << '|' << scene.background << '|' << scene.reference.file << '|'
        << scene.reference.faceIndex << '|' << output.width << 'x' << output.height << '@' << output.fps.toString() << '|'
        << static_cast<int>(output.framing) << '|' << output.seed.value_or(0);
    out << '|' << speech::pronunciationsUsed(line.text, document.pronunciations, "en");
    if (withSeed)
        out << "|seed " << line.takeSeed;
    return out.str();
}

FakeStore::Line& FakeStore::lineOf(const project::Document& document, const project::Line& line)
{
    return m_lines[keyOf(document, line, true)];
}

const FakeStore::Take* FakeStore::shownTake(const project::Document& document, const project::Line& line) const
{
    const std::string key = keyOf(document, line, true), words = keyOf(document, line, false);
    const Take* found = nullptr;
    for (const Take& take : m_takes) {
        if (take.id == line.chosenTake && take.words == words)
            return &take;
        if (take.key == key)
            found = &take;
    }
    return found;
}

void FakeStore::begin(const project::Document& document, FrameIndex framesTotal)
{
    const std::lock_guard lock(m_mutex);
    std::vector<Line*> unknown;
    eachLine(document, [&](const project::Line& line) {
        Line& known = lineOf(document, line);
        framesTotal -= known.frames;
        if (known.frames == 0)
            unknown.push_back(&known);
    });
    for (std::size_t i = 0; i < unknown.size(); ++i) {
        unknown[i]->frames = std::max<FrameIndex>(1, framesTotal / static_cast<FrameIndex>(unknown.size() - i));
        framesTotal -= unknown[i]->frames;
    }
}

std::vector<session::ChunkReport> FakeStore::make(const project::Document& document, FrameIndex count)
{
    const std::lock_guard lock(m_mutex);
    std::vector<session::ChunkReport> out;
    int number = 0;
    eachLine(document, [&](const project::Line& line) {
        Line& known = lineOf(document, line);
        const FrameIndex made = shownTake(document, line) ? 0 : std::min(count, known.frames - known.made);
        ++number;
        if (made <= 0)
            return;
        known.made += made;
        known.chunks.push_back(static_cast<int>(made));
        count -= made;
        out.push_back({"N", 0, number, static_cast<int>(made), false, 0});
    });
    return out;
}

void FakeStore::addWord(const project::Document& document, const std::string& text, double start, double end)
{
    const std::lock_guard lock(m_mutex);
    double at = 0;
    eachLine(document, [&](const project::Line& line) {
        Line& known = lineOf(document, line);
        const double length = secondsOf(known.frames, document.output.fps);
        if (start >= at && start < at + length) {
            speech::Word word;
            word.text = text;
            word.start = start - at;
            word.end = end - at;
            const std::size_t behind = known.words.empty() ? 0 : static_cast<std::size_t>(known.words.back().textEnd);
            const std::size_t place = line.text.find(text, behind);
            word.textBegin = static_cast<std::int32_t>(place == std::string::npos ? behind : place);
            word.textEnd = word.textBegin + static_cast<std::int32_t>(text.size());
            known.words.push_back(word);
        }
        at += length;
    });
}

void FakeStore::complete(const project::Document& document)
{
    const std::lock_guard lock(m_mutex);
    eachLine(document, [&](const project::Line& line) {
        const Line& known = lineOf(document, line);
        if (known.frames == 0 || known.made < known.frames || shownTake(document, line))
            return;
        Take take;
        take.id = m_nextTake++;
        take.line = line.id;
        take.number = 1 + static_cast<int>(std::count_if(m_takes.begin(), m_takes.end(),
                                                         [&](const Take& one) { return one.line == line.id; }));
        take.frames = known.frames;
        take.complete = take.available = true;
        take.seed = line.takeSeed;
        take.createdAt = "2026-11-30T10:00:0" + std::to_string(take.number % 10) + "Z";
        take.key = keyOf(document, line, true);
        take.words = keyOf(document, line, false);
        m_takes.push_back(take);
    });
}

session::ProjectState FakeStore::inspect(const project::Document& document)
{
    using Kind = session::LineState::Kind;
    const std::lock_guard lock(m_mutex);
    session::ProjectState out;
    m_shown.clear();
    m_fps = document.output.fps;
    eachLine(document, [&](const project::Line& line) {
        const Take* take = shownTake(document, line);
        const std::string key = take ? take->key : keyOf(document, line, true);
        const Line& known = m_lines[key];
        session::LineState state;
        state.number = static_cast<int>(out.lines.size()) + 1;
        state.id = line.id;
        state.frames = known.frames;
        state.take = take ? take->id : 0;
        state.grid = known.chunks;
        if (known.made < known.frames)
            state.grid.push_back(static_cast<int>(known.frames - known.made));
        state.chunks = static_cast<int>(state.grid.size());
        state.chunksMade = static_cast<int>(known.chunks.size());
        state.joinFrames = state.number > 1 && known.frames > kJoinFrames ? kJoinFrames : 0;
        state.joined = take != nullptr;
        state.words = std::make_shared<const std::vector<speech::Word>>(known.words);
        const bool wasMade = std::any_of(m_takes.begin(), m_takes.end(), [&](const Take& one) { return one.line == line.id; });
        state.kind = take ? Kind::Fresh : known.made > 0 ? Kind::Partial
                                      : wasMade          ? Kind::Stale
                                                         : Kind::New;
        m_shown[line.id] = key;
        out.storeBytes += static_cast<std::uint64_t>(known.made) * 20'000;
        out.lines.push_back(state);
        for (const Take& one : m_takes) {
            if (one.line != line.id)
                continue;
            session::TakeInfo info = one;
            info.matches = one.key == keyOf(document, line, true);
            info.fits = one.words == keyOf(document, line, false);
            out.takes.push_back(info);
        }
    });
    return out;
}

FrameIndex FakeStore::frames(const project::Document& document)
{
    const std::lock_guard lock(m_mutex);
    FrameIndex out = 0;
    eachLine(document, [&](const project::Line& line) { out += lineOf(document, line).frames; });
    return out;
}

bool FakeStore::has(session::ProjectPlace place)
{
    const std::lock_guard lock(m_mutex);
    const auto key = m_shown.find(place.line);
    return key != m_shown.end() && place.frame >= 0 && place.frame < m_lines[key->second].made;
}

std::size_t FakeStore::readSound(std::uint64_t line, std::int64_t from, float* out, std::size_t count)
{
    const std::lock_guard lock(m_mutex);
    const auto key = m_shown.find(line);
    if (key == m_shown.end())
        return 0;
    const SampleIndex there = firstSampleOf(m_lines[key->second].frames, session::kLineSoundRate, m_fps) - from;
    const auto got = static_cast<std::size_t>(std::clamp<SampleIndex>(there, 0, static_cast<SampleIndex>(count)));
    std::fill(out, out + got, 0.1f);
    return got;
}

void FakeStore::pin(std::uint64_t take, bool pinned)
{
    const std::lock_guard lock(m_mutex);
    for (Take& one : m_takes)
        one.pinned = one.id == take ? pinned : one.pinned;
}

void FakeStore::remove(std::uint64_t take)
{
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_takes, [take](const Take& one) { return one.id == take; });
}

} // namespace loquor::test
