// The dialogs that choose media: what they are called, what they offer, where they begin.
#pragma once

#include <functional>

#include <QString>

class QWidget;

namespace loquor::ui {

// None blocks; `answer` runs with what was chosen, not at all if nothing was.
using Answer = std::function<void(const QString&)>;

void askForPerson(QWidget* parent, Answer answer);
void askForSound(QWidget* parent, Answer answer);
void askForText(QWidget* parent, Answer answer);
void askForBackground(QWidget* parent, Answer answer);
// Answers "#rrggbb".
void askForColour(QWidget* parent, const QString& now, Answer answer);
void askForExport(QWidget* parent, const QString& title, const QString& folder, Answer answer);

} // namespace loquor::ui
