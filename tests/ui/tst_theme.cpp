#include "ui/widgets/theme.h"

#include <QApplication>
#include <QPalette>
#include <QPushButton>

#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/settings/settings_dialog.h"
#include "ui/widgets/icons.h"

#include <QComboBox>

using namespace loquor::ui;
using loquor::test::StudioFixture;

namespace {

double luminance(const QColor& colour)
{
    const auto channel = [](double v) {
        return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(colour.redF()) + 0.7152 * channel(colour.greenF()) +
           0.0722 * channel(colour.blueF());
}

double contrast(const QColor& a, const QColor& b)
{
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

QColor middleOf(const QIcon& icon)
{
    // The darkest or lightest opaque pixel tells the colour of the lines.
    const QImage image = icon.pixmap(QSize(24, 24), 1.0).toImage();
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (qAlpha(image.pixel(x, y)) == 255)
                return image.pixelColor(x, y);
        }
    }
    return {};
}

} // namespace

class tst_theme : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void textStandsOutInBothThemes_data()
    {
        QTest::addColumn<int>("mode");
        QTest::newRow("light") << static_cast<int>(ThemeMode::Light);
        QTest::newRow("dark") << static_cast<int>(ThemeMode::Dark);
    }
    void textStandsOutInBothThemes()
    {
        QFETCH(int, mode);
        Theme theme;
        theme.setMode(static_cast<ThemeMode>(mode));
        const QPalette p = QApplication::palette();
        const std::pair<QPalette::ColorRole, QPalette::ColorRole> pairs[] = {
            {QPalette::WindowText, QPalette::Window},
            {QPalette::Text, QPalette::Base},
            {QPalette::ButtonText, QPalette::Button},
            {QPalette::HighlightedText, QPalette::Highlight},
            {QPalette::PlaceholderText, QPalette::Base},
            {QPalette::ToolTipText, QPalette::ToolTipBase},
            {QPalette::Link, QPalette::Base},
            {QPalette::Dark, QPalette::Window}};
        for (const auto& [text, ground] : pairs) {
            const double found = contrast(p.color(text), p.color(ground));
            QVERIFY2(found >= 4.5,
                     qPrintable(QStringLiteral("%1 on %2: %3").arg(text).arg(ground).arg(found)));
        }
        QVERIFY(!qApp->styleSheet().contains(QLatin1Char('@'))); // every colour name was filled in
    }

    void changesWithoutARestart()
    {
        StudioFixture studio;
        studio.window->applyPreferences({.theme = ThemeMode::Light,
                                         .smoothPreview = true,
                                         .language = {},
                                         .countInSeconds = 3,
                                         .realtimeFactor = 2});
        const QIcon settings = icon(QStringLiteral("settings"));
        const QColor lightWindow = QApplication::palette().color(QPalette::Window);
        const QColor lightIcon = middleOf(settings);
        studio.window->applyPreferences({.theme = ThemeMode::Dark,
                                         .smoothPreview = true,
                                         .language = {},
                                         .countInSeconds = 3,
                                         .realtimeFactor = 2});
        QVERIFY(QApplication::palette().color(QPalette::Window).lightness() <
                lightWindow.lightness());
        QVERIFY(middleOf(settings).lightness() > lightIcon.lightness()); // the same icon object
        QCOMPARE(Preferences::load().theme, ThemeMode::Dark);
    }

    void theDialogShowsAtOnceAndCancelTakesItBack()
    {
        StudioFixture studio;
        studio.window->applyPreferences({.theme = ThemeMode::Light,
                                         .smoothPreview = true,
                                         .language = {},
                                         .countInSeconds = 3,
                                         .realtimeFactor = 2});
        studio.window->showSettings();
        auto* dialog = studio.window->findChild<SettingsDialog*>();
        QVERIFY(dialog);
        dialog->theme().setCurrentIndex(2);
        Q_EMIT dialog->theme().activated(2);
        QVERIFY(studio.theme.isDark());
        dialog->reject();
        QVERIFY(!studio.theme.isDark());
        QCOMPARE(Preferences::load().theme, ThemeMode::Light);
    }

    void everyIconExists()
    {
        Theme theme;
        for (const char* name :
             {"photo", "text", "microphone", "settings", "generate", "export",
              "play", "pause", "to-start", "to-end", "frame-back", "frame-forward",
              "cancel", "folder", "document", "record", "stop", "info",
              "warning", "good", "save", "waveform", "loquor", "project"})
            QVERIFY2(middleOf(icon(QString::fromLatin1(name))).isValid(), name);
    }
};

LOQUOR_TEST(tst_theme)
#include "tst_theme.moc"
