// The takes of the line in which the caret is: which one is shown, pinned, still fits.
#pragma once

#include <vector>

#include <QWidget>

#include "core/session/session.h"

class QLabel;
class QListWidget;
class QPushButton;

namespace loquor::ui {

class ProjectModel;
class RenderState;

class TakesPanel : public QWidget
{
    Q_OBJECT

public:
    TakesPanel(ProjectModel& model, RenderState& state, QWidget* parent = nullptr);

    void setLine(quint64 line); // 0 = none

    QListWidget& list() { return *m_list; }
    QPushButton& choose() { return *m_choose; }
    QPushButton& pin() { return *m_pin; }
    QPushButton& another() { return *m_another; }
    QPushButton& remove() { return *m_remove; }

Q_SIGNALS:
    void refused(const QString& message);
    void generateRequested();
    // Another take is shown: it may be looked at.
    void lineChosen(quint64 line);

private:
    void refresh();
    void refreshButtons();
    const session::TakeInfo* current() const;
    QString textOf(const session::TakeInfo& take) const;
    void chooseCurrent();
    void askToRemove();
    void removeTake(std::uint64_t take);

    ProjectModel& m_model;
    RenderState& m_state;
    std::uint64_t m_line = 0;
    int m_number = 0;
    std::vector<session::TakeInfo> m_takes; // newest first
    QLabel* m_title;
    QListWidget* m_list;
    QPushButton *m_choose, *m_pin, *m_another, *m_remove;
};

} // namespace loquor::ui
