// The status bar: what happens, how fast, memory, store, free disk space, where the sound goes, the device badge.
#pragma once

#include <QStatusBar>

class QLabel;

namespace loquor::ui {

class StatusLine : public QStatusBar
{
    Q_OBJECT

public:
    explicit StatusLine(QWidget* parent = nullptr);

    void say(const QString& text); // stays until the next one
    void setDevice(const QString& device, double rssMb);
    void setSilent(bool silent, const QString& reason);
    void setFreeSpace(qint64 bytes);
    void setStore(quint64 bytes);
    // Seconds of video made in a second, while they are; 0 = nothing is being made.
    void setRate(double realTimes);

    QString deviceText() const;
    QString soundText() const;
    QString text() const;
    QString rateText() const;
    QString memoryText() const;
    QString storeText() const;

private:
    QLabel* makeLabel(const QString& name);

    QLabel *m_text, *m_rate, *m_memory, *m_store, *m_space, *m_sound, *m_device;
};

} // namespace loquor::ui
