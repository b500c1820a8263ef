// A change in a dictionary makes the lines again that use it, and no others.
#include <QFile>

#include "core/platform/paths.h"
#include "core/speech/pronunciations.h"
#include "tests/core/session/project_fixture.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;
using namespace loquor::test;

class tst_pronounced_lines : public QObject
{
    Q_OBJECT
    ProjectFixture m_fixture;
    QTemporaryDir m_config;

    QList<int> stale(const project::Document& document)
    {
        QList<int> out;
        for (const LineState& line : m_fixture.inspect(document).lines) {
            if (line.kind != LineState::Kind::Fresh)
                out << line.number;
        }
        return out;
    }
    static void set(speech::Pronunciations& list, const char* words, const char* alias)
    {
        QVERIFY(speech::setPronunciation(list, *speech::makePronunciation(words, "", alias, "")));
    }
    void setOfUser(const char* words, const char* alias)
    {
        const auto file = speech::userPronunciationsFile(platform::configFolder());
        auto list = speech::readPronunciations(file);
        QVERIFY(list.has_value());
        set(*list, words, alias);
        QVERIFY(speech::writePronunciations(file, *list));
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("LOQUOR_CONFIG_DIR", m_config.path().toUtf8());
        m_fixture.open();
    }

    void exactlyTheLinesWithTheWordAreStale()
    {
        auto document = m_fixture.document({"We use SQL here.", "Nothing of it.", "A sql server, an SQL client.", "MySQL is no such word."});
        QVERIFY(m_fixture.render(document).report.has_value());
        QCOMPARE(stale(document), QList<int>());
        set(document.pronunciations, "gif", "jif"); // no line has it
        QCOMPARE(stale(document), QList<int>());
        set(document.pronunciations, "sql", "sequel");
        QCOMPARE(stale(document), (QList<int>{1, 3}));
        QVERIFY(m_fixture.render(document).report.has_value());
        QCOMPARE(stale(document), QList<int>());
        set(document.pronunciations, "SQL", "ess cue ell"); // goes before the other where it matches
        QCOMPARE(stale(document).contains(2), false);
        document.pronunciations.clear();
        QCOMPARE(stale(document), QList<int>()); // as at first
    }

    void theUsersEntriesCountWhereTheProjectHasNone()
    {
        auto document = m_fixture.document({"A gif of it.", "A jpeg of it."});
        QVERIFY(m_fixture.render(document).report.has_value());
        setOfUser("gif", "jif");
        QCOMPARE(stale(document), QList<int>{1});
        set(document.pronunciations, "gif", "jif");
        QCOMPARE(stale(document), QList<int>{1});
        QVERIFY(m_fixture.render(document).report.has_value());
        setOfUser("gif", "giff"); // hidden by the project's
        QCOMPARE(stale(document), QList<int>());
    }

    void anUnreadableDictionaryIsTold()
    {
        auto document = m_fixture.document({"A gif of it."});
        const auto file = speech::userPronunciationsFile(platform::configFolder());
        QFile broken(QString::fromStdString(file.string()));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("{");
        broken.close();
        const auto outcome = m_fixture.render(document);
        QVERIFY(outcome.error.has_value());
        QVERIFY2(outcome.error->text().find("pronunciations.json") != std::string::npos, outcome.error->text().c_str());
        QVERIFY(broken.remove());
        QVERIFY(m_fixture.render(document).report.has_value());
    }
};

LOQUOR_TEST(tst_pronounced_lines)
#include "tst_pronounced_lines.moc"
