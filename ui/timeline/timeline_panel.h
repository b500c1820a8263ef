// The timeline with its buttons and its scroll bar.
#pragma once

#include <QWidget>

class QScrollBar;
class QToolButton;

namespace loquor::ui {

class TimelineView;

class TimelinePanel : public QWidget
{
    Q_OBJECT

public:
    explicit TimelinePanel(QWidget* parent = nullptr);

    TimelineView& view() { return *m_view; }

private:
    QToolButton* makeButton(const QString& icon, const QString& name, const QString& key);
    void followView();

    TimelineView* m_view;
    QScrollBar* m_scroll;
};

} // namespace loquor::ui
