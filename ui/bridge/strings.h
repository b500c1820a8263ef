// Between the engine's text and paths and Qt's.
#pragma once

#include <filesystem>

#include <QFile>
#include <QFileInfo>
#include <QLocale>
#include <QString>

namespace loquor::ui {

inline QString toQString(const std::filesystem::path& path)
{
    return QFile::decodeName(QByteArray::fromStdString(path.string()));
}
inline std::filesystem::path toPath(const QString& path)
{
    return QFile::encodeName(path).toStdString();
}
inline QString fileName(const std::filesystem::path& path)
{
    return toQString(path.filename());
}

// "1:05.3" or "1:02:05.3": for people, in their number format.
inline QString timeText(double seconds)
{
    const auto tenths = static_cast<qint64>(seconds * 10 + 0.5);
    const qint64 whole = tenths / 10;
    const QString tail = QString(QLocale().decimalPoint()) + QString::number(tenths % 10);
    const QString minutes = whole >= 3600 ? QStringLiteral("%1:%2")
                                                .arg(whole / 3600)
                                                .arg(whole / 60 % 60, 2, 10, QLatin1Char('0'))
                                          : QString::number(whole / 60);
    return QStringLiteral("%1:%2%3")
        .arg(minutes)
        .arg(whole % 60, 2, 10, QLatin1Char('0'))
        .arg(tail);
}

} // namespace loquor::ui
