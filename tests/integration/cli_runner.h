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
    // The same with something on standard input.
    CliResult run(const QStringList& arguments, const QByteArray& input) const;
    // The same with a limit on the size of every file it writes.
    CliResult runWithFileLimit(const QStringList& arguments, int kilobytes) const;
    // The same with a disk of that size mounted at `disk`, in a mount namespace of its own; where mounting is not
    // allowed, with the limit on files instead. The output ends with "files left: " and what lies on the disk.
    CliResult runOnSmallDisk(const QStringList& arguments, const QString& disk, int kilobytes) const;
    // The same for a script of bash in which $0 is the program and $1 ... are `arguments`, with the right to mount
    // where that is allowed.
    CliResult runScript(const char* script, const QStringList& arguments) const;
    // Another copy of the program ("" = the built one), another cache.
    void useProgram(const QString& program) { m_program = program; }
    void useCache(const QString& folder);
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
    static AudioBlock jfk();     // 11 s
    static AudioBlock reading(); // 44 s and more, with pauses

private:
    CliResult runIsolated(const QStringList& command) const;
    QString program() const;

    QTemporaryDir m_folder;
    QString m_program; // "" = the built one
    QString m_cache; // shared by the tests of a program run: references are built once
};

// Two photos side by side.
Image sideBySide(const Image& left, const Image& right);
Image loadPhoto(const QString& path);
// The part [left, right) x [top, bottom).
Image cutOut(const Image& photo, int left, int top, int right, int bottom);
// The columns around `centre` wrapped on an upright cylinder of this radius and turned by that much: what a
// photo from the side shows of a face. Beside it the picture is black.
Image turnedHead(const Image& photo, double centre, double radius, double degrees);
// Sends a signal unless the process has ended: its id is 0 then, and a signal to that would go to every process of
// this group.
void sendSignal(const QProcess& process, int signal);
// Ids of the processes below `pid` whose program has this name.
QList<int> processesBelow(qint64 pid, const QString& program);

} // namespace loquor::test
