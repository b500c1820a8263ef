#include "ui/main/workspace.h"

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>
#include <QSettings>

#include "ui/main/actions.h"
#include "ui/settings/store_settings.h"

namespace loquor::ui {

namespace {

constexpr int kVersion = 2; // grows when docks come or go: older layouts are not taken then
constexpr auto kStateKey = "window/docks", kGeometryKey = "window/geometry";

bool takeFocus(QWidget* section)
{
    QWidget* best = nullptr;
    for (QWidget* widget : section->findChildren<QWidget*>()) {
        if (widget->focusPolicy() & Qt::TabFocus && widget->isVisible() && widget->isEnabled() &&
            !widget->objectName().startsWith(QStringLiteral("qt_"))) {
            best = widget;
            break;
        }
    }
    if (best)
        best->setFocus(Qt::TabFocusReason);
    return best != nullptr;
}

} // namespace

Workspace::Workspace(QMainWindow& window) : QObject(&window), m_window(window)
{
    window.setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
    window.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window.setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    window.setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
}

QDockWidget* Workspace::add(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area,
                            QDockWidget* onto)
{
    auto* dock = new QDockWidget(title, &m_window);
    dock->setObjectName(name);
    dock->setWidget(content);
    dock->setAccessibleName(title);
    m_window.addDockWidget(area, dock);
    if (onto)
        m_window.tabifyDockWidget(onto, dock);
    m_docks += dock;
    return dock;
}

void Workspace::fillMenu(Actions& actions)
{
    int digit = 0;
    for (QDockWidget* dock : m_docks) {
        const QAction* action = actions.addView(dock->windowTitle(), QStringLiteral("Ctrl+%1").arg(++digit));
        connect(action, &QAction::triggered, this, [dock] { show(dock); });
    }
    connect(actions.resetLayout, &QAction::triggered, this, &Workspace::reset);
    connect(actions.nextSection, &QAction::triggered, this, [this] { focusNext(1); });
    connect(actions.previousSection, &QAction::triggered, this, [this] { focusNext(-1); });
}

void Workspace::show(QDockWidget* dock)
{
    dock->show();
    dock->raise();
    takeFocus(dock->widget());
}

void Workspace::restore()
{
    m_usual = m_window.saveState(kVersion);
    const QSettings settings;
    m_window.restoreGeometry(settings.value(kGeometryKey).toByteArray());
    m_window.restoreState(settings.value(kStateKey).toByteArray(), kVersion);
}

void Workspace::store() const
{
    storeSettings([this](QSettings& settings) {
        settings.setValue(kGeometryKey, m_window.saveGeometry());
        settings.setValue(kStateKey, m_window.saveState(kVersion));
    });
}

void Workspace::reset()
{
    m_window.restoreState(m_usual, kVersion);
    for (QDockWidget* dock : m_docks)
        dock->show();
    m_docks.front()->raise();
}

void Workspace::focusNext(int direction)
{
    QList<QWidget*> sections{m_window.centralWidget()};
    for (QDockWidget* dock : m_docks) {
        if (dock->isVisible() && !dock->visibleRegion().isEmpty())
            sections += dock->widget();
    }
    qsizetype now = 0;
    for (qsizetype i = 0; i < sections.size(); ++i) {
        const QWidget* focus = m_window.focusWidget();
        if (focus && (sections[i] == focus || sections[i]->isAncestorOf(focus)))
            now = i;
    }
    for (qsizetype step = 1; step <= sections.size(); ++step) {
        const qsizetype next = (now + direction * step + sections.size() * 2) % sections.size();
        if (takeFocus(sections[next]))
            return;
    }
}

} // namespace loquor::ui
