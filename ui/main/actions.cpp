#include "ui/main/actions.h"

#include <algorithm>

#include <QAction>
#include <QFileInfo>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include "ui/bridge/strings.h"
#include "ui/widgets/icons.h"

namespace loquor::ui {

Actions::Actions(QMainWindow& window) : QObject(&window)
{
    fillFileMenu(window.menuBar()->addMenu(tr("&File")));
    fillOtherMenus(window);
}

QAction* Actions::make(QMenu* menu, const QString& iconName, const QString& text,
                       const QString& key)
{
    auto* action = new QAction(text, this);
    if (!iconName.isEmpty())
        action->setIcon(icon(iconName));
    if (!key.isEmpty())
        action->setShortcut(QKeySequence(key));
    menu->addAction(action);
    return action;
}

QAction* Actions::makeShown(QMenu* menu, const QString& iconName, const QString& text,
                            const QString& key)
{
    return make(menu, iconName, text + QLatin1Char('\t') + key);
}

void Actions::fillFileMenu(QMenu* menu)
{
    newProject =
        make(menu, QStringLiteral("document"), tr("&New project"), QStringLiteral("Ctrl+N"));
    openProject =
        make(menu, QStringLiteral("folder"), tr("&Open project…"), QStringLiteral("Ctrl+O"));
    m_recent = menu->addMenu(tr("Open &recent"));
    menu->addSeparator();
    save = make(menu, QStringLiteral("save"), tr("&Save"), QStringLiteral("Ctrl+S"));
    saveAs = make(menu, {}, tr("Save &as…"), QStringLiteral("Ctrl+Shift+S"));
    menu->addSeparator();
    choosePerson =
        make(menu, QStringLiteral("photo"), tr("Choose &photo or clip…"), QStringLiteral("Ctrl+I"));
    chooseSound = make(menu, QStringLiteral("waveform"), tr("Open so&und…"));
    chooseText = make(menu, QStringLiteral("text"), tr("Open &text…"));
    menu->addSeparator();
    exportVideo =
        make(menu, QStringLiteral("export"), tr("&Export video…"), QStringLiteral("Ctrl+E"));
    menu->addSeparator();
    quit = make(menu, {}, tr("&Quit"), QStringLiteral("Ctrl+Q"));
    quit->setMenuRole(QAction::QuitRole);
}

void Actions::fillOtherMenus(QMainWindow& window)
{
    QMenu* edit = window.menuBar()->addMenu(tr("&Edit"));
    undo = make(edit, {}, tr("&Undo"), QStringLiteral("Ctrl+Z"));
    redo = make(edit, {}, tr("&Redo"));
    redo->setShortcuts(
        {QKeySequence(QStringLiteral("Ctrl+Shift+Z")), QKeySequence(QStringLiteral("Ctrl+Y"))});
    edit->addSeparator();
    pronunciations = make(edit, {}, tr("&Pronunciation…"), QStringLiteral("Ctrl+D"));
    settings = make(edit, QStringLiteral("settings"), tr("&Settings…"), QStringLiteral("Ctrl+,"));
    settings->setMenuRole(QAction::PreferencesRole);

    QMenu* video = window.menuBar()->addMenu(tr("&Video"));
    generate = make(video, QStringLiteral("generate"), tr("&Generate"));
    generate->setShortcuts(
        {QKeySequence(QStringLiteral("Ctrl+Return")), QKeySequence(QStringLiteral("Ctrl+Enter"))});
    cancel = makeShown(video, QStringLiteral("cancel"), tr("&Cancel"), tr("Esc"));
    video->addSeparator();
    record = makeShown(video, QStringLiteral("record"), tr("&Record voice"), tr("R"));
    useOfRecording = make(video, QStringLiteral("waveform"), tr("Part and so&und of the recording…"));
    punch = make(video, QStringLiteral("microphone"), tr("Say a part of the &line again…"));
    video->addSeparator();
    play = makeShown(video, QStringLiteral("play"), tr("&Play or pause"), tr("Space"));
    toStart = makeShown(video, QStringLiteral("to-start"), tr("To the &start"), tr("Home"));
    frameBack = makeShown(video, QStringLiteral("frame-back"), tr("One frame &back"), tr("Left"));
    frameForward =
        makeShown(video, QStringLiteral("frame-forward"), tr("One frame &forward"), tr("Right"));
    toEnd = makeShown(video, QStringLiteral("to-end"), tr("To the &end"), tr("End"));

    QMenu* view = m_view = window.menuBar()->addMenu(tr("Vie&w"));
    m_view->addSeparator();
    palette = make(view, {}, tr("&Commands…"), QStringLiteral("Ctrl+K"));
    view->addSeparator();
    nextSection = make(view, {}, tr("&Next section"), QStringLiteral("F6"));
    previousSection = make(view, {}, tr("&Previous section"), QStringLiteral("Shift+F6"));
    resetLayout = make(view, {}, tr("&Reset layout"));
    view->addSeparator();
    fullScreen = make(view, {}, tr("&Full screen"), QStringLiteral("F11"));
    fullScreen->setCheckable(true);

    QMenu* help = window.menuBar()->addMenu(tr("&Help"));
    keys = make(help, {}, tr("&Keys"), QStringLiteral("F1"));
    about = make(help, QStringLiteral("info"), tr("&About Loquor"));
    about->setMenuRole(QAction::AboutRole);
}

QAction* Actions::addView(const QString& text, const QString& key)
{
    auto* action = new QAction(text, this);
    action->setShortcut(QKeySequence(key));
    const QList<QAction*> there = m_view->actions(); // the first separator ends the docks
    const auto before = std::find_if(there.cbegin(), there.cend(), [](const QAction* one) { return one->isSeparator(); });
    m_view->insertAction(before == there.cend() ? nullptr : *before, action);
    return action;
}

void Actions::setRecent(const QStringList& files)
{
    m_recent->clear();
    m_recent->setEnabled(!files.isEmpty());
    for (const QString& file : files) {
        // An ampersand in a name is no mnemonic.
        QString name = shownName(file);
        QAction* action = m_recent->addAction(name.replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setToolTip(file);
        action->setStatusTip(file);
        connect(action, &QAction::triggered, this, [this, file] { Q_EMIT recentChosen(file); });
    }
    m_recent->addSeparator();
    connect(m_recent->addAction(tr("Clear this list")), &QAction::triggered, this,
            &Actions::clearRecentChosen);
}

} // namespace loquor::ui
