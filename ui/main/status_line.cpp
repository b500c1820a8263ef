#include "ui/main/status_line.h"

#include <QLabel>
#include <QLocale>

namespace loquor::ui {

StatusLine::StatusLine(QWidget* parent)
    : QStatusBar(parent), m_text(new QLabel(this)), m_sound(new QLabel(this)),
      m_space(new QLabel(this)), m_device(new QLabel(this))
{
    setSizeGripEnabled(false);
    m_text->setTextFormat(Qt::PlainText);
    m_sound->setProperty("muted", true);
    m_space->setProperty("muted", true);
    m_device->setProperty("badge", true);
    m_device->setAccessibleName(tr("Device"));
    setContentsMargins(8, 2, 8, 4);
    addWidget(m_text, 1);
    for (QLabel* label : {m_sound, m_space, m_device})
        addPermanentWidget(label);
    m_sound->hide();
}

void StatusLine::say(const QString& text)
{
    m_text->setText(text);
}

void StatusLine::setDevice(const QString& device, double rssMb)
{
    m_device->setText(device);
    m_device->setToolTip(rssMb > 0 ? tr("Pictures are made on the %1; the engine uses %2 of memory")
                                         .arg(device, locale().formattedDataSize(
                                                          static_cast<qint64>(rssMb * 1024 * 1024),
                                                          0, QLocale::DataSizeSIFormat))
                                   : tr("Pictures are made on the %1").arg(device));
}

void StatusLine::setSilent(bool silent, const QString& reason)
{
    m_sound->setText(tr("No sound device: playing silently"));
    m_sound->setToolTip(reason);
    m_sound->setVisible(silent);
}

void StatusLine::setFreeSpace(qint64 bytes)
{
    m_space->setText(bytes < 0 ? QString()
                               : tr("%1 free").arg(locale().formattedDataSize(
                                     bytes, 0, QLocale::DataSizeSIFormat)));
}

QString StatusLine::deviceText() const
{
    return m_device->text();
}

QString StatusLine::soundText() const
{
    return m_sound->isHidden() ? QString() : m_sound->text();
}

QString StatusLine::text() const
{
    return m_text->text();
}

} // namespace loquor::ui
