// Every command of the menus by its name: Ctrl+K, a few letters, Return.
#pragma once

#include <vector>

#include <QDialog>
#include <QPointer>

class QAction;
class QLineEdit;
class QListWidget;
class QMenuBar;

namespace loquor::ui {

class CommandPalette : public QDialog
{
    Q_OBJECT

public:
    CommandPalette(QMenuBar& menus, QWidget* parent = nullptr);

    QLineEdit& filter() { return *m_filter; }
    QListWidget& list() { return *m_list; }

protected:
    bool eventFilter(QObject* receiver, QEvent* event) override;

private:
    struct Command
    {
        QString text, keys;
        QPointer<QAction> action;
    };
    void refresh();
    void run();

    std::vector<Command> m_commands, m_shown;
    QLineEdit* m_filter;
    QListWidget* m_list;
};

} // namespace loquor::ui
