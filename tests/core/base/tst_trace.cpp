#include "core/base/trace.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include <thread>

using namespace loquor;

class tst_trace : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void scopes_add_up_and_are_kept()
    {
        Trace trace;
        for (int i = 0; i < 3; ++i)
            TraceScope scope(&trace, "decode", {"N", i, 1});
        {
            TraceScope none(nullptr, "decode");
        }
        trace.add("decode", 1.5, .5);
        QCOMPARE(trace.totals().at("decode").count, std::uint64_t(4));
        QVERIFY(trace.totals().at("decode").wallSeconds >= 1.5);
        const auto events = trace.events();
        QCOMPARE(events.size(), std::size_t(3));
        QCOMPARE(events[2].args.chunk, 2);
        QVERIFY(events[0].beginNs > 0 && events[0].beginNs + events[0].durationNs <= events[1].beginNs);
    }

    void memory_is_bounded_and_the_newest_stay()
    {
        Trace trace(10);
        for (int i = 0; i < 105; ++i)
            trace.add({"a", i, 1, 1, {"N", i, 1}}, 0);
        const auto events = trace.events();
        QCOMPARE(events.size(), std::size_t(10));
        for (int i = 0; i < 10; ++i)
            QCOMPARE(events[static_cast<std::size_t>(i)].args.chunk, 95 + i);
        QCOMPARE(trace.eventsDropped(), std::uint64_t(95));
        QCOMPARE(trace.totals().at("a").count, std::uint64_t(105));
    }

    void writes_what_chrome_reads()
    {
        Trace trace;
        std::thread([&] {
            trace.nameThread("the \"decoder\"");
            TraceScope scope(&trace, "decode", {"I", 4, 2});
        }).join();
        trace.add({"late", 1'234'567'891, 1'005, 7, {}}, 0);
        QTemporaryDir folder;
        const std::string file = folder.filePath("trace.json").toStdString();
        QVERIFY(trace.writeChromeTrace(file, "loquor-rank"));
        QFile read(QString::fromStdString(file));
        QVERIFY(read.open(QIODevice::ReadOnly));
        const QJsonArray all =
            QJsonDocument::fromJson(read.readAll()).object().value("traceEvents").toArray();
        QCOMPARE(all.size(), 4);
        QCOMPARE(all[0].toObject().value("args").toObject().value("name").toString(), QString("loquor-rank"));
        QCOMPARE(all[1].toObject().value("args").toObject().value("name").toString(),
                 QString("the \"decoder\""));
        const QJsonObject decode = all[2].toObject();
        QCOMPARE(decode.value("ph").toString(), QString("X"));
        QCOMPARE(decode.value("tid"), all[1].toObject().value("tid"));
        QCOMPARE(decode.value("args").toObject().value("chunk").toInt(), 4);
        QCOMPARE(decode.value("args").toObject().value("line").toInt(), 2);
        QCOMPARE(decode.value("args").toObject().value("kind").toString(), QString("I"));
        const QJsonObject late = all[3].toObject();
        QCOMPARE(late.value("ts").toDouble(), 1'234'567.891);
        QCOMPARE(late.value("dur").toDouble(), 1.005);
        QVERIFY(!late.contains("args"));
    }

    void a_file_that_cannot_be_written_is_named()
    {
        const auto result = Trace().writeChromeTrace("/proc/no/trace.json", "x");
        QVERIFY(!result);
        QVERIFY(result.error().message().find("/proc/no/trace.json") != std::string::npos);
    }
};

LOQUOR_TEST(tst_trace)
#include "tst_trace.moc"
