#include "ui/models/line_commands.h"

#include <QCoreApplication>

namespace loquor::ui {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("LineCommands", text);
}

// Takes over what an edit of core/project gives.
QString apply(ProjectModel& model, EditKind kind, const QString& name, Result<project::Document> edited)
{
    if (!edited)
        return QString::fromStdString(edited.error().message());
    model.edit(kind, name, [&](project::Document& document) { document = std::move(*edited); });
    return {};
}

QString applyAlone(ProjectModel& model, EditKind kind, const QString& name, Result<project::Document> edited)
{
    model.breakMerge();
    const QString problem = apply(model, kind, name, std::move(edited));
    model.breakMerge();
    return problem;
}

} // namespace

QString changeLine(ProjectModel& model, EditKind kind, const QString& name, int number, const project::LineChange& change)
{
    return apply(model, kind, name, project::withLineChanged(model.document(), number, change));
}

QString moveLine(ProjectModel& model, int number, int to)
{
    return applyAlone(model, EditKind::LineMove, translated(QT_TRANSLATE_NOOP("LineCommands", "Move line")),
                      project::withLineMoved(model.document(), number, to));
}

QString removeLine(ProjectModel& model, int number)
{
    return applyAlone(model, EditKind::LineRemove, translated(QT_TRANSLATE_NOOP("LineCommands", "Remove line")),
                      project::withLineRemoved(model.document(), number));
}

QString askForAnotherTake(ProjectModel& model, int number)
{
    project::LineChange change;
    change.takeSeed = project::randomIds()();
    return applyAlone(model, EditKind::LineTake, translated(QT_TRANSLATE_NOOP("LineCommands", "Another take")),
                      project::withLineChanged(model.document(), number, change));
}

void chooseTake(ProjectModel& model, std::uint64_t line, std::uint64_t take)
{
    model.breakMerge();
    model.edit(EditKind::LineTake, translated(QT_TRANSLATE_NOOP("LineCommands", "Choose take")), [&](project::Document& document) {
        for (project::Scene& scene : document.scenes) {
            for (project::Line& one : scene.lines)
                one.chosenTake = one.id == line ? take : one.chosenTake;
        }
    });
    model.breakMerge();
}

const project::Line* lineOf(const project::Document& document, std::uint64_t id, int* number)
{
    int at = 0;
    for (const project::Scene& scene : document.scenes) {
        for (const project::Line& line : scene.lines) {
            ++at;
            if (line.id != id)
                continue;
            if (number != nullptr)
                *number = at;
            return &line;
        }
    }
    return nullptr;
}

} // namespace loquor::ui
