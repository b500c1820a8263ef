#include "ui/main/keys_dialog.h"

#include <QAction>
#include <QBoxLayout>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTreeWidget>

namespace loquor::ui {

KeysDialog::KeysDialog(QMainWindow& window) : QDialog(&window)
{
    setWindowTitle(tr("Keys"));
    auto* list = new QTreeWidget(this);
    list->setColumnCount(2);
    list->setHeaderLabels({tr("Command"), tr("Key")});
    list->setAccessibleName(tr("Keys"));
    list->setRootIsDecorated(false);
    const auto add = [list](const QString& command, const QString& key) {
        if (!key.isEmpty())
            list->addTopLevelItem(new QTreeWidgetItem({command, key}));
    };
    for (QAction* menu : window.menuBar()->actions()) {
        for (const QAction* action : menu->menu()->actions()) {
            const QStringList parts =
                action->text().remove(QLatin1Char('&')).split(QLatin1Char('\t'));
            QStringList keys = parts.mid(1);
            for (const QKeySequence& key : action->shortcuts())
                keys += key.toString(QKeySequence::NativeText);
            add(parts.front(), keys.join(QStringLiteral(", ")));
        }
    }
    add(tr("Play faster"), tr("L"));
    add(tr("Play backwards"), tr("J"));
    add(tr("Pause"), tr("K"));
    add(tr("One frame"), tr("hold K and press J or L"));
    add(tr("One, two, five, ten seconds"), tr("Page Up, Page Down; with Shift, Ctrl, both"));
    list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    list->header()->setStretchLastSection(false);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setText(tr("Close"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->addWidget(list);
    layout->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 80, fontMetrics().height() * 30);
}

} // namespace loquor::ui
