#include "ui/widgets/message_bar.h"

#include <QAccessible>
#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

#include "ui/bridge/strings.h"
#include "ui/widgets/icon_label.h"
#include "ui/widgets/icons.h"

namespace loquor::ui {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), m_icon(new IconLabel({}, this)), m_text(new QLabel(this)),
      m_action(new QPushButton(this))
{
    setObjectName(QStringLiteral("messageBar"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = new QToolButton(this);
    close->setIcon(icon(QStringLiteral("cancel")));
    close->setAccessibleName(tr("Close the message"));
    close->setToolTip(close->accessibleName());
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 6, 6, 6);
    layout->setSpacing(10);
    layout->addWidget(m_icon);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_action);
    layout->addWidget(close);
    connect(close, &QToolButton::clicked, this, &MessageBar::dismiss);
    connect(m_action, &QPushButton::clicked, this, [this] {
        const auto run = m_run;
        dismiss();
        if (run)
            run();
    });
    m_action->hide();
    hide();
}

void MessageBar::showMessage(Level level, const QString& text, const QString& action,
                             std::function<void()> run)
{
    m_level = level;
    m_run = std::move(run);
    m_said = text;
    m_text->setText(wrappable(text));
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
    switch (level) {
    case Level::Info:
        setProperty("level", "info");
        m_icon->setIcon(icon(QStringLiteral("info")));
        break;
    case Level::Warning:
        setProperty("level", "warning");
        m_icon->setIcon(icon(QStringLiteral("warning")));
        break;
    case Level::Error:
        setProperty("level", "error");
        m_icon->setIcon(icon(QStringLiteral("warning")));
        break;
    case Level::Good:
        setProperty("level", "good");
        m_icon->setIcon(icon(QStringLiteral("good")));
        break;
    }
    style()->unpolish(this);
    style()->polish(this);
    setAccessibleName(text);
    show();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void MessageBar::dismiss()
{
    m_run = {};
    hide();
}

QString MessageBar::text() const
{
    return isHidden() ? QString() : m_said;
}

} // namespace loquor::ui
