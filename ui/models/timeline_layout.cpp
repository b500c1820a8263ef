#include "ui/models/timeline_layout.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <unordered_map>

#include "core/project/line_facts.h"

namespace loquor::ui {

namespace {

// What the sound of a line depends on, the scene aside.
bool isSameSound(const project::Line& a, const project::Line& b)
{
    const auto endsParagraph = [](const project::Line& line) {
        return std::count(line.after.begin(), line.after.end(), '\n') > 1;
    };
    return std::tie(a.text, a.voice, a.pauseAfter, a.recording) == std::tie(b.text, b.voice, b.pauseAfter, b.recording) &&
           (a.pauseAfter || endsParagraph(a) == endsParagraph(b));
}

bool isSameVoice(const project::Document& a, const project::Document& b)
{
    if (a.scenes.size() != b.scenes.size() || a.output.fps != b.output.fps)
        return false;
    return std::equal(a.scenes.begin(), a.scenes.end(), b.scenes.begin(), [](const auto& x, const auto& y) {
        return x.speech.voice == y.speech.voice && x.speech.language == y.speech.language;
    });
}

// The entries of one of the dictionaries that the other does not have in this way.
speech::Pronunciations changedEntries(const project::Document& a, const project::Document& b)
{
    speech::Pronunciations out;
    const auto addMissing = [&out](const speech::Pronunciations& from, const speech::Pronunciations& in) {
        std::copy_if(from.begin(), from.end(), std::back_inserter(out), [&in](const speech::Pronunciation& entry) {
            return std::find(in.begin(), in.end(), entry) == in.end();
        });
    };
    if (a.pronunciations != b.pronunciations) {
        addMissing(a.pronunciations, b.pronunciations);
        addMissing(b.pronunciations, a.pronunciations);
    }
    return out;
}

// Whether one of them is in the text, in whatever language it may be.
bool isInText(const speech::Pronunciations& entries, const std::string& text)
{
    return std::any_of(entries.begin(), entries.end(), [&text](const speech::Pronunciation& entry) {
        return !speech::pronunciationsUsed(text, {&entry, 1}, entry.language).empty();
    });
}

using LinesById = std::unordered_map<std::uint64_t, const project::Line*>;
LinesById linesById(const project::Document* document)
{
    LinesById out;
    if (document != nullptr) {
        for (const project::Scene& scene : document->scenes) {
            for (const project::Line& line : scene.lines)
                out[line.id] = &line;
        }
    }
    return out;
}

Look lookOf(const session::LineState& state)
{
    switch (state.kind) {
    case session::LineState::Kind::New: return Look::New;
    case session::LineState::Kind::Stale: return Look::Stale;
    case session::LineState::Kind::Partial: return Look::Partial;
    case session::LineState::Kind::Fresh: return Look::Ready;
    }
    return Look::New;
}

class Maker
{
public:
    explicit Maker(const LayoutInput& input)
        : m_input(input), m_inspected(linesById(input.inspected)), m_running(linesById(input.running))
    {
        if (input.state != nullptr && input.inspected != nullptr) {
            for (const session::LineState& state : input.state->lines)
                m_states[state.id] = &state;
            m_samePicture = isSamePicture(input.document, *input.inspected);
            m_sameVoice = isSameVoice(input.document, *input.inspected);
            m_changedEntries = changedEntries(input.document, *input.inspected);
        }
        if (input.running != nullptr)
            m_runChangedEntries = changedEntries(input.document, *input.running);
        m_sameRun = input.running != nullptr && isSamePicture(input.document, *input.running) &&
                    isSameVoice(input.document, *input.running);
    }

