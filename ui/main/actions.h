// Every command of the window as an action in a menu.
#pragma once

#include <QObject>

class QAction;
class QMainWindow;
class QMenu;

namespace loquor::ui {

// Made once for a window; the window connects what they do. Keys of the preview (Space, J, K, L
// ...) are shown in the menu but handled by TransportKeys, so that they never fire while somebody
// writes.
class Actions : public QObject
{
    Q_OBJECT

public:
    explicit Actions(QMainWindow& window);

    QAction *newProject, *openProject, *save, *saveAs, *choosePerson, *chooseSound, *chooseText,
        *exportVideo, *quit;
    QAction *undo, *redo, *pronunciations, *settings;
    QAction *generate, *cancel, *record, *useOfRecording, *punch, *play, *toStart, *toEnd, *frameBack, *frameForward;
    QAction *resetLayout, *nextSection, *previousSection, *palette, *fullScreen, *keys, *about;

    void setRecent(const QStringList& files);
    // A command of the View menu, in front of the layout.
    QAction* addView(const QString& text, const QString& key);

Q_SIGNALS:
    void recentChosen(const QString& file);
    void clearRecentChosen();

private:
    QAction* make(QMenu* menu, const QString& icon, const QString& text, const QString& key = {});
    // `key` is shown only.
    QAction* makeShown(QMenu* menu, const QString& icon, const QString& text, const QString& key);
    void fillFileMenu(QMenu* menu);
    void fillOtherMenus(QMainWindow& window);

    QMenu *m_recent = nullptr, *m_view = nullptr;
};

} // namespace loquor::ui
