// How a recording is taken in: which sound of the file, which part of it, what is made better.
#pragma once

#include <filesystem>

#include <QDialog>

#include "core/media/sound_import.h"
#include "ui/bridge/session_bridge.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace loquor::ui {

class TimeBox;
class WaveformView;

// Looks at the sound while it is open; a processed copy is made before it closes, with progress, and can be given up at any
// moment. The file itself stays as it is.
class TakeInDialog : public QDialog
{
    Q_OBJECT

public:
    TakeInDialog(SessionBridge& bridge, const std::filesystem::path& file, const media::SoundImport& import, QWidget* parent = nullptr);
    ~TakeInDialog() override;

    media::SoundImport import() const;
    bool isCopying() const { return m_taking != 0; }
    QString factsText() const;
    QString warningText() const;
    QString problemText() const;

    WaveformView& waveform() { return *m_wave; }
    QComboBox& stream() { return *m_stream; }
    TimeBox& from() { return *m_from; }
    TimeBox& to() { return *m_to; }
    QCheckBox& loudness() { return *m_loudness; }
    QCheckBox& denoise() { return *m_denoise; }
    QProgressBar& progress() { return *m_progress; }
    QPushButton& use();
    void reject() override; // while a copy is made: gives that up

Q_SIGNALS:
    // It can be taken in so, and what is needed for that is there. `samples`: at project::kRecordingRate.
    void taken(const media::SoundImport& import, qint64 samples);

private:
    QFormLayout* makeForm();
    void connectWidgets();
    void lookAgain();
    void show(const session::SoundLook& look);
    void showStreams(const session::SoundLook& look);
    void showFaults(const session::SoundLook& look);
    void setPart(double from, double to);
    void take();
    void fail(const QString& message);
    void refresh();

    SessionBridge& m_bridge;
    const std::filesystem::path m_file;
    const media::SoundImport m_before;
    CommandId m_looking = 0, m_taking = 0; // 0 = not
    bool m_seen = false;                   // all of it
    QString m_failure;
    WaveformView* m_wave;
    QComboBox* m_stream;
    QLabel *m_streamName, *m_facts, *m_warnings, *m_problem, *m_copying;
    TimeBox *m_from, *m_to;
    QCheckBox *m_loudness, *m_denoise;
    QProgressBar* m_progress;
    QDialogButtonBox* m_buttons;
};

} // namespace loquor::ui