    TimelineLayout make()
    {
        std::vector<LayoutLine> lines;
        for (const project::Scene& scene : m_input.document.scenes) {
            for (std::size_t i = 0; i < scene.lines.size(); ++i) {
                lines.push_back(lineOf(scene, i));
                lines.back().number = static_cast<int>(lines.size());
            }
        }
        return {m_input.document.output.fps, std::move(lines)};
    }

private:
    LayoutLine lineOf(const project::Scene& scene, std::size_t index)
    {
        const project::Line& line = scene.lines[index];
        LayoutLine out;
        out.id = line.id;
        out.label = line.text.empty() ? QStringLiteral("♪") : QString::fromStdString(line.text);
        if (const auto known = m_states.find(line.id); known != m_states.end())
            fill(out, line, *known->second);
        if (!out.isMeasured) {
            const double seconds = project::estimatedSeconds(line) + project::pauseSeconds(scene, index);
            out.frames = std::max<FrameIndex>(1, std::llround(std::ceil(seconds * m_input.document.output.fps.toDouble())));
        }
        addRun(out, line);
        return out;
    }

    void fill(LayoutLine& out, const project::Line& line, const session::LineState& state) const
    {
        const project::Line& then = *m_inspected.at(line.id);
        out.look = lookOf(state);
        const bool sameWords = m_sameVoice && !isInText(m_changedEntries, line.text);
        if (sameWords && isSameSound(line, then) && state.frames > 0) {
            out.frames = state.frames;
            out.isMeasured = true;
            out.grid = state.grid;
            out.joinFrames = state.joinFrames;
            out.words = state.words;
        }
        if (m_samePicture && sameWords && isSameLine(line, then)) {
            out.chunksMade = out.look == Look::Ready ? static_cast<int>(state.grid.size()) : state.chunksMade;
            out.isJoined = state.joined;
            out.problem = QString::fromStdString(state.joinFault);
            if (!state.joinFault.empty())
                out.look = Look::Failed;
            return;
        }
        out.look = out.look == Look::New ? Look::New : Look::Stale;
    }

    // What the run will do with it, or why the last one gave it up.
    void addRun(LayoutLine& out, const project::Line& line)
    {
        if (out.look == Look::Ready)
            return;
        if (m_sameRun) {
            const auto running = m_running.find(line.id);
            if (running != m_running.end() && isSameLine(line, *running->second) && !isInText(m_runChangedEntries, line.text)) {
                out.look = m_atWork ? Look::Waiting : Look::Rendering; // it works in order
                out.problem.clear();
                m_atWork = true;
            }
            return;
        }
        if (m_input.faults == nullptr)
            return;
        const auto fault = m_input.faults->find(line.id);
        if (fault != m_input.faults->end() && isSameLine(line, fault->second.line)) {
            out.look = Look::Failed;
            out.problem = fault->second.reason;
        }
    }

