#include "ui/preview/preview_director.h"

#include <tuple>

#include "ui/jobs/job_controller.h"
#include "ui/models/media_checks.h"
#include "ui/models/project_model.h"
#include "ui/models/readiness.h"
#include "ui/models/render_state.h"
#include "ui/preview/playback_controller.h"
#include "ui/preview/preview_panel.h"
#include "ui/preview/preview_widget.h"
#include "ui/timeline/timeline_view.h"

namespace loquor::ui {

namespace {

// Whether a run of one recording would look the same: a confirmation or a kept field does not change it.
bool looksTheSame(const project::Document& a, const project::Document& b)
{
    const session::RenderRequest x = makeRequest(a, {}), y = makeRequest(b, {});
    const auto speech = [](const session::SpeechInput& s) { return std::tie(s.text, s.audioFile, s.import, s.voice, s.language); };
    const auto picture = [](const session::RenderSettings& s) {
        return std::tie(s.width, s.height, s.fps, s.seed, s.background, s.framing, s.prompt, s.faceIndex);
    };
    return x.reference == y.reference && speech(x.speech) == speech(y.speech) && picture(x.settings) == picture(y.settings);
}

} // namespace

PreviewDirector::PreviewDirector(const Parts& parts, QObject* parent)
    : QObject(parent), m(parts), m_project(std::make_shared<ProjectSource>(parts.session))
{
    connect(&m.state, &RenderState::changed, this, &PreviewDirector::followProject);
    connect(&m.state, &RenderState::inspected, this, &PreviewDirector::onInspected);
    connect(&m.checks, &MediaChecks::changed, this, &PreviewDirector::updateStill);
    connect(&m.model, &ProjectModel::changed, this, &PreviewDirector::updateStill);
    connect(&m.jobs, &JobController::started, this, &PreviewDirector::onStarted);
    connect(&m.jobs, &JobController::stateChanged, this, &PreviewDirector::onJobState);
    connect(&m.jobs, &JobController::incomplete, this, [this] {
        if (m.jobs.isProject() && m.jobs.making())
            m.state.setFaults(*m.jobs.renderedDocument(), *m.jobs.making());
    });
    connect(&m.jobs, &JobController::progressed, this, [this] {
        if (!m.jobs.isProject())
            followRun();
    });
    connect(&m.jobs, &JobController::timed, this, &PreviewDirector::addWords);
    connect(&m.jobs, &JobController::chunkFinished, this, [this](const session::ChunkReport& chunk) {
        if (m.jobs.isProject()) {
            m.state.inspectSoon();
        } else if (chunk.kind == "N") { // joins replace frames, they add none
            m_runLine.grid.push_back(chunk.frames);
            m_runLine.chunksMade = static_cast<int>(m_runLine.grid.size());
            followRun();
        }
    });
    connect(&m.timeline, &TimelineView::scrubbed, &m.playback, &PlaybackController::seek);
    connect(&m.playback, &PlaybackController::positionChanged, this, [this](qint64 frame) {
        if (!m.timeline.isSliderDown())
            m.timeline.setValue(static_cast<int>(frame));
        updateNote();
    });
    followProject();
    updateStill();
}

bool PreviewDirector::isProject() const
{
    return m.model.scene().speech.mode == project::SpeechMode::Text;
}

// The document says which of the two it is; what a run of the other kind made is out of sight then.
void PreviewDirector::useSource()
{
    const Rational fps = m.model.document().output.fps;
    const bool sameSource = m.playback.source() == (isProject() ? static_cast<PreviewSource*>(m_project.get()) : m_run.get());
    if (sameSource && (!isProject() || m.playback.fps() == fps))
        return;
    m_usesProject = isProject();
    m.preview.picture().forgetFrame();
    if (m_usesProject)
        m.playback.setSource(m_project, fps);
    else
        m.playback.setSource(m_run, m_run ? m.playback.fps() : fps);
    m.playback.setRunning(m.jobs.isRunning() && m.jobs.isProject() == m_usesProject);
    if (!m_usesProject)
        m.timeline.setTimeLayout(m_runLayout ? m_runLayout : std::make_shared<const TimelineLayout>());
}

void PreviewDirector::followProject()
{
    if (!isProject()) {
        useSource();
        return updateNote();
    }
    const auto layout = m.state.layout();
    const auto seen = m_usesProject ? m.timeline.timeLayout().placeOf(m.playback.position()) : std::nullopt;
    m_project->setLayout(layout);
    useSource();
    m.timeline.setTimeLayout(layout);
    m.playback.refresh(seen ? layout->frameOf(*seen).value_or(-1) : -1);
    m.timeline.setValue(static_cast<int>(m.playback.position()));
    updateNote();
}

void PreviewDirector::followRun()
{
    if (!m_run || m_usesProject)
        return;
    const session::Snapshot now = m.jobs.snapshot();
    if (m.jobs.isRunning())
        m_run->setProgress(now.framesReady, now.framesTotal);
    m_runLine.frames = std::max({m_run->total(), m_run->reach(), FrameIndex(0)});
    m_runLine.isMeasured = m_run->total() > 0;
    m_runLine.look = m.jobs.isRunning() ? Look::Rendering : Look::Ready;
    if (m_runWords.size() != (m_runLine.words ? m_runLine.words->size() : 0))
        m_runLine.words = std::make_shared<const std::vector<speech::Word>>(m_runWords);
    LayoutLine line = m_runLine;
    FrameIndex made = 0;
    for (const int frames : line.grid)
        made += frames;
    if (made < line.frames) // what is still to come
        line.grid.push_back(static_cast<int>(line.frames - made));
    std::vector<LayoutLine> lines;
    if (line.frames > 0)
        lines.push_back(std::move(line));
    m_runLayout = std::make_shared<const TimelineLayout>(m.playback.fps(), std::move(lines));
    m.timeline.setTimeLayout(m_runLayout);
    m.playback.refresh();
}

void PreviewDirector::addWords(const speech::Timing& timing)
{
    m_runWords.insert(m_runWords.end(), timing.words.begin(), timing.words.end());
    followRun();
}

void PreviewDirector::onStarted()
{
    m_ends = false;
    const project::Document& document = *m.jobs.renderedDocument();
    if (m.jobs.isProject()) {
        m.state.setRunning(&document);
        useSource();
        m.playback.setRunning(true);
        const LayoutLine* first = m.state.layout()->firstToBeMade();
        m.playback.playFrom(first ? first->start : 0);
        return;
    }
    m_run = std::make_shared<RunSource>(m.session);
    m_runWords.clear();
    m_runLine = {};
    m_runLine.number = 1;
    m_runLayout.reset();
    m_usesProject = false;
    m.preview.picture().forgetFrame();
    m.playback.setSource(m_run, document.output.fps);
    m.timeline.setTimeLayout(std::make_shared<const TimelineLayout>());
    m.playback.setRunning(true);
    m.playback.play();
}

void PreviewDirector::onJobState()
{
    if (m.jobs.isRunning())
        return;
    if (m.jobs.isProject()) {
        m_ends = true; // its last chunks may not have been seen yet
        m.state.setRunning(nullptr);
        return;
    }
    if (m_run && m.jobs.making())
        m_run->setProgress(m.jobs.making()->frames, m.jobs.making()->frames);
    followRun();
    m.playback.setRunning(false);
    updateNote();
}

void PreviewDirector::onInspected()
{
    if (!m_ends || !m.state.isSettled())
        return;
    m_ends = false;
    m.playback.setRunning(false);
    updateNote();
}

void PreviewDirector::reset()
{
    m_run.reset();
    m_runLayout.reset();
    m_ends = false;
    m.playback.setSource(nullptr, m.model.document().output.fps);
    m.preview.picture().forgetFrame();
    m_usesProject = false;
    followProject();
    updateStill();
}

void PreviewDirector::showWord(std::uint64_t id, std::int32_t byte)
{
    const LayoutLine* line = m_usesProject ? m.state.layout()->line(id) : nullptr;
    if (!line || !line->words)
        return showLine(id);
    for (const speech::Word& word : *line->words) {
        if (byte < word.textEnd) {
            const auto frame = static_cast<FrameIndex>(word.start * m.state.layout()->fps().toDouble());
            return m.playback.seek(line->start + std::min(frame, line->frames - 1));
        }
    }
    showLine(id);
}

void PreviewDirector::showLine(std::uint64_t id)
{
    if (const LayoutLine* line = m_usesProject ? m.state.layout()->line(id) : nullptr)
        m.playback.seek(line->start);
}

void PreviewDirector::updateStill()
{
    m.preview.showStill(m.checks.reference(), m.model.document());
    const StageText text = Readiness::stage(m.model.scene(), m.checks.reference(), m.checks.importing());
    m.preview.picture().setEmptyText(text.title, text.hint);
    updateNote();
}

void PreviewDirector::updateNote()
{
    QString note;
    if (m_usesProject) {
        const FrameIndex at = m.playback.position();
        const TimelineLayout& layout = *m.state.layout();
        const LayoutLine* line = layout.lineAt(at);
        if (line && !layout.isReady(at) && !m.playback.isRunning()) {
            if (line->look == Look::Failed)
                note = tr("Could not be made");
            else if (line->look == Look::New && layout.readyFrames() > 0)
                note = tr("Not made yet");
            else if (m.preview.picture().shownFrame() >= 0)
                note = tr("Changed since this preview");
        }
    } else if (const auto& rendered = m.jobs.renderedDocument(); rendered && m.playback.hasFrames()) {
        if (!looksTheSame(*rendered, m.model.document()))
            note = tr("Changed since this preview");
    }
    m.preview.picture().setNote(note);
}

} // namespace loquor::ui
