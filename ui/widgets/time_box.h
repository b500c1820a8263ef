// A place in a sound, to be typed or stepped: h:mm:ss.ms.
#pragma once

#include <QDoubleSpinBox>

namespace loquor::ui {

// Seconds with three decimals; takes what people write ("12.5", "1:02.25", "1:02:03.456"), a comma for the point too.
class TimeBox : public QDoubleSpinBox
{
    Q_OBJECT

public:
    explicit TimeBox(QWidget* parent = nullptr);

    QString textFromValue(double value) const override;
    double valueFromText(const QString& text) const override;
    QValidator::State validate(QString& text, int& position) const override;
};

} // namespace loquor::ui
