// The tools around what is said, each in a dialog of its own: the dictionaries.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include <QDialog>
#include <QObject>
#include <QPointer>
#include <QString>

#include "core/audio/recorder.h"
#include "core/media/sound_import.h"
#include "ui/models/user_dictionary.h"
#include "ui/models/word_speaker.h"

class QWidget;

namespace loquor::ui {

class Actions;
class ProjectModel;
class PronunciationDialog;
class LinePanel;
class RenderState;
class ScriptPanel;

// UI thread. Makes the dialogs when the menus, the script or the panels ask for them; all parts outlive this.
class SpeechTools : public QObject
{
    Q_OBJECT

public:
    struct Parts
    {
        QWidget& window;
        SessionBridge& bridge;
        ProjectModel& model;
        RenderState& state;
        audio::Recorder& recorder;
        audio::AudioBackend &sound, &silence;
        Actions& actions;
        ScriptPanel& script;
        LinePanel& line;
        std::filesystem::path configFolder; // where the user's dictionary is
        std::function<QString()> takeFolder;
    };
    explicit SpeechTools(const Parts& parts);

    // A word of the script, or none: the list alone.
    void showPronunciations(const QString& word = {});
    // How the recording of the project, or that of this line (0 = none), is taken in.
    void showUseOfRecording(quint64 line = 0);
    // Says a part of a recorded line again: bytes [begin, end) of its text; equal: all of it.
    void showPunch(quint64 line, qint32 begin, qint32 end);
    // Ends what is open, at once.
    void closeDialogs();
    UserDictionary& dictionary() { return m_dictionary; }

Q_SIGNALS:
    void told(const QString& message);    // what was done
    void refused(const QString& message); // what cannot be done

private:
    void connectParts();
    void open(QDialog* dialog);
    void takeIn(const media::SoundImport& import, quint64 line, qint64 samples);

    const Parts m_parts;
    UserDictionary m_dictionary;
    WordSpeaker m_speaker;
    QPointer<PronunciationDialog> m_pronunciations;
    std::vector<QPointer<QDialog>> m_open; // also some that were closed
};

} // namespace loquor::ui
