// pronounce and project pronounce; SSML on the command line.
#include "tests/integration/cli_runner.h"

#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace loquor;
using loquor::test::CliResult;
using loquor::test::CliRunner;

namespace {

QJsonArray entries(const CliResult& result)
{
    return QJsonDocument::fromJson(result.output.toUtf8()).object()["pronunciations"].toArray();
}

} // namespace

class tst_cli_pronounce : public QObject
{
    Q_OBJECT
    CliRunner m_cli;

private Q_SLOTS:
    void initTestCase() { qputenv("LOQUOR_CONFIG_DIR", m_cli.path("settings").toUtf8()); }

    void theUsersDictionary()
    {
        QCOMPARE(entries(m_cli.run({"pronounce", "--json"})).size(), 0);
        QCOMPARE(m_cli.run({"pronounce", "SQL", "--as", "sequel"}).exitCode, 0);
        QCOMPARE(m_cli.run({"pronounce", "Worcester", "--ipa", "ˈwʊstə", "--language", "en"}).exitCode, 0);
        QCOMPARE(entries(m_cli.run({"pronounce", "--json"})).size(), 2);
        const auto one = entries(m_cli.run({"pronounce", "Worcester", "--json"}));
        QCOMPARE(one.size(), 1);
        QCOMPARE(one[0].toObject()["ipa"].toString(), QString("ˈwʊstə"));
        QCOMPARE(m_cli.run({"pronounce", "SQL", "--remove"}).exitCode, 0);
        QCOMPARE(entries(m_cli.run({"pronounce", "--json"})).size(), 1);
    }

    void mistakesAreNamed()
    {
        const auto fails = [&](const QStringList& arguments, const QString& message) {
            const CliResult result = m_cli.run(QStringList{"pronounce"} + arguments);
            return result.exitCode == 2 && result.errors.contains(message);
        };
        QVERIFY(fails({"nothing", "--remove"}, "no entry"));
        QVERIFY(fails({"x", "--as", ""}, "needs either"));
        QVERIFY(fails({"x", "--ipa", "a7"}, "'7'"));
        QVERIFY(fails({"x", "--ipa", "a", "--as", "b"}, "--as"));
        QVERIFY(fails({"...", "--as", "b"}, "needs a word"));
    }

    void theDictionaryOfAProject()
    {
        const QString project = m_cli.path("p.loquor");
        QFile file(project);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"format": "loquor-project", "version": 2, "colour": "red", "scenes": [{"id": "scene-1"}]})");
        file.close();
        QCOMPARE(entries(m_cli.run({"project", "pronounce", project, "--json"})).size(), 0);
        const CliResult set = m_cli.run({"project", "pronounce", project, "New York", "--as", "the city", "--json"});
        QVERIFY2(set.exitCode == 0, qPrintable(set.errors));
        QCOMPARE(entries(m_cli.run({"project", "pronounce", project, "--json"})).size(), 1);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray saved = file.readAll();
        QVERIFY2(saved.contains("the city") && saved.contains("\"colour\""), saved.constData());
        QCOMPARE(m_cli.run({"project", "pronounce", project, "New York", "--remove"}).exitCode, 0);
        QCOMPARE(entries(m_cli.run({"project", "pronounce", project, "--json"})).size(), 0);
    }

    void ssmlIsSaidAndStoredAsAScript()
    {
        const QString ssml = m_cli.writeText("a.ssml", "<speak xml:lang=\"en-US\"><p>Hello <emphasis>there</emphasis>.<mark name=\"m\"/></p></speak>");
        const CliResult said = m_cli.run({"say", "--script", ssml, "--voice", "espeak-en-us", "-o", m_cli.path("a.wav"), "--timing-out", m_cli.path("a.json")});
        QVERIFY2(said.exitCode == 0, qPrintable(said.errors));
        QVERIFY2(said.errors.contains("<mark> is ignored"), qPrintable(said.errors));
        QFile timing(m_cli.path("a.json"));
        QVERIFY(timing.open(QIODevice::ReadOnly));
        QCOMPARE(QJsonDocument::fromJson(timing.readAll()).object()["text"].toString(), QString("Hello [emphasis]there[/emphasis]."));
        const CliResult broken = m_cli.run({"say", "-t", "<speak>Hello", "-o", m_cli.path("b.wav")});
        QCOMPARE(broken.exitCode, 3);
        QVERIFY2(broken.errors.contains("Line 1"), qPrintable(broken.errors));
    }
};

LOQUOR_TEST(tst_cli_pronounce)
#include "tst_cli_pronounce.moc"
