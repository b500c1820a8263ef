// Makes lines of the recording of the project: cut at its pauses, with the words that are said in them.
#pragma once

#include <QObject>

#include "ui/bridge/session_bridge.h"

namespace loquor::ui {

class ProjectModel;

// UI thread. The lines are one undo step. What comes for another recording, or another project, than the one that was
// asked for is not taken.
class RecordingCutter : public QObject
{
    Q_OBJECT

public:
    RecordingCutter(SessionBridge& bridge, ProjectModel& model, QObject* parent = nullptr);

    bool isCutting() const { return m_id != 0; }
    void start();
    void cancel();

Q_SIGNALS:
    void changed(); // began or ended
    void done(const QString& message);
    void failed(const QString& message);

private:
    void onCut(const session::RecordedLines& lines);
    bool isSameRecording() const;

    SessionBridge& m_bridge;
    ProjectModel& m_model;
    CommandId m_id = 0; // 0 = nothing is being cut
    std::uint64_t m_project = 0;
    session::RecordingRequest m_request;
};

} // namespace loquor::ui
