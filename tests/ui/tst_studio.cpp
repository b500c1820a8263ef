// The real window with the real engine, driven by keyboard and mouse.
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QFileInfo>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTextCursor>

#include "core/session/session.h"
#include "tests/core/audio/fake_backend.h"
#include "tests/support/folders.h"
#include "tests/support/test_main.h"
#include "ui/jobs/job_panel.h"
#include "ui/main/actions.h"
#include "ui/main/main_window.h"
#include "ui/preview/preview_panel.h"
#include "ui/preview/preview_widget.h"
#include "ui/reference/reference_panel.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

using namespace loquor;
using namespace loquor::ui;

namespace {

constexpr int kTimeout = 120'000;

std::vector<Look> looksOf(const TimelineLayout& layout)
{
    std::vector<Look> out;
    for (const LayoutLine& line : layout.lines())
        out.push_back(line.look);
    return out;
}

} // namespace

class tst_studio : public QObject
{
    Q_OBJECT
    QTemporaryDir m_folder;
    std::unique_ptr<session::Session> m_session;
    test::FakeDevice m_device;
    test::FakeBackend m_sound{m_device};
    std::unique_ptr<audio::AudioBackend> m_silence = audio::createClockBackend();

private Q_SLOTS:
    void initTestCase()
    {
        m_device.exists = false; // time runs without sound
        session::SessionOptions options;
        options.rankProgram = std::string(LOQUOR_BIN_DIR) + "/loquor-rank";
        options.phonemeProgram = std::string(LOQUOR_BIN_DIR) + "/loquor-phonemes";
        options.dataFolder = std::filesystem::path(LOQUOR_DEPS_DIR).parent_path();
        options.cacheFolder = m_folder.filePath(QStringLiteral("cache")).toStdString();
        auto session = session::createSession(options);
        QVERIFY(session);
        m_session = std::move(*session);
    }
    void cleanupTestCase() { m_session.reset(); }

    // Write, generate, change one word: only that line is stale; Generate makes only it, and plays it.
    void one_word_is_edited_and_only_its_seconds_are_made()
    {
        Theme theme;
        MainWindow window({*m_session, m_sound, *m_silence, m_folder.filePath(QStringLiteral("data")), m_folder.filePath(QStringLiteral("config"))}, theme);
        window.show();
        window.activateWindow();
        window.importFiles({QString::fromUtf8(LOQUOR_DEPS_DIR) + QStringLiteral("/../media/test/astronaut.png")});
        QTRY_VERIFY_WITH_TIMEOUT(window.referencePanel().consent().isVisible(), kTimeout);
        window.referencePanel().consent().setFocus();
        QTest::keyClick(&window.referencePanel().consent(), Qt::Key_Space);
        window.model().edit(EditKind::Size, QStringLiteral("small"), [](project::Document& document) {
            document.output.width = 320;
            document.output.height = 180;
            document.scenes.front().speech.voice = "espeak-en-us";
        });
        auto& editor = window.scriptPanel().editor();
        editor.setFocus();
        QTest::keyClicks(&editor, QStringLiteral("Good evening to you. This is a test of ours. And this is the end."));
        QTRY_VERIFY(window.jobPanel().generate().isEnabled());
        QCOMPARE(window.timeline().timeLayout().lines().size(), std::size_t(3));

        QTest::keyClick(&window, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(window.jobs().isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(window.playback().position() > 3, kTimeout); // plays while more is made
        QTRY_VERIFY_WITH_TIMEOUT(!window.jobs().isRunning() && window.timeline().timeLayout().isAllReady(), kTimeout);
        QVERIFY(window.jobs().making()->failedLines.empty());
        QTRY_VERIFY_WITH_TIMEOUT(window.previewPanel().picture().shownFrame() >= 0, kTimeout);
        const TimelineLayout first = window.timeline().timeLayout();
        const auto takeOf = [&](int line) { return window.renderState().takeShown(first.lines()[static_cast<std::size_t>(line)].id); };
        const std::uint64_t one = takeOf(0), two = takeOf(1), three = takeOf(2);
        QVERIFY(one && two && three);
        QVERIFY(first.lines()[1].words && first.lines()[1].words->size() >= 5);
        window.playback().pause();

        editor.setFocus();
        QTextCursor cursor = editor.document()->find(QStringLiteral("test"));
        QVERIFY(!cursor.isNull());
        editor.setTextCursor(cursor);
        QTest::keyClicks(&editor, QStringLiteral("trial"));
        const std::vector<Look> stale{Look::Ready, Look::Stale, Look::Ready};
        QVERIFY(looksOf(window.timeline().timeLayout()) == stale); // at once
        QTRY_VERIFY_WITH_TIMEOUT(window.renderState().isSettled(), kTimeout);
        QVERIFY(looksOf(window.timeline().timeLayout()) == stale); // and the store says the same

        QTest::keyClick(&window, Qt::Key_Return, Qt::ControlModifier);
        const FrameIndex begin = window.timeline().timeLayout().lines()[1].start;
        QCOMPARE(window.playback().position(), begin);
        QTRY_VERIFY_WITH_TIMEOUT(window.playback().position() > begin + 3, kTimeout); // the changed seconds play
        const qint64 shown = window.previewPanel().picture().shownFrame();
        QVERIFY2(shown >= begin, qPrintable(QString::number(shown)));
        QTRY_VERIFY_WITH_TIMEOUT(!window.jobs().isRunning() && window.timeline().timeLayout().isAllReady(), kTimeout);
        for (const session::ChunkReport& chunk : window.jobs().making()->chunks)
            QVERIFY(chunk.cached || (chunk.kind == "N" ? chunk.line == 2 : chunk.line >= 2));
        QCOMPARE(takeOf(0), one);
        QVERIFY(takeOf(1) != two);
        QCOMPARE(takeOf(2), three);

        // Undone, the line is what it was, and nothing has to be made.
        window.previewPanel().picture().setFocus();
        window.actions().undo->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(window.renderState().isSettled() && window.timeline().timeLayout().isAllReady(), kTimeout);
        QCOMPARE(takeOf(1), two);
        window.actions().redo->trigger();

        const QString video = m_folder.filePath(QStringLiteral("video.mp4"));
        window.exportTo(video);
        QTRY_VERIFY_WITH_TIMEOUT(window.messages().text().contains(QStringLiteral("video.mp4")), kTimeout);
        QVERIFY(window.messages().level() == MessageBar::Level::Good);
        QVERIFY(QFileInfo(video).size() > 10'000);
        QVERIFY(window.jobs().report()->streamCopied);
    }
};

LOQUOR_TEST(tst_studio)
#include "tst_studio.moc"
