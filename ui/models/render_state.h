// What of the project is made: asked of the engine after every edit and every finished chunk.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <QObject>
#include <QTimer>

#include "core/session/session.h"
#include "ui/bridge/session_bridge.h"
#include "ui/models/timeline_layout.h"

namespace loquor::ui {

class ProjectModel;

// UI thread. One question is on its way at most; what changed meanwhile is asked when it is answered. Between edit and
// answer the layout says what can be told without the engine: edited lines are stale, the others are as they were.
class RenderState : public QObject
{
    Q_OBJECT

public:
    RenderState(SessionBridge& bridge, ProjectModel& model, QObject* parent = nullptr);

    // Never null; immutable.
    const std::shared_ptr<const TimelineLayout>& layout() const { return m_layout; }
    // Of the line, by number; as of the last inspection.
    std::vector<session::TakeInfo> takesOf(std::uint64_t line) const;
    std::uint64_t takeShown(std::uint64_t line) const; // 0 = none
    std::uint64_t storeBytes() const { return m_state ? m_state->storeBytes : 0; }
    // No question is on its way or about to be asked: the layout is what the store holds.
    bool isSettled() const;

    // A run makes this document from now on; nothing: no run is on.
    void setRunning(const project::Document* document);
    // What a run could not make.
    void setFaults(const project::Document& document, const session::RenderReport& report);
    // Something was made, chosen or removed.
    void inspectSoon();

    void pinTake(std::uint64_t take, bool pinned);
    void removeTake(std::uint64_t take);

Q_SIGNALS:
    // Another layout.
    void changed();
    // An answer came (or there is nothing to ask): takes and store are new, too.
    void inspected();
    void refused(const QString& message); // a change of takes

private:
    void onEdited();
    void ask();
    void answered(int delay);
    void rebuild();
    bool canAsk() const;

    SessionBridge& m_bridge;
    ProjectModel& m_model;
    QTimer m_timer;
    CommandId m_asked = 0; // 0 = nothing is on its way
    bool m_again = false;
    std::uint64_t m_project = 0; // whose state this is
    std::vector<CommandId> m_changes;
    std::optional<project::Document> m_askedDocument, m_inspected, m_running;
    std::optional<session::ProjectState> m_state;
    std::map<std::uint64_t, LineFault> m_faults;
    std::shared_ptr<const TimelineLayout> m_layout = std::make_shared<const TimelineLayout>();
};

} // namespace loquor::ui
