#include "core/session/audio_spool.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTemporaryDir>

using namespace loquor;
using namespace loquor::session;

class tst_audiospool : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void grows_and_gives_what_is_there()
    {
        QTemporaryDir folder;
        AudioSpool spool;
        std::vector<float> out(100);
        QCOMPARE(spool.read(0, out.data(), 10), std::size_t(0));
        QVERIFY(spool.restart(folder.path().toStdString() + "/deeper", 16000));
        QCOMPARE(spool.sampleRate(), 16000);
        QVERIFY(spool.append({16000, 2, {0.f, 1.f, 2.f, 4.f}}));
        QVERIFY(spool.append({16000, 1, {7.f}}));
        QCOMPARE(spool.read(0, out.data(), 100), std::size_t(3));
        QCOMPARE(out[0], .5f);
        QCOMPARE(out[1], 3.f);
        QCOMPARE(out[2], 7.f);
        QCOMPARE(spool.read(2, out.data(), 100), std::size_t(1));
        QCOMPARE(spool.read(3, out.data(), 100), std::size_t(0));
        QCOMPARE(spool.read(-1, out.data(), 100), std::size_t(0));
        QVERIFY(spool.restart(folder.path().toStdString(), 22050));
        QCOMPARE(spool.read(0, out.data(), 100), std::size_t(0));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 0); // no name, nothing to clean up
    }
};

LOQUOR_TEST(tst_audiospool)
#include "tst_audiospool.moc"
