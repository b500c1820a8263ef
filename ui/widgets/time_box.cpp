#include "ui/widgets/time_box.h"

#include <chrono>
#include <cmath>

#include "core/base/time.h"

namespace loquor::ui {

namespace {

constexpr double kMicroseconds = 1e6;

std::optional<double> secondsIn(QString text)
{
    const auto time = clockTimeFrom(text.remove(QLatin1Char(' ')).replace(QLatin1Char(','), QLatin1Char('.')).toStdString());
    return time ? std::optional(static_cast<double>(time->count()) / kMicroseconds) : std::nullopt;
}

} // namespace

TimeBox::TimeBox(QWidget* parent) : QDoubleSpinBox(parent)
{
    setDecimals(3);
    setSingleStep(.1);
    setKeyboardTracking(false);
}

QString TimeBox::textFromValue(double value) const
{
    const auto milliseconds = static_cast<qint64>(std::llround(value * 1000));
    const qint64 seconds = milliseconds / 1000;
    const QString tail = QStringLiteral("%1%2%3")
                             .arg(seconds % 60, 2, 10, QLatin1Char('0'))
                             .arg(locale().decimalPoint())
                             .arg(milliseconds % 1000, 3, 10, QLatin1Char('0'));
    return seconds < 3600 ? QStringLiteral("%1:%2").arg(seconds / 60).arg(tail)
                          : QStringLiteral("%1:%2:%3").arg(seconds / 3600).arg(seconds / 60 % 60, 2, 10, QLatin1Char('0')).arg(tail);
}

double TimeBox::valueFromText(const QString& text) const
{
    return secondsIn(text).value_or(value());
}

QValidator::State TimeBox::validate(QString& text, int&) const
{
    for (const QChar c : text) {
        if (!c.isDigit() && !QStringLiteral(":., ").contains(c))
            return QValidator::Invalid;
    }
    const auto seconds = secondsIn(text);
    return seconds && *seconds >= minimum() && *seconds <= maximum() + .0005 ? QValidator::Acceptable : QValidator::Intermediate;
}

} // namespace loquor::ui
