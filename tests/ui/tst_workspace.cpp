// Docks, their layout, sections, and the commands by name.
#include <QAction>
#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QSettings>

#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/main/actions.h"
#include "ui/main/command_palette.h"
#include "ui/main/workspace.h"
#include "ui/preview/preview_panel.h"
#include "ui/preview/preview_widget.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"

using namespace loquor;
using namespace loquor::ui;
using loquor::test::StudioFixture;

class tst_workspace : public QObject
{
    Q_OBJECT

    static QDockWidget* dock(MainWindow& window, const char* name)
    {
        return window.findChild<QDockWidget*>(QString::fromLatin1(name));
    }

private Q_SLOTS:
    void theLayoutIsKeptAndComesBack()
    {
        StudioFixture s;
        QVERIFY(dock(*s.window, "script")->isVisible() && dock(*s.window, "timeline")->isVisible());
        QCOMPARE(s.window->dockWidgetArea(dock(*s.window, "script")), Qt::LeftDockWidgetArea);
        s.window->addDockWidget(Qt::RightDockWidgetArea, dock(*s.window, "script"));
        dock(*s.window, "timeline")->hide();
        s.window->close();
        StudioFixture::settle();
        Theme theme;
        MainWindow next({s.session, s.sound, *s.silence, s.qpath("data"), s.qpath("config")}, theme);
        next.show();
        QCOMPARE(next.dockWidgetArea(dock(next, "script")), Qt::RightDockWidgetArea);
        QVERIFY(!dock(next, "timeline")->isVisible());
        next.actions().resetLayout->trigger();
        QCOMPARE(next.dockWidgetArea(dock(next, "script")), Qt::LeftDockWidgetArea);
        QVERIFY(dock(next, "timeline")->isVisible());
    }

    // A layout that cannot be read is no reason to start without one.
    void aDamagedLayoutIsNotTaken()
    {
        QSettings().setValue("window/docks", QByteArray("nonsense"));
        QSettings().setValue("window/geometry", QByteArray("nonsense"));
        test::FakeSession session;
        test::FakeDevice device;
        test::FakeBackend sound(device);
        const auto silence = audio::createClockBackend();
        Theme theme;
        QTemporaryDir folder;
        MainWindow window({session, sound, *silence, folder.path(), folder.path()}, theme);
        window.show();
        QVERIFY(dock(window, "script")->isVisible() && dock(window, "inspector")->isVisible());
        QSettings().clear();
    }

    void sectionsAreReachedByKeys()
    {
        StudioFixture s;
        s.makeReady();
        s.window->previewPanel().picture().setFocus();
        QList<QWidget*> seen;
        for (int i = 0; i < 8; ++i) {
            QTest::keyClick(s.window.get(), Qt::Key_F6);
            seen += s.window->focusWidget();
        }
        const auto inside = [&](const char* name) {
            return std::any_of(seen.begin(), seen.end(), [&](QWidget* widget) { return dock(*s.window, name)->isAncestorOf(widget); });
        };
        QVERIFY(inside("script") && inside("inspector"));
        QVERIFY(seen.contains(&s.window->previewPanel().picture()));
        QTest::keyClick(s.window.get(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(s.window->focusWidget() != seen.back());
        // By their digits, also when they are behind another one.
        for (int i = 0; i < s.window->workspace().docks().size(); ++i) {
            QDockWidget* wanted = s.window->workspace().docks()[i];
            wanted->hide();
            QTest::keyClick(s.window.get(), static_cast<Qt::Key>(Qt::Key_1 + i), Qt::ControlModifier);
            QVERIFY2(wanted->isVisible() && !wanted->visibleRegion().isEmpty(), qPrintable(wanted->objectName()));
        }
    }

    void aCommandIsFoundByItsName()
    {
        StudioFixture s;
        s.makeReady();
        s.window->scriptPanel().editor().setFocus(); // the box has no use for Ctrl+K
        const QString text = s.window->scriptPanel().editor().toPlainText();
        QTest::keyClick(&s.window->scriptPanel().editor(), Qt::Key_K, Qt::ControlModifier);
        QTRY_VERIFY(s.window->findChild<CommandPalette*>());
        QCOMPARE(s.window->scriptPanel().editor().toPlainText(), text);
        auto* palette = s.window->findChild<CommandPalette*>();
        QVERIFY(palette->list().count() > 20);
        QTest::keyClicks(&palette->filter(), "video gener");
        QCOMPARE(palette->list().count(), 1);
        QVERIFY(palette->list().item(0)->text().contains("Ctrl+Return"));
        QTest::keyClick(&palette->filter(), Qt::Key_Return);
        QCOMPARE(s.session.projectRequests.size(), std::size_t(1));
        StudioFixture::settle();
        QTRY_VERIFY(!s.window->findChild<CommandPalette*>());

        s.window->actions().palette->trigger();
        palette = s.window->findChild<CommandPalette*>();
        QTest::keyClicks(&palette->filter(), "no such command");
        QCOMPARE(palette->list().count(), 0);
        QTest::keyClick(&palette->filter(), Qt::Key_Return); // nothing happens
        QVERIFY(palette->isVisible());
        palette->filter().clear();
        QTest::keyClick(&palette->filter(), Qt::Key_Down);
        QCOMPARE(palette->list().currentRow(), 1);
        QTest::keyClick(palette, Qt::Key_Escape);
        QVERIFY(!palette->isVisible());
    }
};

LOQUOR_TEST(tst_workspace)
#include "tst_workspace.moc"
