// One message above the stage, with at most one thing to do about it. Never blocks, never a dialog.
#pragma once

#include <functional>

#include <QFrame>
#include <QString>

class QLabel;
class QPushButton;

namespace loquor::ui {

class IconLabel;

class MessageBar : public QFrame
{
    Q_OBJECT

public:
    enum class Level {
        Info = 1,
        Warning,
        Error,
        Good,
    };

    explicit MessageBar(QWidget* parent = nullptr);

    // Replaces the message that is shown. `action` empty: only to be closed.
    void showMessage(Level level, const QString& text, const QString& action = {},
                     std::function<void()> run = {});
    void dismiss();
    QString text() const;
    Level level() const { return m_level; }

private:
    IconLabel* m_icon;
    QLabel* m_text;
    QString m_said; // without the places to wrap
    QPushButton* m_action;
    std::function<void()> m_run;
    Level m_level = Level::Info;
};

} // namespace loquor::ui
