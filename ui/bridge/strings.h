// Between the engine's text and paths and Qt's.
#pragma once

#include <cmath>
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
// The name of a file as it is shown: very long ones lose their middle, never the ending.
inline QString shownName(const QString& path)
{
    constexpr int kHead = 36, kTail = 16;
    const QString name = QFileInfo(path).fileName();
    return name.size() <= kHead + kTail ? name : name.left(kHead) + QChar(0x2026) + name.right(kTail);
}
inline QString shownName(const std::filesystem::path& path)
{
    return shownName(toQString(path));
}
// Lets a label wrap inside words that are longer than it: paths, hashes.
inline QString wrappable(const QString& text)
{
    constexpr int kLongest = 28;
    QString out;
    int run = 0;
    for (const QChar c : text) {
        run = c.isSpace() ? 0 : run + 1;
        out += c;
        if (run > 0 && run % kLongest == 0 && !c.isHighSurrogate())
            out += QChar(0x200b); // zero width space
    }
    return out;
}

// "1:05.3" or "1:02:05.3": for people, in their number format.
inline QString timeText(double seconds)
{
    const auto tenths = static_cast<qint64>(std::llround(seconds * 10));
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
