#include "ui/main/command_palette.h"

#include <algorithm>

#include <QAction>
#include <QBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>

namespace loquor::ui {

namespace {

// "Video › Generate"; keys that are shown only stand behind a tab.
void collect(const QMenu& menu, const QString& path, const std::function<void(const QString&, QAction*)>& add)
{
    for (QAction* action : menu.actions()) {
        QString text = action->text();
        text.remove(QLatin1Char('&'));
        if (const QMenu* inner = action->menu())
            collect(*inner, path + text + QStringLiteral(" › "), add);
        else if (!action->isSeparator() && action->isEnabled())
            add(path + text, action);
    }
}

} // namespace

CommandPalette::CommandPalette(QMenuBar& menus, QWidget* parent)
    : QDialog(parent), m_filter(new QLineEdit(this)), m_list(new QListWidget(this))
{
    setWindowTitle(tr("Commands"));
    m_filter->setPlaceholderText(tr("Type what you want to do"));
    m_filter->setAccessibleName(tr("Search commands"));
    m_filter->setClearButtonEnabled(true);
    m_filter->installEventFilter(this);
    m_list->setAccessibleName(tr("Commands found"));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_filter);
    layout->addWidget(m_list, 1);
    resize(fontMetrics().averageCharWidth() * 70, fontMetrics().height() * 22);
    for (QAction* action : menus.actions()) {
        if (!action->menu())
            continue;
        QString path = action->text();
        path.remove(QLatin1Char('&'));
        collect(*action->menu(), path + QStringLiteral(" › "), [this](const QString& text, QAction* command) {
            const QStringList parts = text.split(QLatin1Char('\t'));
            const QString keys = parts.size() > 1 ? parts[1] : command->shortcut().toString(QKeySequence::NativeText);
            m_commands.push_back({parts[0], keys, command});
        });
    }
    connect(m_filter, &QLineEdit::textChanged, this, &CommandPalette::refresh);
    connect(m_list, &QListWidget::itemActivated, this, &CommandPalette::run);
    refresh();
    m_filter->setFocus();
}

// All words of the search must be there, in any order.
void CommandPalette::refresh()
{
    const QStringList words = m_filter->text().simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    m_shown.clear();
    m_list->clear();
    for (const Command& command : m_commands) {
        const bool found = std::all_of(words.begin(), words.end(), [&](const QString& word) {
            return command.text.contains(word, Qt::CaseInsensitive);
        });
        if (!found)
            continue;
        m_shown.push_back(command);
        m_list->addItem(command.keys.isEmpty() ? command.text : tr("%1   (%2)").arg(command.text, command.keys));
    }
    m_list->setCurrentRow(m_shown.empty() ? -1 : 0);
}

// The dialog goes first, so that the command finds the window as it was.
void CommandPalette::run()
{
    const int row = m_list->currentRow();
    if (row < 0 || row >= static_cast<int>(m_shown.size()))
        return;
    const QPointer<QAction> action = m_shown[static_cast<std::size_t>(row)].action;
    accept();
    if (action)
        action->trigger();
}

bool CommandPalette::eventFilter(QObject* receiver, QEvent* event)
{
    if (receiver != m_filter || event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(receiver, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1
                                                                 : 0;
    if (step != 0)
        m_list->setCurrentRow(std::clamp(m_list->currentRow() + step, 0, std::max(0, m_list->count() - 1)));
    else if (key == Qt::Key_Return || key == Qt::Key_Enter)
        run();
    else
        return QDialog::eventFilter(receiver, event);
    return true;
}

} // namespace loquor::ui
