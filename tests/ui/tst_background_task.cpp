#include "ui/bridge/background_task.h"

#include <memory>
#include <optional>
#include <stdexcept>

#include <QThread>
#include <QThreadPool>

#include "tests/support/test_main.h"

using namespace loquor;
using loquor::ui::runInBackground;

class tst_background_task : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void the_answer_comes_on_the_thread_of_the_asker()
    {
        QThread* worked = nullptr;
        QThread* answered = nullptr;
        int value = 0;
        runInBackground(
            this,
            [&worked] {
                worked = QThread::currentThread();
                return 7;
            },
            [&](const Result<int>& result) {
                answered = QThread::currentThread();
                value = result.value_or(-1);
            });
        QTRY_COMPARE(value, 7);
        QCOMPARE(answered, thread());
        QVERIFY(worked != answered);
    }

    void what_the_work_throws_is_an_answer_too()
    {
        std::optional<Error> plain, result;
        runInBackground(
            this, []() -> int { throw std::runtime_error("odd"); },
            [&](const Result<int>& answer) { plain = answer.error(); });
        runInBackground(
            this, []() -> Result<void> { throw std::runtime_error("even"); },
            [&](const Result<void>& answer) { result = answer.error(); });
        QTRY_VERIFY(plain && result);
        QVERIFY(plain->message().find("odd") != std::string::npos);
        QVERIFY(result->message().find("even") != std::string::npos);
    }

    void nobody_is_asked_back_after_the_end()
    {
        auto asker = std::make_unique<QObject>();
        bool answered = false, isOver = false;
        runInBackground(
            asker.get(), [] { return 1; }, [&answered](const Result<int>&) { answered = true; });
        asker.reset();
        QThreadPool::globalInstance()->waitForDone();
        runInBackground(
            this, [] { return 1; }, [&isOver](const Result<int>&) { isOver = true; });
        QTRY_VERIFY(isOver); // what was posted before has come by now
        QVERIFY(!answered);
    }
};

LOQUOR_TEST(tst_background_task)
#include "tst_background_task.moc"