    const LayoutInput& m_input;
    const LinesById m_inspected, m_running;
    std::unordered_map<std::uint64_t, const session::LineState*> m_states;
    speech::Pronunciations m_changedEntries, m_runChangedEntries; // since the inspection, since the run began
    bool m_samePicture = false, m_sameVoice = false, m_sameRun = false;
    bool m_atWork = false;
};

} // namespace

FrameIndex LayoutLine::ready() const
{
    FrameIndex out = 0;
    for (int i = 0; i < chunksMade && i < static_cast<int>(grid.size()); ++i)
        out += grid[static_cast<std::size_t>(i)];
    return std::min(out, frames);
}

TimelineLayout::TimelineLayout(Rational fps, std::vector<LayoutLine> lines) : m_fps(fps), m_lines(std::move(lines))
{
    FrameIndex at = 0;
    for (LayoutLine& line : m_lines) {
        line.start = at;
        at += line.frames;
    }
}

const LayoutLine* TimelineLayout::lineAt(FrameIndex frame) const
{
    if (frame < 0 || frame >= total())
        return nullptr;
    const auto behind = std::upper_bound(m_lines.begin(), m_lines.end(), frame,
                                         [](FrameIndex f, const LayoutLine& line) { return f < line.end(); });
    return behind == m_lines.end() ? nullptr : &*behind;
}

const LayoutLine* TimelineLayout::line(std::uint64_t id) const
{
    const auto found = std::find_if(m_lines.begin(), m_lines.end(), [id](const LayoutLine& line) { return line.id == id; });
    return found == m_lines.end() ? nullptr : &*found;
}

FrameIndex TimelineLayout::readyUntil(FrameIndex frame) const
{
    const LayoutLine* line = lineAt(frame);
    if (line == nullptr || frame >= line->start + line->ready())
        return frame;
    FrameIndex end = line->start + line->ready();
    for (++line; line != m_lines.data() + m_lines.size() && end == line->start; ++line)
        end += line->ready();
    return end;
}

FrameIndex TimelineLayout::nextReady(FrameIndex frame) const
{
    for (const LayoutLine& line : m_lines) {
        const FrameIndex first = std::max(frame, line.start);
        if (first < line.start + line.ready())
            return first;
    }
    return -1;
}

FrameIndex TimelineLayout::readyFrames() const
{
    FrameIndex out = 0;
    for (const LayoutLine& line : m_lines)
        out += line.ready();
    return out;
}

bool TimelineLayout::isAllReady() const
{
    return !m_lines.empty() && firstToBeMade() == nullptr;
}

const LayoutLine* TimelineLayout::firstToBeMade() const
{
    const auto found = std::find_if(m_lines.begin(), m_lines.end(), [](const LayoutLine& line) { return line.isToBeMade(); });
    return found == m_lines.end() ? nullptr : &*found;
}

std::optional<session::ProjectPlace> TimelineLayout::placeOf(FrameIndex frame) const
{
    const LayoutLine* line = lineAt(frame);
    return line ? std::optional(session::ProjectPlace{line->id, frame - line->start}) : std::nullopt;
}

std::optional<FrameIndex> TimelineLayout::frameOf(const session::ProjectPlace& place) const
{
    const LayoutLine* found = line(place.line);
    if (found == nullptr || found->frames == 0)
        return std::nullopt;
    return found->start + std::clamp<FrameIndex>(place.frame, 0, found->frames - 1);
}

const speech::Word* TimelineLayout::wordAt(FrameIndex frame) const
{
    const LayoutLine* line = lineAt(frame);
    if (line == nullptr || !line->words)
        return nullptr;
    const double seconds = secondsOf(frame - line->start, m_fps);
    for (const speech::Word& word : *line->words) {
        if (seconds >= word.start && seconds < word.end)
            return &word;
    }
    return nullptr;
}

std::vector<LayoutChunk> chunksOf(const LayoutLine& line)
{
    std::vector<LayoutChunk> out;
    const auto missing = [&line] {
        return line.look == Look::Partial || line.look == Look::Ready ? Look::Stale : line.look;
    };
    if (line.grid.empty()) {
        out.push_back({line.start, line.frames, missing(), false});
        return out;
    }
    FrameIndex at = line.start;
    for (std::size_t i = 0; i < line.grid.size(); ++i) {
        const auto made = static_cast<std::size_t>(line.chunksMade);
        Look look = i < made ? Look::Ready : missing();
        if (line.look == Look::Rendering && i > made)
            look = Look::Waiting;
        if (line.look == Look::Failed && i > made)
            look = Look::New;
        out.push_back({at, line.grid[i], look, false});
        at += line.grid[i];
    }
    if (line.joinFrames > 0)
        out.push_back({line.start, std::min<FrameIndex>(line.joinFrames, line.frames),
                       line.isJoined ? Look::Ready : missing(), true});
    return out;
}

bool isSameLine(const project::Line& a, const project::Line& b)
{
    return isSameSound(a, b) && std::tie(a.prompt, a.takeSeed, a.chosenTake) == std::tie(b.prompt, b.takeSeed, b.chosenTake);
}

bool isSamePicture(const project::Document& a, const project::Document& b)
{
    if (a.output != b.output || a.scenes.size() != b.scenes.size())
        return false;
    return std::equal(a.scenes.begin(), a.scenes.end(), b.scenes.begin(), [](const auto& x, const auto& y) {
        return std::tie(x.reference.file, x.reference.faceIndex, x.background, x.prompt) ==
               std::tie(y.reference.file, y.reference.faceIndex, y.background, y.prompt);
    });
}

TimelineLayout makeLayout(const LayoutInput& input)
{
    return Maker(input).make();
}

} // namespace loquor::ui
