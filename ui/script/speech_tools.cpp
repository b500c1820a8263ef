#include "ui/script/speech_tools.h"

#include <QAction>
#include <QWidget>

#include "core/project/recording_edits.h"
#include "ui/main/actions.h"
#include "ui/models/line_commands.h"
#include "ui/models/project_model.h"
#include "ui/models/render_state.h"
#include "ui/script/line_panel.h"
#include "ui/script/pronunciation_dialog.h"
#include "ui/script/punch_dialog.h"
#include "ui/script/recording_panel.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/script/take_in_dialog.h"

namespace loquor::ui {

SpeechTools::SpeechTools(const Parts& parts)
    : QObject(&parts.window), m_parts(parts), m_dictionary(speech::userPronunciationsFile(parts.configFolder)),
      m_speaker(parts.bridge, parts.sound, parts.silence)
{
    connectParts();
}

void SpeechTools::connectParts()
{
    // Lines may be said in another way then, though the document is the same.
    connect(&m_dictionary, &UserDictionary::changed, &m_parts.state, &RenderState::inspectSoon);
    connect(&m_parts.script.editor(), &ScriptEditor::pronunciationRequested, this, &SpeechTools::showPronunciations);
    connect(m_parts.actions.pronunciations, &QAction::triggered, this, [this] { showPronunciations(); });
    const auto useOfRecording = [this] { showUseOfRecording(m_parts.script.isText() ? m_parts.line.line() : 0); };
    connect(m_parts.actions.useOfRecording, &QAction::triggered, this, useOfRecording);
    connect(&m_parts.script.recording(), &RecordingPanel::useRequested, this, useOfRecording);
    connect(m_parts.actions.punch, &QAction::triggered, this, [this] {
        const auto [begin, end] = m_parts.script.selectedOf(m_parts.line.line());
        showPunch(m_parts.line.line(), begin, end);
    });
}

void SpeechTools::open(QDialog* dialog)
{
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    std::erase_if(m_open, [](const QPointer<QDialog>& one) { return one.isNull(); });
    m_open.emplace_back(dialog);
    dialog->open();
}

void SpeechTools::closeDialogs()
{
    for (const QPointer<QDialog>& dialog : m_open)
        delete dialog.data();
    m_open.clear();
}

void SpeechTools::showPronunciations(const QString& word)
{
    if (!m_pronunciations) {
        m_pronunciations = new PronunciationDialog(m_parts.model, m_dictionary, m_speaker, m_parts.bridge.session().voices(),
                                                   &m_parts.window);
        m_pronunciations->setAttribute(Qt::WA_DeleteOnClose);
        m_open.emplace_back(m_pronunciations.data());
    }
    if (!word.isEmpty())
        m_pronunciations->showWord(word);
    m_pronunciations->show();
    m_pronunciations->raise();
    m_pronunciations->activateWindow();
}

void SpeechTools::showUseOfRecording(quint64 line)
{
    const project::Line* recorded = lineOf(m_parts.model.document(), line);
    const bool ofLine = recorded && recorded->recording;
    const project::Speech& speech = m_parts.model.scene().speech;
    const auto& file = ofLine ? recorded->recording->file : speech.audioFile;
    if (file.empty())
        return;
    auto* dialog = new TakeInDialog(m_parts.bridge, file, ofLine ? recorded->recording->import : speech.import, &m_parts.window);
    connect(dialog, &TakeInDialog::taken, this, [this, file, id = ofLine ? line : 0](const media::SoundImport& import, qint64 samples) {
        if (id != 0 || m_parts.model.scene().speech.audioFile == file) // else another one was chosen meanwhile
            takeIn(import, id, samples);
    });
    open(dialog);
}

void SpeechTools::showPunch(quint64 line, qint32 begin, qint32 end)
{
    const project::Line* recorded = lineOf(m_parts.model.document(), line);
    if (!recorded || !recorded->recording)
        return Q_EMIT refused(tr("Put the caret into a recorded line first: a voice says this one."));
    const LayoutLine* known = m_parts.state.layout()->line(line);
    PunchParts parts{m_parts.bridge, m_parts.model, m_parts.recorder, m_speaker, m_parts.takeFolder(), line};
    parts.words = known ? known->words : nullptr;
    parts.begin = begin;
    parts.end = end;
    auto* dialog = new PunchDialog(parts, &m_parts.window);
    open(dialog);
}

void SpeechTools::takeIn(const media::SoundImport& import, quint64 line, qint64 samples)
{
    ProjectModel& model = m_parts.model;
    model.breakMerge();
    const QString name = tr("Use of the recording");
    int number = 0;
    if (line == 0) {
        model.edit(EditKind::SoundImport, name, [&](project::Document& document) { document.scenes.front().speech.import = import; });
    } else if (lineOf(model.document(), line, &number)) {
        auto changed = project::withImport(model.document(), number, import, samples);
        if (!changed)
            return Q_EMIT refused(QString::fromStdString(changed.error().message()));
        model.edit(EditKind::SoundImport, name, [&](project::Document& document) { document = changed->document; });
        QStringList said{tr("%n line(s) are made of the recording in this way now.", nullptr, static_cast<int>(changed->lines.size()))};
        for (const int shorter : changed->shortened)
            said += tr("Line %1 is shorter: check its text.").arg(shorter);
        Q_EMIT told(said.join(QLatin1Char('\n')));
    }
    model.breakMerge();
}

} // namespace loquor::ui
