#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTranslator>
#include <QXmlStreamReader>

#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/jobs/job_panel.h"
#include "ui/main/actions.h"

#include <QAction>

using loquor::test::StudioFixture;

namespace {

QSet<QString> placeholders(const QString& text)
{
    static const QRegularExpression pattern(QStringLiteral("%[0-9n]|\\[\\*\\]|\\(\\*[^)]*\\)"));
    QSet<QString> found;
    auto matches = pattern.globalMatch(text);
    while (matches.hasNext())
        found += matches.next().captured();
    return found;
}

} // namespace

class tst_translations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void germanIsCompleteAndKeepsPlaceholders()
    {
        QFile file(QString::fromUtf8(LOQUOR_SOURCE_DIR) + QStringLiteral("/translations/loquor_de.ts"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&file);
        QString source;
        int count = 0;
        while (!xml.atEnd()) {
            if (!xml.readNextStartElement())
                continue;
            if (xml.name() == QLatin1String("source")) {
                source = xml.readElementText();
                ++count;
            } else if (xml.name() == QLatin1String("translation")) {
                QVERIFY2(!xml.attributes().hasAttribute(QLatin1String("type")), qPrintable(source));
            } else if (xml.name() == QLatin1String("numerusform")) {
                const QString text = xml.readElementText();
                QCOMPARE(placeholders(text), placeholders(source));
            }
        }
        QVERIFY(count > 200);
    }

    void theWindowSpeaksGerman()
    {
        QTranslator german;
        QVERIFY(german.load(QStringLiteral(":/translations/loquor_de")));
        QCoreApplication::installTranslator(&german);
        const auto remove = qScopeGuard([&] { QCoreApplication::removeTranslator(&german); });
        StudioFixture s;
        QCOMPARE(s.window->jobPanel().hintText(),
                 QStringLiteral("Foto oder Clip einer Person hinzufügen."));
        QCOMPARE(s.window->actions().newProject->text(), QStringLiteral("&Neues Projekt"));
        QVERIFY(s.window->windowTitle().startsWith(QStringLiteral("Unbenannt")));
    }

    void englishHasPlurals()
    {
        QCOMPARE(QCoreApplication::translate("loquor::ui::ScriptPanel", "%n word(s)", nullptr, 1),
                 QStringLiteral("1 word"));
        QCOMPARE(QCoreApplication::translate("loquor::ui::ScriptPanel", "%n word(s)", nullptr, 3),
                 QStringLiteral("3 words"));
    }
};

LOQUOR_TEST(tst_translations)
#include "tst_translations.moc"
