// The window: puts the panels together and connects them. Decides nothing itself that a panel or
// controller could decide.
#pragma once

#include <QMainWindow>
#include <QTimer>

#include "core/audio/playback.h"
#include "core/audio/recorder.h"
#include "ui/bridge/heartbeat.h"
#include "ui/bridge/session_bridge.h"
#include "ui/jobs/job_controller.h"
#include "ui/main/studio_context.h"
#include "ui/main/transport_keys.h"
#include "ui/models/media_checks.h"
#include "ui/models/project_files.h"
#include "ui/models/project_model.h"
#include "ui/models/recording_cutter.h"
#include "ui/models/render_state.h"
#include "ui/preview/playback_controller.h"
#include "ui/settings/preferences.h"

namespace loquor::ui {

class Actions;
class JobPanel;
class LinePanel;
class MessageBar;
class OutputPanel;
class PreviewDirector;
class PreviewPanel;
class ProjectFlow;
class ReferencePanel;
class ScriptPanel;
class SpeechTools;
class StatusLine;
class TakesPanel;
class Theme;
class TimelinePanel;
class TimelineView;
class Workspace;

class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    MainWindow(const StudioContext& context, Theme& theme, QWidget* parent = nullptr);
    ~MainWindow() override;

    ProjectModel& model() { return m_model; }
    ProjectFlow& flow() { return *m_flow; }
    ProjectFiles& files() { return m_files; }
    JobController& jobs() { return m_jobs; }
    PlaybackController& playback() { return m_playback; }
    MediaChecks& checks() { return m_checks; }
    ReferencePanel& referencePanel() { return *m_reference; }
    ScriptPanel& scriptPanel() { return *m_script; }
    OutputPanel& outputPanel() { return *m_output; }
    PreviewPanel& previewPanel() { return *m_preview; }
    JobPanel& jobPanel() { return *m_jobPanel; }
    RenderState& renderState() { return m_state; }
    TimelineView& timeline();
    Workspace& workspace() { return *m_workspace; }
    LinePanel& linePanel() { return *m_line; }
    TakesPanel& takesPanel() { return *m_takes; }
    SpeechTools& speechTools() { return *m_tools; }
    MessageBar& messages() { return *m_messages; }
    StatusLine& status() { return *m_status; }
    Actions& actions() { return *m_actions; }
    Heartbeat& heartbeat() { return m_heartbeat; }

    // Projects are opened; everything else becomes person, recording or script.
    void importFiles(const QStringList& paths);
    void generate();
    void exportTo(const QString& file) { exportAs({file, session::Captions::None, {}, 0, 0}); }
    void exportAs(const loquor::ui::ExportChoice& choice);
    void showSettings();
    void applyPreferences(const loquor::ui::Preferences& preferences);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;

private:
    QWidget* makeStage();
    void makeDocks();
    void connectActions();
    void connectPanels();
    void connectLines();
    void connectJobs();
    void chooseExport();
    void tellFaults();
    void updateTitle();
    void updateReadiness();
    void updateSoundNote();
    void prepareEngine();
    void measureFreeSpace();
    void onProjectReplaced();
    void onFinished();
    QString exportFolder() const;
    QString takeFolder() const;

    const QString m_dataFolder;
    Theme& m_theme;
    Preferences m_preferences;
    SessionBridge m_bridge;
    ProjectModel m_model;
    MediaChecks m_checks;
    ProjectFiles m_files;
    RenderState m_state;
    RecordingCutter m_cutter;
    JobController m_jobs;
    audio::Playback m_sound;
    audio::Recorder m_recorder;
    PlaybackController m_playback;
    TransportKeys m_keys;
    QTimer m_prepareTimer, m_slowTimer;
    Heartbeat m_heartbeat;
    qint64 m_freeBytes = -1;
    QStringList m_warned; // shown already for this project
    bool m_mayClose = false;

    Actions* m_actions;
    MessageBar* m_messages;
    ReferencePanel* m_reference;
    ScriptPanel* m_script;
    OutputPanel* m_output;
    PreviewPanel* m_preview;
    JobPanel* m_jobPanel;
    LinePanel* m_line;
    TakesPanel* m_takes;
    TimelinePanel* m_timeline;
    StatusLine* m_status;
    Workspace* m_workspace;
    PreviewDirector* m_director;
    ProjectFlow* m_flow;
    SpeechTools* m_tools;
};

} // namespace loquor::ui
