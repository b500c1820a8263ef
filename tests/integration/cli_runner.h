// Runs loquor-cli as a user would, in a scratch folder with a cache of its own.
#pragma once

#include "core/media/audio_block.h"
#include "core/media/image.h"

#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>

namespace loquor::test {

struct CliResult
{
    int exitCode = -1;
    QString output; // standard output
    QString errors; // standard error
};

class CliRunner
{
public:
    CliRunner();
    // In the scratch folder; "a.mp4" -> its full path.
    QString path(const QString& name) const { return m_folder.filePath(name); }
    // Set-up media: media("jfk.wav")
    static QString media(const QString& name);

    // Runs to the end (at most two minutes).
    CliResult run(const QStringList& arguments) const;
    // The same with a limit on the size of every file it writes.
    CliResult runWithFileLimit(const QStringList& arguments, int kilobytes) const;
    // Starts and returns at once.
    std::unique_ptr<QProcess> start(const QStringList& arguments) const;
    // Small and fast: 192x108, the given photo and sound.
    QStringList renderArguments(const QString& photo, const QString& audio, const QString& output) const;

    // Writes `seconds` of the JFK recording as WAV and gives its path.
    QString speech(double seconds, const QString& name = "speech.wav") const;
    QString writeWav(const QString& name, const AudioBlock& audio) const;
    QString writeText(const QString& name, const QByteArray& text) const;
    // Names in the scratch folder that are not known inputs: what a command left behind.
    QStringList leftovers(const QStringList& known) const;
    QJsonObject json(const QString& name) const;
    static AudioBlock jfk();

private:
    QTemporaryDir m_folder;
    QString m_cache; // shared by the tests of a program run: references are built once
};

// Two photos side by side.
Image sideBySide(const Image& left, const Image& right);
Image loadPhoto(const QString& path);
// Ids of the processes below `pid` whose program has this name.
QList<int> processesBelow(qint64 pid, const QString& program);

} // namespace loquor::test
