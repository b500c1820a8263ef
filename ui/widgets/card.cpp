#include "ui/widgets/card.h"

#include <QBoxLayout>
#include <QLabel>

#include "ui/widgets/icon_label.h"
#include "ui/widgets/icons.h"

namespace loquor::ui {

Card::Card(const QString& iconName, const QString& title, QWidget* parent)
    : QFrame(parent), m_heading(new QLabel(title, this)), m_header(new QHBoxLayout), m_body(new QVBoxLayout)
{
    setProperty("card", true);
    setAccessibleName(title);
    auto* mark = new IconLabel(icon(iconName), this);
    m_heading->setProperty("heading", true);
    m_header->setSpacing(8);
    m_header->addWidget(mark);
    m_header->addWidget(m_heading);
    m_header->addStretch();
    m_body->setSpacing(8);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 10, 12, 12);
    layout->setSpacing(10);
    layout->addLayout(m_header);
    layout->addLayout(m_body);
}

void Card::setTitle(const QString& title)
{
    m_heading->setText(title);
    setAccessibleName(title);
}

} // namespace loquor::ui
