#include "ui/models/render_state.h"

#include <algorithm>
#include <utility>

#include "core/base/log.h"
#include "ui/models/project_model.h"

namespace loquor::ui {

namespace {

constexpr int kEditDelayMs = 150; // typing asks once it rests
constexpr int kNewsDelayMs = 30;

} // namespace

RenderState::RenderState(SessionBridge& bridge, ProjectModel& model, QObject* parent)
    : QObject(parent), m_bridge(bridge), m_model(model)
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &RenderState::ask);
    connect(&m_model, &ProjectModel::changed, this, &RenderState::onEdited);
    connect(&m_model, &ProjectModel::fileChanged, this, [this] {
        if (m_project != m_model.document().id) // saved as a copy
            onEdited();
    });
    connect(&m_bridge, &SessionBridge::projectInspected, this,
            [this](CommandId id, const session::ProjectState& state) {
                if (id != m_asked)
                    return;
                m_asked = 0;
                m_inspected = std::exchange(m_askedDocument, std::nullopt);
                m_state = state;
                answered(kNewsDelayMs);
            });
    connect(&m_bridge, &SessionBridge::commandFailed, this, [this](CommandId id, const Error& error) {
        if (id == m_asked) { // no photo yet, a missing file: said where it belongs
            log(LogLevel::Info, "ui", error.logText());
            m_asked = 0;
            m_state.reset();
            m_inspected.reset();
            answered(kEditDelayMs);
        } else if (std::erase(m_changes, id) > 0) {
            Q_EMIT refused(QString::fromStdString(error.message()));
        }
    });
}

void RenderState::answered(int delay)
{
    if (std::exchange(m_again, false))
        m_timer.start(delay);
    rebuild();
    Q_EMIT inspected();
}

bool RenderState::canAsk() const
{
    const project::Scene& scene = m_model.scene();
    return scene.speech.mode == project::SpeechMode::Text && !scene.lines.empty() && !scene.reference.file.empty();
}

void RenderState::onEdited()
{
    if (m_project != m_model.document().id) { // another project: nothing is known of it
        if (m_inspected && m_inspected->id == m_project)
            m_bridge.session().closeProject(*m_inspected); // what it shows may make room from now on
        m_project = m_model.document().id;
        m_state.reset();
        m_inspected.reset();
        m_faults.clear();
        m_running.reset();
        m_again = false;
        m_asked = 0;
        m_askedDocument.reset();
    }
    rebuild();
    if (m_asked != 0)
        m_again = true;
    else
        m_timer.start(m_inspected ? kEditDelayMs : kNewsDelayMs);
}

void RenderState::inspectSoon()
{
    if (m_asked != 0)
        m_again = true;
    else if (!m_timer.isActive())
        m_timer.start(kNewsDelayMs);
}

void RenderState::ask()
{
    if (m_asked != 0)
        return;
    if (!canAsk()) // nothing to be found
        return Q_EMIT inspected();
    m_askedDocument = m_model.document();
    m_asked = m_bridge.session().inspectWords(*m_askedDocument);
}

bool RenderState::isSettled() const
{
    return m_asked == 0 && !m_again && !m_timer.isActive();
}

void RenderState::setRunning(const project::Document* document)
{
    m_running = document ? std::optional(*document) : std::nullopt;
    if (document)
        m_faults.clear();
    rebuild();
    inspectSoon();
}

void RenderState::setFaults(const project::Document& document, const session::RenderReport& report)
{
    m_faults.clear();
    for (const auto* list : {&report.failedJoins, &report.failedLines}) {
        for (const session::RenderReport::FailedLine& failed : *list) {
            int number = 0;
            for (const project::Scene& scene : document.scenes) {
                for (const project::Line& line : scene.lines) {
                    if (++number == failed.line)
                        m_faults[line.id] = {QString::fromStdString(failed.reason), line};
                }
            }
        }
    }
    rebuild();
}

std::vector<session::TakeInfo> RenderState::takesOf(std::uint64_t line) const
{
    std::vector<session::TakeInfo> out;
    if (m_state)
        std::copy_if(m_state->takes.begin(), m_state->takes.end(), std::back_inserter(out),
                     [line](const session::TakeInfo& take) { return take.line == line; });
    return out;
}

std::uint64_t RenderState::takeShown(std::uint64_t line) const
{
    if (!m_state)
        return 0;
    const auto found = std::find_if(m_state->lines.begin(), m_state->lines.end(),
                                    [line](const session::LineState& state) { return state.id == line; });
    return found == m_state->lines.end() ? 0 : found->take;
}

void RenderState::pinTake(std::uint64_t take, bool pinned)
{
    m_changes.push_back(m_bridge.session().pinTake(take, pinned));
    inspectSoon();
}

void RenderState::removeTake(std::uint64_t take)
{
    m_changes.push_back(m_bridge.session().removeTake(take));
    inspectSoon();
}

void RenderState::rebuild()
{
    const LayoutInput input{m_model.document(), m_state ? &*m_state : nullptr, m_inspected ? &*m_inspected : nullptr,
                            m_running ? &*m_running : nullptr, &m_faults};
    m_layout = std::make_shared<const TimelineLayout>(
        m_model.scene().speech.mode == project::SpeechMode::Text ? makeLayout(input) : TimelineLayout());
    Q_EMIT changed();
}

} // namespace loquor::ui
