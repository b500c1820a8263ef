// The docks of the window: where they are, that they stay there, and how to get them back.
#pragma once

#include <QList>
#include <QObject>
#include <QString>

class QDockWidget;
class QMainWindow;
class QWidget;

namespace loquor::ui {

class Actions;

class Workspace : public QObject
{
    Q_OBJECT

public:
    explicit Workspace(QMainWindow& window);

    // `name` never changes: the layout is stored by it. Docks of one area are side by side; `onto`: a tab of that dock.
    QDockWidget* add(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area,
                     QDockWidget* onto = nullptr);
    const QList<QDockWidget*>& docks() const { return m_docks; }
    // The docks in order, by Ctrl and their digit, and what belongs to them.
    void fillMenu(Actions& actions);
    // Shows, raises and focuses it.
    static void show(QDockWidget* dock);

    // When all docks are there: remembers how they are now as the way back, then takes the stored layout.
    void restore();
    void store() const;
    void reset();
    // The section after (or before) the one with the focus: stage, then each visible dock. F6 and Shift+F6.
    void focusNext(int direction);

private:
    QMainWindow& m_window;
    QList<QDockWidget*> m_docks;
    QByteArray m_usual;
};

} // namespace loquor::ui
