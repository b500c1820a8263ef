// The document in the hands of the user: every change is an undo step, every view listens here.
#pragma once

#include <functional>

#include <QObject>
#include <QString>
#include <QUndoStack>

#include "core/project/ids.h"

namespace loquor::ui {

// What is edited; consecutive edits of the same kind become one undo step until breakMerge().
enum class EditKind {
    Reference = 1,
    Face,
    Consent,
    Text,
    Transcript,
    Recording,
    SpeechMode,
    Voice,
    Size,
    Rate,
    Framing,
    Background,
    Prompt,
    Seed,
    LineVoice,
    LinePrompt,
    LinePause,
    LineMove,
    LineRemove,
    LineTake,
    Pronunciation,
    SoundImport,
    Punch,
};

class ProjectModel : public QObject
{
    Q_OBJECT

public:
    explicit ProjectModel(QObject* parent = nullptr);

    const project::Document& document() const { return m_document; }
    const project::Scene& scene() const { return m_document.scenes.front(); }
    QUndoStack& undoStack() { return m_undo; }

    // Applies `change` to a copy and, if anything is different, makes it an undo step.
    void edit(EditKind kind, const QString& name,
              const std::function<void(project::Document&)>& change);
    // The next edit starts an undo step of its own (focus left the field, Generate was pressed).
    void breakMerge() { ++m_mergeSession; }

    // Replaces everything: new, opened or recovered. No undo leads back.
    void reset(project::Document document, const QString& file);
    // Where the project is stored; empty for a new one.
    const QString& file() const { return m_file; }
    void setSaved(const QString& file);
    // Another identity for the same work: what saving a copy makes of it. No undo step.
    void setId(std::uint64_t id);
    void setModified(); // recovered work differs from what is on the disk
    bool isModified() const { return m_modified || !m_undo.isClean(); }
    QString title() const;

Q_SIGNALS:
    void changed();
    void fileChanged(); // file or modified state

private:
    friend class EditCommand;
    void apply(const project::Document& document);

    project::Document m_document;
    QUndoStack m_undo;
    QString m_file;
    int m_mergeSession = 0;
    bool m_modified = false;
};

} // namespace loquor::ui
