#include "core/audio/audio_backend.h"

#include <QFile>
#include <QTemporaryFile>

#include <unistd.h>

#include "tests/support/test_main.h"

using namespace loquor::audio;

class tst_portaudio_backend : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // ALSA and JACK complain to the terminal about devices that are not there; users took that for our errors.
    void lookingForDevicesSaysNothing()
    {
        QTemporaryFile file;
        QVERIFY(file.open());
        const int before = ::dup(STDERR_FILENO);
        ::dup2(file.handle(), STDERR_FILENO);
        {
            const auto backend = createPortAudioBackend();
            backend->inputDevices();
            const auto stream = backend->openOutput({}, [](float*, std::size_t, double) {});
            Q_UNUSED(stream)
        }
        ::dup2(before, STDERR_FILENO);
        ::close(before);
        QVERIFY(file.seek(0));
        QByteArray said;
        for (const QByteArray& line : file.readAll().split('\n')) {
            if (!line.isEmpty() && !line.contains("[audio]") && !line.contains("audio:"))
                said += line + '\n';
        }
        QCOMPARE(said, QByteArray());
    }
};

LOQUOR_TEST(tst_portaudio_backend)
#include "tst_portaudio_backend.moc"
