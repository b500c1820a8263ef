#include "core/portrait/motion_solver.h"
#include "tests/support/test_main.h"

using namespace loquor::portrait;

class tst_motion_prompt : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void readsWords()
    {
        const auto calm = readPrompt("Calm, smiling, less head motion");
        QVERIFY(calm.unknown.empty());
        QVERIFY(calm.style.energy < 1 && calm.style.headMotion < .5);
        QCOMPARE(calm.style.smile, .45);
        const auto lively = readPrompt("a very energetic and friendly presenter");
        QVERIFY(lively.unknown.empty());
        QVERIFY(lively.style.energy > 1.3 && lively.style.headMotion > 1.7 && lively.style.smile > .2);
        QCOMPARE(readPrompt("keep the head still").style.headMotion, .25);
        QCOMPARE(readPrompt("no head motion").style.headMotion, 0.0);
        QCOMPARE(readPrompt("serious", {1, 1, .5}).style.smile, 0.0);
        QCOMPARE(readPrompt("slight smile").style.smile, .2);
        QVERIFY(readPrompt("slightly calm").style.energy > readPrompt("calm").style.energy);
    }

    void emptyKeepsTheBase()
    {
        const auto reading = readPrompt("  ,, ", {.8, 1.2, .1});
        QVERIFY(reading.unknown.empty());
        QCOMPARE(reading.style.energy, .8);
        QCOMPARE(reading.style.headMotion, 1.2);
        QCOMPARE(reading.style.smile, .1);
    }

    void reportsUnknownWords()
    {
        const auto reading = readPrompt("calm, jumping on a trampoline, mỉm cười");
        QCOMPARE(reading.unknown, (std::vector<std::string>{"jumping", "on", "trampoline", "mỉm", "cười"}));
        QVERIFY(reading.style.energy < 1);
    }

    void staysInRange()
    {
        std::string many;
        for (int i = 0; i < 50; ++i)
            many += "extremely energetic, very excited, more head motion, big smile, ";
        const auto up = readPrompt(many).style;
        QVERIFY(up.energy <= 2 && up.headMotion <= 3 && up.smile <= 1);
        std::string few;
        for (int i = 0; i < 50; ++i)
            few += "extremely calm, ";
        const auto down = readPrompt(few).style;
        QVERIFY(down.energy >= 0 && down.headMotion >= 0);
    }

    void readsTags_data()
    {
        QTest::addColumn<QString>("tag");
        QTest::addColumn<int>("kind");
        const auto row = [](const char* tag, CueKind kind) { QTest::newRow(tag) << tag << int(kind); };
        row("smile", CueKind::Smile);
        row(" SMILE ", CueKind::Smile);
        row("serious", CueKind::Serious);
        row("nod", CueKind::Nod);
        row("shake", CueKind::Shake);
        row("look left", CueKind::LookLeft);
        row("look  right", CueKind::LookRight);
        row("Look Up", CueKind::LookUp);
        row("look down", CueKind::LookDown);
        row("look camera", CueKind::LookCamera);
        row("look at the camera", CueKind::LookCamera);
        row("brow up", CueKind::BrowUp);
        row("brow down", CueKind::BrowDown);
        row("blink", CueKind::Blink);
        row("dance", CueKind::None);
        row("look", CueKind::None);
        row("smile please", CueKind::None);
        row("", CueKind::None);
        row("pause 2", CueKind::None);
    }
    void readsTags()
    {
        QFETCH(QString, tag);
        QFETCH(int, kind);
        const auto cue = cueFromTag(tag.toStdString());
        QCOMPARE(cue.has_value(), kind != int(CueKind::None));
        if (cue)
            QCOMPARE(int(*cue), kind);
    }
};

LOQUOR_TEST(tst_motion_prompt)
#include "tst_motion_prompt.moc"
