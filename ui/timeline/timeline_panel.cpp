#include "ui/timeline/timeline_panel.h"

#include <QBoxLayout>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>

#include "ui/timeline/timeline_view.h"
#include "ui/widgets/icons.h"

namespace loquor::ui {

TimelinePanel::TimelinePanel(QWidget* parent)
    : QWidget(parent), m_view(new TimelineView(this)), m_scroll(new QScrollBar(Qt::Horizontal, this))
{
    auto* out = makeButton(QStringLiteral("zoom-out"), tr("Zoom out"), QStringLiteral("-"));
    auto* in = makeButton(QStringLiteral("zoom-in"), tr("Zoom in"), QStringLiteral("+"));
    auto* fit = makeButton(QStringLiteral("zoom-fit"), tr("Show all"), QStringLiteral("0"));
    auto* buttons = new QVBoxLayout;
    buttons->setSpacing(0);
    for (QToolButton* button : {in, out, fit})
        buttons->addWidget(button);
    buttons->addStretch();
    auto* middle = new QVBoxLayout;
    middle->setSpacing(2);
    middle->addWidget(m_view, 1);
    middle->addWidget(m_scroll);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(4, 0, 4, 4);
    layout->setSpacing(4);
    layout->addLayout(middle, 1);
    layout->addLayout(buttons);
    m_scroll->setAccessibleName(tr("Visible part of the timeline"));
    m_scroll->setFocusPolicy(Qt::NoFocus);

    connect(in, &QToolButton::clicked, m_view, &TimelineView::zoomIn);
    connect(out, &QToolButton::clicked, m_view, &TimelineView::zoomOut);
    connect(fit, &QToolButton::clicked, m_view, &TimelineView::fit);
    connect(m_view, &TimelineView::viewChanged, this, &TimelinePanel::followView);
    connect(m_scroll, &QScrollBar::valueChanged, this, [this](int value) { m_view->setOffset(value); });
    followView();
}

QToolButton* TimelinePanel::makeButton(const QString& iconName, const QString& name, const QString& key)
{
    auto* button = new QToolButton(this);
    button->setIcon(icon(iconName));
    button->setAccessibleName(name);
    button->setToolTip(tr("%1 (%2)").arg(name, key));
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void TimelinePanel::followView()
{
    const QSignalBlocker blocker(m_scroll);
    const int hidden = static_cast<int>(m_view->contentWidth()) - m_view->width();
    m_scroll->setPageStep(m_view->width());
    m_scroll->setSingleStep(40);
    m_scroll->setRange(0, std::max(0, hidden));
    m_scroll->setValue(static_cast<int>(m_view->offset()));
    m_scroll->setEnabled(hidden > 0);
}

} // namespace loquor::ui
