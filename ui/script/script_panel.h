// What is said: written text or a recording.
#pragma once

#include <vector>

#include <QWidget>

#include "core/audio/recorder.h"
#include "core/project/ids.h"
#include "core/session/session.h"
#include "ui/models/project_model.h"

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;

namespace loquor::ui {

class MediaChecks;
class RecordingCutter;
class RecordingPanel;
class RenderState;
class ScriptEditor;

class ScriptPanel : public QWidget
{
    Q_OBJECT

public:
    ScriptPanel(ProjectModel& model, RenderState& state, MediaChecks& checks,
                RecordingCutter& cutter, audio::Recorder& recorder, QWidget* parent = nullptr);

    ScriptEditor& editor() { return *m_editor; }
    RecordingPanel& recording() { return *m_recording; }
    QComboBox& voice() { return *m_voice; }
    bool isText() const { return m_model.scene().speech.mode == project::SpeechMode::Text; }
    void setVoices(const std::vector<session::VoiceInfo>& voices);
    // Text from a file replaces the script.
    void takeText(const QString& text);
    // Lights up the word that is said there; -1: none.
    void showSaid(FrameIndex frame);
    QString lengthText() const;
    // What is selected of the line: bytes of its text; equal: nothing is.
    std::pair<qint32, qint32> selectedOf(quint64 line) const;

Q_SIGNALS:
    void fileDropped(const QString& path);
    void ssmlRead(const QString& message, bool isComplete);
    // A text that cannot be a script; the script is as it was.
    void textRefused(const QString& message);
    // A word of a line was clicked (byte of its text).
    void wordClicked(quint64 line, qint32 byte);

private:
    QWidget* makeTextPage();
    void setMode(project::SpeechMode mode);
    void setText(const QString& name, QString text);
    void refresh();
    void refreshLines();

    ProjectModel& m_model;
    RenderState& m_state;
    const project::IdSource m_ids = project::randomIds();
    std::vector<session::VoiceInfo> m_voices;
    QPushButton *m_textMode, *m_recordingMode;
    QStackedWidget* m_pages;
    ScriptEditor* m_editor;
    QLabel *m_count, *m_length, *m_recorded;
    QComboBox* m_voice;
    RecordingPanel* m_recording;
};

} // namespace loquor::ui
