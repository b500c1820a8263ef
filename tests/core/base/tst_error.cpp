#include "core/base/check.h"
#include "core/base/error.h"
#include "tests/support/test_main.h"

#include <cerrno>

using namespace loquor;

namespace {

Result<int> half(int n)
{
    if (n % 2 != 0)
        return fail(ErrorCode::InvalidArgument, "odd");
    return n / 2;
}

Result<int> quarter(int n)
{
    LQ_TRY(const int h, half(n));
    LQ_TRY(const int q, half(h));
    return q;
}

} // namespace

class tst_error : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void passesErrorsOn()
    {
        QCOMPARE(*quarter(8), 2);
        QVERIFY(!quarter(6));
        QCOMPARE(quarter(6).error().code(), ErrorCode::InvalidArgument);
    }
    void contextIsAddedOnTheWayUp()
    {
        Error error(ErrorCode::NotFound, "No such file: a.png.");
        error.addContext("reading the reference").addContext("rendering line 3");
        QCOMPARE(QString::fromStdString(error.text()),
                 QString("No such file: a.png. (while reading the reference; rendering line 3)"));
        QVERIFY(QString::fromStdString(error.logText()).contains("tst_error.cpp:"));
    }
    void cancelledIsItsOwnCode()
    {
        const Result<> result = cancelled();
        QVERIFY(result.error().isCancelled());
    }
    void errnoBecomesWords()
    {
        QCOMPARE(errorFromErrno(ENOSPC, "Writing x").code(), ErrorCode::DiskFull);
        QVERIFY(errorFromErrno(ENOSPC, "Writing x").message().find("Free some space") != std::string::npos);
        QCOMPARE(errorFromErrno(EROFS, "Writing x").code(), ErrorCode::PermissionDenied);
    }
    void brokenInvariantsThrowInRelease()
    {
        QVERIFY_THROWS_EXCEPTION(InvariantError, LOQUOR_CHECK(1 == 2, "never"));
    }
};

LOQUOR_TEST(tst_error)
#include "tst_error.moc"
