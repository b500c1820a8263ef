// An icon as a picture: follows the theme, which a pixmap in a QLabel would not.
#pragma once

#include <QIcon>
#include <QWidget>

namespace loquor::ui {

class IconLabel : public QWidget
{
    Q_OBJECT

public:
    explicit IconLabel(const QIcon& icon, QWidget* parent = nullptr);
    void setIcon(const QIcon& icon);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QIcon m_icon;
};

} // namespace loquor::ui
