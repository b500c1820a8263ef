#include "tests/core/session/project_fixture.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;

// What is said to be heard.
class tst_say : public QObject
{
    Q_OBJECT
    test::ProjectFixture m_fixture;

    std::optional<session::Event> answer(CommandId id)
    {
        for (int i = 0; i < 3000; ++i) {
            for (Event& event : m_fixture.session().takeEvents()) {
                if (event.command == id)
                    return event;
            }
            QTest::qWait(10);
        }
        return {};
    }
    static SayRequest request(const char* text)
    {
        SayRequest out;
        out.text = text;
        out.voice = "espeak-en-us";
        return out;
    }

private Q_SLOTS:
    void initTestCase() { m_fixture.open(); }

    void a_word_is_said_with_its_entry()
    {
        const auto plain = answer(m_fixture.session().say(request("SQL")));
        QVERIFY(plain && plain->kind == Event::Kind::Said && plain->sound);
        QCOMPARE(plain->sound->channels, 1);
        QCOMPARE(plain->sound->sampleRate, 48000);
        QVERIFY(plain->sound->samples.size() > 9600);
        SayRequest other = request("SQL");
        other.pronunciations = {*speech::makePronunciation("SQL", "", "a sequel that is told at length", "")};
        const auto said = answer(m_fixture.session().say(other));
        QVERIFY(said && said->sound);
        QVERIFY(said->sound->samples.size() > plain->sound->samples.size());
    }

    void what_cannot_be_said_is_an_answer()
    {
        SayRequest unknown = request("word");
        unknown.voice = "no-such-voice";
        const auto none = answer(m_fixture.session().say(unknown));
        QVERIFY(none && none->kind == Event::Kind::CommandFailed && none->error);
        QVERIFY(none->error->message().find("no-such-voice") != std::string::npos);
        const auto empty = answer(m_fixture.session().say(request("...")));
        QVERIFY(empty && empty->kind == Event::Kind::CommandFailed);
    }
};

LOQUOR_TEST(tst_say)
#include "tst_say.moc"
