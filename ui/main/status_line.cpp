#include "ui/main/status_line.h"

#include <QLabel>
#include <QLocale>

namespace loquor::ui {

StatusLine::StatusLine(QWidget* parent)
    : QStatusBar(parent), m_text(new QLabel(this)), m_rate(makeLabel(tr("Speed"))), m_memory(makeLabel(tr("Memory"))),
      m_store(makeLabel(tr("Store"))), m_space(makeLabel(tr("Free space"))), m_sound(makeLabel(tr("Sound"))),
      m_device(makeLabel(tr("Device")))
{
    setSizeGripEnabled(false);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_device->setProperty("muted", false);
    m_device->setProperty("badge", true);
    m_memory->setToolTip(tr("Memory of the program and its engine"));
    m_store->setToolTip(tr("What the finished pictures of all projects take on the disk"));
    setContentsMargins(8, 2, 8, 4);
    addWidget(m_text, 1);
    for (QLabel* label : {m_rate, m_memory, m_store, m_space, m_sound, m_device})
        addPermanentWidget(label);
    for (QLabel* label : {m_rate, m_memory, m_store, m_sound})
        label->hide();
}

QLabel* StatusLine::makeLabel(const QString& name)
{
    auto* label = new QLabel(this);
    label->setProperty("muted", true);
    label->setAccessibleName(name);
    return label;
}

void StatusLine::setRate(double realTimes)
{
    m_rate->setText(tr("%1 × real time").arg(locale().toString(realTimes, 'f', 1)));
    m_rate->setVisible(realTimes > 0);
}

void StatusLine::setStore(quint64 bytes)
{
    m_store->setText(tr("%1 stored").arg(locale().formattedDataSize(static_cast<qint64>(bytes), 1, QLocale::DataSizeSIFormat)));
    m_store->setVisible(bytes > 0);
}

void StatusLine::say(const QString& text)
{
    m_text->setText(text);
}

void StatusLine::setDevice(const QString& device, double rssMb)
{
    m_device->setText(device);
    m_memory->setText(tr("%1 in use").arg(locale().formattedDataSize(static_cast<qint64>(rssMb * 1024 * 1024), 0, QLocale::DataSizeSIFormat)));
    m_memory->setVisible(rssMb > 0);
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

QString StatusLine::rateText() const
{
    return m_rate->isHidden() ? QString() : m_rate->text();
}

QString StatusLine::memoryText() const
{
    return m_memory->isHidden() ? QString() : m_memory->text();
}

QString StatusLine::storeText() const
{
    return m_store->isHidden() ? QString() : m_store->text();
}

QString StatusLine::text() const
{
    return m_text->text();
}

} // namespace loquor::ui
