// Edits of single lines as undo steps of the project. Lines are numbered from 1. Each gives what was wrong; empty = done.
#pragma once

#include <QString>

#include "core/project/line_edits.h"
#include "ui/models/project_model.h"

namespace loquor::ui {

// One step with this name; edits of the same kind merge until breakMerge().
QString changeLine(ProjectModel& model, EditKind kind, const QString& name, int number, const project::LineChange& change);
QString moveLine(ProjectModel& model, int number, int to);
QString removeLine(ProjectModel& model, int number);
// Other movements for the same words.
QString askForAnotherTake(ProjectModel& model, int number);
// Which take is shown; 0 = the newest that fits. Nothing when there is no such line.
void chooseTake(ProjectModel& model, std::uint64_t line, std::uint64_t take);

// Null when there is no such line.
const project::Line* lineOf(const project::Document& document, std::uint64_t id, int* number = nullptr);

} // namespace loquor::ui
