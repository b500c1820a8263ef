#include "core/session/report_json.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace loquor;
using namespace loquor::session;

class tst_reportjson : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // 8: a report tells what made the video.
    void case_008_every_documented_field_is_there()
    {
        RenderReport report;
        report.frames = 100;
        report.fps = {30000, 1001};
        report.seed = 0xfffffffffffffffeull;
        report.output = "a \xff.mp4"; // not UTF-8
        report.stages["decode"] = {2, 1, 4};
        report.chunks.push_back({"N", 0, 1, 8, false, .5});
        report.warnings = {"quote \" and \n line"};
        const auto json = QJsonDocument::fromJson(QByteArray::fromStdString(toJson(report))).object();
        for (const char* field : {"format", "output", "frames", "fps", "fps_exact", "width", "height", "duration_s",
                                  "audio_s", "first_frame_s", "total_s", "realtime_factor", "peak_rss_mb",
                                  "engine_cpu_s", "encoder_cpu_s", "seed", "pack", "voice", "stages", "chunks",
                                  "warnings"})
            QVERIFY2(json.contains(field), field);
        QCOMPARE(json["seed"].toString(), QString("18446744073709551614"));
        QCOMPARE(json["fps_exact"].toString(), QString("30000/1001"));
        QCOMPARE(json["stages"].toObject()["decode"].toObject()["cpu_s"].toDouble(), 1.0);
        const auto chunk = json["chunks"].toArray()[0].toObject();
        for (const char* field : {"kind", "index", "line", "frames", "cached", "seconds"})
            QVERIFY2(chunk.contains(field), field);
    }

    void checks_too()
    {
        CheckReport report;
        report.file = "x.jpg";
        report.kind = "image";
        report.faces.resize(1);
        auto json = QJsonDocument::fromJson(QByteArray::fromStdString(toJson(report))).object();
        QVERIFY(!json.contains("best_frame"));
        QCOMPARE(json["faces"].toArray().size(), 1);
        report.bestFrame = 7;
        json = QJsonDocument::fromJson(QByteArray::fromStdString(toJson(report))).object();
        QCOMPARE(json["best_frame"].toInt(), 7);
    }
};

LOQUOR_TEST(tst_reportjson)
#include "tst_reportjson.moc"
