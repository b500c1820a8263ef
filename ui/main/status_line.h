// The status bar: what happens, where the sound goes, free disk space, the device badge.
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

    QString deviceText() const;
    QString soundText() const;
    QString text() const;

private:
    QLabel *m_text, *m_sound, *m_space, *m_device;
};

} // namespace loquor::ui
