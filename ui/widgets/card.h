// A titled section of the side column.
#pragma once

#include <QFrame>
#include <QString>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace loquor::ui {

class Card : public QFrame
{
    Q_OBJECT

public:
    Card(const QString& icon, const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    QVBoxLayout* body() { return m_body; }
    // Right of the title.
    QHBoxLayout* header() { return m_header; }

private:
    QLabel* m_heading;
    QHBoxLayout* m_header;
    QVBoxLayout* m_body;
};

} // namespace loquor::ui
