// What is said: written text or a recording.
#pragma once

#include <vector>

#include <QWidget>

#include "core/audio/recorder.h"
#include "core/project/document.h"
#include "core/session/session.h"

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;

namespace loquor::ui {

class MediaChecks;
class ProjectModel;
class RecordingPanel;
class ScriptEditor;

class ScriptPanel : public QWidget
{
    Q_OBJECT

public:
    ScriptPanel(ProjectModel& model, MediaChecks& checks, audio::Recorder& recorder,
                QWidget* parent = nullptr);

    ScriptEditor& editor() { return *m_editor; }
    RecordingPanel& recording() { return *m_recording; }
    QComboBox& voice() { return *m_voice; }
    void setVoices(const std::vector<session::VoiceInfo>& voices);
    // Text from a file replaces the script.
    void takeText(const QString& text);

Q_SIGNALS:
    void fileDropped(const QString& path);

private:
    QWidget* makeTextPage();
    void setMode(project::SpeechMode mode);
    void refresh();

    ProjectModel& m_model;
    std::vector<session::VoiceInfo> m_voices;
    QPushButton *m_textMode, *m_recordingMode;
    QStackedWidget* m_pages;
    ScriptEditor* m_editor;
    QLabel* m_count;
    QComboBox* m_voice;
    RecordingPanel* m_recording;
};

} // namespace loquor::ui
