#include "ui/models/project_model.h"

#include <QFileInfo>
#include <QUndoCommand>

namespace loquor::ui {

namespace {

constexpr int kUndoLimit = 100;
constexpr int kKinds = 64; // more than EditKind has; separates merge sessions

} // namespace

// A step keeps both documents; texts are small against everything else this program holds.
class EditCommand : public QUndoCommand
{
public:
    EditCommand(ProjectModel& model, int mergeId, const QString& name, project::Document after)
        : QUndoCommand(name), m_model(model), m_mergeId(mergeId), m_before(model.document()),
          m_after(std::move(after))
    {
    }
    int id() const override { return m_mergeId; }
    void undo() override { m_model.apply(m_before); }
    void redo() override { m_model.apply(m_after); }
    bool mergeWith(const QUndoCommand* other) override
    {
        m_after = static_cast<const EditCommand*>(other)->m_after;
        setObsolete(m_after == m_before);
        return true;
    }

private:
    ProjectModel& m_model;
    const int m_mergeId;
    const project::Document m_before;
    project::Document m_after;
};

ProjectModel::ProjectModel(QObject* parent)
    : QObject(parent), m_document(project::newDocument(project::randomIds()))
{
    m_undo.setUndoLimit(kUndoLimit);
    connect(&m_undo, &QUndoStack::cleanChanged, this, &ProjectModel::fileChanged);
}

void ProjectModel::edit(EditKind kind, const QString& name,
                        const std::function<void(project::Document&)>& change)
{
    project::Document after = m_document;
    change(after);
    if (after == m_document)
        return;
    const int mergeId = (m_mergeSession * kKinds + static_cast<int>(kind)) & 0x7fffffff;
    m_undo.push(new EditCommand(*this, mergeId, name, std::move(after)));
}

void ProjectModel::apply(const project::Document& document)
{
    const std::uint64_t id = m_document.id;
    m_document = document;
    m_document.id = id; // undo leads back to other words, not to another project
    Q_EMIT changed();
}

void ProjectModel::setId(std::uint64_t id)
{
    m_document.id = id;
}

void ProjectModel::reset(project::Document document, const QString& file)
{
    m_undo.clear();
    breakMerge();
    m_modified = false;
    m_file = file;
    project::giveIds(document, project::randomIds());
    m_document.id = document.id;
    apply(document);
    Q_EMIT fileChanged();
}

void ProjectModel::setSaved(const QString& file)
{
    m_file = file;
    m_modified = false;
    breakMerge();
    m_undo.setClean();
    Q_EMIT fileChanged();
}

void ProjectModel::setModified()
{
    m_modified = true;
    Q_EMIT fileChanged();
}

QString ProjectModel::title() const
{
    return m_file.isEmpty() ? tr("Untitled") : QFileInfo(m_file).completeBaseName();
}

} // namespace loquor::ui
