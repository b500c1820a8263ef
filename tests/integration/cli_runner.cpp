#include "tests/integration/cli_runner.h"

#include "core/media/audio_reader.h"
#include "core/media/audio_writer.h"
#include "core/media/image_loader.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <csignal>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace loquor::test {

namespace {

constexpr int kTimeout = 540'000; // a ceiling for busy machines; the longest run takes half a minute on an idle one

QProcessEnvironment environment(const QString& cache)
{
    QProcessEnvironment out = QProcessEnvironment::systemEnvironment();
    out.insert("XDG_CACHE_HOME", cache);
    return out;
}

CliResult finish(QProcess& process)
{
    CliResult out;
    if (!process.waitForFinished(kTimeout)) {
        process.kill();
        process.waitForFinished(5000);
        out.errors = "the program did not end in time: ";
    }
    out.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    out.output = QString::fromUtf8(process.readAllStandardOutput());
    out.errors += QString::fromUtf8(process.readAllStandardError());
    return out;
}

AudioBlock sound(const QString& name)
{
    const auto audio = media::readAudio(CliRunner::media(name).toStdString());
    return audio ? *audio : AudioBlock{};
}

} // namespace

CliRunner::CliRunner() : m_cache(QDir::tempPath() + "/loquor-test-cache-" + QString::number(getuid()))
{
    QDir().mkpath(m_cache);
}

QString CliRunner::media(const QString& name)
{
    return QDir::cleanPath(QString(LOQUOR_DEPS_DIR) + "/../media/test/" + name);
}

CliResult CliRunner::run(const QStringList& arguments) const
{
    auto process = start(arguments);
    return finish(*process);
}

CliResult CliRunner::run(const QStringList& arguments, const QByteArray& input) const
{
    auto process = start(arguments);
    process->write(input);
    process->closeWriteChannel();
    return finish(*process);
}

CliResult CliRunner::runWithFileLimit(const QStringList& arguments, int kilobytes) const
{
    QProcess process;
    process.setProcessEnvironment(environment(m_cache));
    process.start("bash", QStringList{"-c", "ulimit -f " + QString::number(kilobytes) + "; exec \"$0\" \"$@\"",
                                      QString(LOQUOR_BIN_DIR) + "/loquor-cli"} +
                              arguments);
    return finish(process);
}

CliResult CliRunner::runOnSmallDisk(const QStringList& arguments, const QString& disk, int kilobytes) const
{
    static const char* const kScript = "disk=$0; size=$1; shift\n"
                                       "mount -t tmpfs -o size=${size}k loquor-test \"$disk\" 2>/dev/null || ulimit -f $size\n"
                                       "\"$@\"; code=$?\n"
                                       "echo \"files left: $(ls -A \"$disk\")\"; exit $code";
    return runIsolated(QStringList{"bash", "-c", kScript, disk, QString::number(kilobytes), program()} + arguments);
}

CliResult CliRunner::runScript(const char* script, const QStringList& arguments) const
{
    return runIsolated(QStringList{"bash", "-c", script, program()} + arguments);
}

CliResult CliRunner::runIsolated(const QStringList& command) const
{
    const QString isolated = ::geteuid() == 0 ? "-m" : "-rm";
    const bool canIsolate = QProcess::execute("unshare", {isolated, "true"}) == 0;
    QProcess process;
    process.setProcessEnvironment(environment(m_cache));
    process.start("env", (canIsolate ? QStringList{"unshare", isolated} : QStringList()) + command);
    return finish(process);
}

void CliRunner::useCache(const QString& folder)
{
    m_cache = folder;
    QDir().mkpath(folder);
}

QString CliRunner::program() const
{
    return m_program.isEmpty() ? QString(LOQUOR_BIN_DIR) + "/loquor-cli" : m_program;
}

std::unique_ptr<QProcess> CliRunner::start(const QStringList& arguments) const
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(environment(m_cache));
    process->start(program(), arguments);
    process->waitForStarted(10'000);
    return process;
}

QStringList CliRunner::renderArguments(const QString& photo, const QString& audio, const QString& output) const
{
    return {"render", "-r", photo, "-a", audio, "-o", output, "--size", "192x108"};
}

AudioBlock CliRunner::jfk()
{
    return sound("jfk.wav");
}

AudioBlock CliRunner::reading()
{
    return sound("two_cities.wav");
}

QString CliRunner::speech(double seconds, const QString& name) const
{
    AudioBlock audio = jfk();
    audio.samples.resize(std::min(audio.samples.size(), static_cast<std::size_t>(seconds * audio.sampleRate)));
    return writeWav(name, audio);
}

QString CliRunner::writeWav(const QString& name, const AudioBlock& audio) const
{
    const QString file = path(name);
    const auto written = media::writeWav(file.toStdString(), audio);
    return written ? file : QString();
}

QString CliRunner::writeText(const QString& name, const QByteArray& text) const
{
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        return {};
    return file.fileName();
}

QStringList CliRunner::leftovers(const QStringList& known) const
{
    QStringList out;
    const auto entries = QDir(m_folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    for (const QString& name : entries) {
        if (!known.contains(name))
            out.append(name);
    }
    return out;
}

QJsonObject CliRunner::json(const QString& name) const
{
    QFile file(path(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QJsonDocument::fromJson(file.readAll()).object();
}

Image loadPhoto(const QString& path)
{
    auto loaded = media::loadImage(path.toStdString());
    return loaded ? std::move(loaded->image) : Image();
}

Image sideBySide(const Image& left, const Image& right)
{
    Image out(left.width + right.width, std::max(left.height, right.height), 3);
    for (int y = 0; y < left.height; ++y)
        std::memcpy(out.row(y), left.row(y), left.stride());
    for (int y = 0; y < right.height; ++y)
        std::memcpy(out.row(y) + left.stride(), right.row(y), right.stride());
    return out;
}

Image cutOut(const Image& photo, int left, int top, int right, int bottom)
{
    Image out(right - left, bottom - top, 3);
    for (int y = top; y < bottom; ++y)
        std::memcpy(out.row(y - top), photo.row(y) + 3 * left, out.stride());
    return out;
}

Image turnedHead(const Image& photo, double centre, double radius, double degrees)
{
    Image out(photo.width, photo.height, 3);
    const double quarter = std::numbers::pi / 2, turn = degrees * std::numbers::pi / 180;
    for (int x = 0; x < photo.width; ++x) {
        const double across = (x - centre) / radius;
        if (std::abs(across) >= 1)
            continue;
        const double angle = std::asin(across) - turn;
        const int from = static_cast<int>(std::lround(centre + radius * std::sin(angle)));
        if (std::abs(angle) >= quarter || from < 0 || from >= photo.width)
            continue;
        for (int y = 0; y < photo.height; ++y)
            std::copy_n(photo.row(y) + 3 * from, 3, out.row(y) + 3 * x);
    }
    return out;
}

void sendSignal(const QProcess& process, int signal)
{
    if (process.processId() > 0)
        ::kill(static_cast<pid_t>(process.processId()), signal);
}

QList<int> processesBelow(qint64 pid, const QString& program)
{
    QList<int> out;
    const QDir tasks("/proc/" + QString::number(pid) + "/task");
    for (const QString& task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile children(tasks.filePath(task) + "/children");
        if (!children.open(QIODevice::ReadOnly))
            continue;
        for (const QByteArray& child : children.readAll().split(' ')) {
            const int id = child.trimmed().toInt();
            if (id > 0 && QFileInfo("/proc/" + QString::number(id) + "/exe").symLinkTarget().endsWith('/' + program))
                out.append(id);
        }
    }
    return out;
}

} // namespace loquor::test
