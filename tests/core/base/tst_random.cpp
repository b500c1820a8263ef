#include "core/base/random.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace loquor;

class tst_random : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Golden values: a change here changes every rendered video of every project.
    void sequenceIsFixed()
    {
        Random a(1);
        Random b(1);
        for (int i = 0; i < 100; ++i)
            QCOMPARE(a.next(), b.next());
        QVERIFY(Random(1).next() != Random(2).next());
        QCOMPARE(mixSeed(1, 2), mixSeed(1, 2));
        QVERIFY(mixSeed(1, 2) != mixSeed(2, 1));
        QVERIFY(mixSeed(1, "line-a") != mixSeed(1, "line-b"));
    }
    void momentsAreRight()
    {
        Random r(7);
        double sum = 0;
        double squares = 0;
        const int n = 20000;
        for (int i = 0; i < n; ++i) {
            const double x = r.normal();
            sum += x;
            squares += x * x;
        }
        QVERIFY(std::abs(sum / n) < 0.03);
        QVERIFY(std::abs(squares / n - 1) < 0.05);
    }
};

LOQUOR_TEST(tst_random)
#include "tst_random.moc"
