#include "tests/core/audio/pulse_server.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QThread>

namespace loquor::test {

PulseServer::~PulseServer()
{
    if (m_server.state() == QProcess::NotRunning)
        return;
    m_server.terminate();
    if (!m_server.waitForFinished(3000)) {
        m_server.kill();
        m_server.waitForFinished(3000);
    }
}

QString PulseServer::start()
{
    const QString folder = m_dir.path();
    QDir(folder).mkpath(QStringLiteral("home"));
    QDir(folder).mkpath(QStringLiteral("run"));
    QFile::setPermissions(folder + QStringLiteral("/run"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    const QString socket = folder + QStringLiteral("/native");
    qputenv("HOME", (folder + QStringLiteral("/home")).toUtf8());
    qputenv("XDG_RUNTIME_DIR", (folder + QStringLiteral("/run")).toUtf8());
    qputenv("PULSE_RUNTIME_PATH", (folder + QStringLiteral("/run")).toUtf8());
    qputenv("PULSE_STATE_PATH", (folder + QStringLiteral("/home")).toUtf8());
    qputenv("PULSE_SERVER", ("unix:" + socket).toUtf8());
    qputenv("PULSE_LATENCY_MSEC", "60"); // else a null sink works in pieces of two seconds
    qunsetenv("DBUS_SESSION_BUS_ADDRESS");
    m_server.setProcessChannelMode(QProcess::MergedChannels);
    m_server.start(QStringLiteral("pulseaudio"),
                   {"-n", "--daemonize=no", "--system=no", "--exit-idle-time=-1", "--disable-shm=yes",
                    "--use-pid-file=no", "--realtime=no", "--high-priority=no", "-L",
                    "module-native-protocol-unix socket=" + socket + " auth-anonymous=1"});
    if (!m_server.waitForStarted())
        return QStringLiteral("pulseaudio cannot be started (packaging/setup.sh --tests installs it): ") +
               m_server.errorString();
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 8000) {
        if (QFile::exists(socket) && !control({"info"}).isEmpty())
            return {};
        if (m_server.waitForFinished(50))
            break;
    }
    return QStringLiteral("pulseaudio does not answer: ") + QString::fromUtf8(m_server.readAll());
}

QString PulseServer::control(const QStringList& arguments)
{
    QProcess program;
    program.start(QStringLiteral("pactl"), arguments);
    if (!program.waitForFinished(5000) || program.exitStatus() != QProcess::NormalExit || program.exitCode() != 0)
        return {};
    const QString said = QString::fromUtf8(program.readAllStandardOutput()).trimmed();
    return said.isEmpty() ? QStringLiteral("done") : said;
}

int PulseServer::loadSink(int sampleRate, int channels)
{
    const QString number = control({"load-module", "module-null-sink", "sink_name=loquor_test",
                                    QStringLiteral("rate=%1").arg(sampleRate), QStringLiteral("channels=%1").arg(channels)});
    bool fine = false;
    const int module = number.toInt(&fine);
    if (!fine || control({"set-default-source", "loquor_test.monitor"}).isEmpty())
        return -1;
    return module;
}

bool PulseServer::unload(int module)
{
    return !control({"unload-module", QString::number(module)}).isEmpty();
}

bool PulseServer::play(QProcess& player, const QString& file)
{
    player.start(QStringLiteral("paplay"), {"--device=loquor_test", file});
    return player.waitForStarted();
}

} // namespace loquor::test
