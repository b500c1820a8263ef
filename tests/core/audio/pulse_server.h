// A PulseAudio of the test's own: nothing of the machine's sound or of its users is touched.
#pragma once

#include <QProcess>
#include <QString>
#include <QTemporaryDir>

namespace loquor::test {

// Runs as any user, root too, without a session and without D-Bus. The environment of this process is set so that ALSA's
// plug-in "pulse", and with it PortAudio, finds this server; set it up before PortAudio is used.
class PulseServer
{
public:
    ~PulseServer();
    // Empty, or what is wrong.
    QString start();
    // A sink that goes nowhere; its monitor is the default microphone. Gives the module's number, -1 on failure.
    int loadSink(int sampleRate, int channels);
    bool unload(int module);
    // Plays a file into the sink, to its end; the caller waits for it.
    bool play(QProcess& player, const QString& file);

private:
    QString control(const QStringList& arguments);
    QTemporaryDir m_dir;
    QProcess m_server;
};

} // namespace loquor::test
