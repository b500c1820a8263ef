// A stretch of a recorded line is said again; the rest of the line, and the old recording, stay.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <QDialog>
#include <QTimer>

#include "core/audio/recorder.h"
#include "core/project/document.h"
#include "core/speech/timing.h"
#include "ui/bridge/session_bridge.h"

class QComboBox;
class QDialogButtonBox;
class QLabel;
class QPushButton;

namespace loquor::ui {

class LevelMeter;
class ProjectModel;
class TimeBox;
class WaveformView;
class WordSpeaker;

// What the dialog works with; all but the words outlive it.
struct PunchParts
{
    SessionBridge& bridge;
    ProjectModel& model;
    audio::Recorder& recorder;
    WordSpeaker& speaker;
    QString takeFolder;
    std::uint64_t line = 0;                                  // a recorded one
    std::shared_ptr<const std::vector<speech::Word>> words{}; // of the line; null: nobody knows where they are
    std::int32_t begin = 0, end = 0;                         // bytes of its text that are meant; equal: none
};

// First the line is copied out of its recording, with what is around it; then the microphone is recorded over that copy, as
// often as one likes; what is used in the end becomes the line's recording, one step of the project.
class PunchDialog : public QDialog
{
    Q_OBJECT

public:
    explicit PunchDialog(const PunchParts& parts, QWidget* parent = nullptr);
    ~PunchDialog() override;

    WaveformView& waveform() { return *m_wave; }
    TimeBox& from() { return *m_from; }
    TimeBox& to() { return *m_to; }
    QComboBox& firstWord() { return *m_firstWord; }
    QComboBox& lastWord() { return *m_lastWord; }
    QPushButton& record() { return *m_record; }
    QPushButton& hear() { return *m_hear; }
    QPushButton& use();
    QString statusText() const;
    QString problemText() const;

Q_SIGNALS:
    void used();

private:
    void makeWidgets();
    void connectWidgets();
    void fillWords();
    void setSpan(double from, double to);
    void takeWords();
    void toggle();
    void startRecording();
    void watch();
    void endRecording(const audio::RecorderState& state);
    void hearResult();
    void useResult();
    void fail(const QString& message);
    void forget(const std::filesystem::path& file) const;
    void refresh();
    double lineSeconds() const;

    const PunchParts m;
    const project::Recording m_part; // as the line was when this began
    CommandId m_cutting = 0, m_looking = 0;
    project::Recording m_cut;        // its copy; no file yet: empty
    std::filesystem::path m_result;  // of the last recording; empty: none
    QTimer m_watch;
    bool m_active = false, m_stopping = false;
    QString m_failure;
    WaveformView* m_wave;
    TimeBox *m_from, *m_to;
    QComboBox *m_firstWord, *m_lastWord;
    QLabel *m_wordsName, *m_status, *m_problem;
    LevelMeter* m_meter;
    QPushButton *m_record, *m_hear;
    QDialogButtonBox* m_buttons;
};

} // namespace loquor::ui
