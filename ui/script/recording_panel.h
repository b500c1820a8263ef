// Recorded speech: open a sound file or take the microphone.
#pragma once

#include <functional>
#include <thread>

#include <QTimer>
#include <QWidget>

#include "core/audio/recorder.h"

class QCheckBox;
class QLabel;
class QPushButton;

namespace loquor::ui {

class LevelMeter;
class MediaChecks;
class ProjectModel;
class RecordingCutter;
class ScriptEditor;

class RecordingPanel : public QWidget
{
    Q_OBJECT

public:
    RecordingPanel(ProjectModel& model, MediaChecks& checks, RecordingCutter& cutter, audio::Recorder& recorder,
                   QWidget* parent = nullptr);
    ~RecordingPanel() override;

    // Where takes go; a function because a saved project keeps them beside itself.
    void setTakeFolder(std::function<QString()> folder) { m_takeFolder = std::move(folder); }
    // Finishes takes in that folder that a crash interrupted, on a thread of its own, once; see recovered().
    void recoverTakes();
    void setCountIn(int seconds) { m_countIn = seconds; }
    void toggleRecording(); // R
    bool isRecording() const;
    QString statusText() const;
    QPushButton& makeLines() { return *m_lines; }
    QPushButton& use() { return *m_use; }
    QString fileText() const;

Q_SIGNALS:
    void chooseRequested();
    // How it is taken in is to be shown, and changed.
    void useRequested();
    void recorded(const QString& file);
    void problem(const QString& message);
    void recovered(const QString& message);
    void fileDropped(const QString& path);

private:
    void start();
    void watch();
    void showAlerts(const audio::RecorderState& state);
    void finish(const audio::RecorderState& state);
    void refresh();

    ProjectModel& m_model;
    MediaChecks& m_checks;
    RecordingCutter& m_cutter;
    audio::Recorder& m_recorder;
    std::function<QString()> m_takeFolder;
    CancelSource m_recoveryStop;
    std::thread m_recovery; // posts to this, touches nothing else of it
    QTimer m_watch;
    int m_countIn = 3;
    bool m_active = false;
    bool m_takeBegan = false, m_stopping = false;
    QLabel *m_file, *m_status, *m_alert, *m_problem;
    LevelMeter* m_meter;
    QPushButton *m_record, *m_choose, *m_use, *m_lines;
    QCheckBox* m_monitor;
    ScriptEditor* m_transcript;
};

} // namespace loquor::ui
