#include "core/media/audio_convert.h"
#include "core/media/image_writer.h"
#include "core/media/mp4_writer.h"
#include "core/media/probe.h"
#include "core/media/video_reader.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>

#include <cmath>

using namespace loquor;
using namespace loquor::test;

namespace {

media::MediaFacts probe(const QString& file)
{
    auto facts = media::probeMedia(file.toStdString(), media::ProbeDepth::Decode);
    return facts ? *facts : media::MediaFacts{};
}

// Mean absolute difference of two pictures of the same size.
double difference(const Image& a, const Image& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i)
        sum += std::abs(int(a.data[i]) - int(b.data[i]));
    return sum / static_cast<double>(a.data.size());
}

Image firstFrame(const QString& file)
{
    auto reader = media::VideoReader::open(file.toStdString());
    if (!reader)
        return {};
    auto frame = reader->next();
    return frame && *frame ? (*frame)->image : Image();
}

} // namespace

class tst_cli_render : public QObject
{
    Q_OBJECT
    CliRunner m_cli;
    QString m_photo = CliRunner::media("astronaut.png");

    CliResult render(const QString& audio, const QString& output, const QStringList& more = {})
    {
        return m_cli.run(m_cli.renderArguments(m_photo, audio, output) + more);
    }

private Q_SLOTS:
    void a_recording_becomes_a_valid_video_with_a_report()
    {
        const QString out = m_cli.path("a.mp4");
        const CliResult result = render(m_cli.speech(2.013), out, {"--report", m_cli.path("a.json")});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        const media::MediaFacts facts = probe(out);
        QVERIFY(facts.video && facts.audio);
        QCOMPARE(facts.video->codec, std::string("h264"));
        QCOMPARE(facts.audio->codec, std::string("aac"));
        QCOMPARE(facts.video->decodedFrames, std::int64_t(51)); // ceil(2.013 * 25)
        QVERIFY(std::abs(facts.video->durationSeconds - facts.audio->durationSeconds) < .04);
        const QJsonObject report = m_cli.json("a.json");
        QCOMPARE(report["frames"].toInt(), 51);
        QCOMPARE(report["fps"].toDouble(), 25.0);
        QCOMPARE(report["duration_s"].toDouble(), 2.04);
        QVERIFY(std::abs(report["audio_s"].toDouble() - 2.013) < .001);
        for (const char* field : {"first_frame_s", "total_s", "realtime_factor", "peak_rss_mb", "engine_cpu_s",
                                  "encoder_cpu_s"})
            QVERIFY2(report[field].toDouble() > 0, field);
        for (const char* stage : {"reference", "context", "motion", "refinement", "decode", "encode", "speech"})
            QVERIFY2(report["stages"].toObject().contains(stage), stage);
        int frames = 0;
        for (const auto& chunk : report["chunks"].toArray()) {
            QCOMPARE(chunk.toObject()["kind"].toString(), QString("N"));
            frames += chunk.toObject()["frames"].toInt();
        }
        QCOMPARE(frames, 51);
        QVERIFY(report["peak_rss_mb"].toDouble() < 1200);
        QVERIFY(m_cli.leftovers({"a.mp4", "a.json", "speech.wav"}).isEmpty());
    }

    void text_becomes_a_video_with_times()
    {
        const QString out = m_cli.path("t.mp4");
        const CliResult result = m_cli.run({"render", "-r", m_photo, "-t", "Hello there. [smile] Good bye.", "-o", out,
                                            "--size", "192x108", "--timing-out", m_cli.path("t.json"), "--report",
                                            m_cli.path("tr.json")});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        const QJsonObject timing = m_cli.json("t.json");
        const QJsonArray words = timing["words"].toArray();
        QCOMPARE(words.size(), 4);
        const QJsonArray phonemes = timing["phonemes"].toArray();
        QVERIFY(phonemes.size() > 8);
        double end = 0;
        for (const auto& phoneme : phonemes) {
            QVERIFY(std::abs(phoneme.toObject()["start"].toDouble() - end) < 1e-3);
            end = phoneme.toObject()["end"].toDouble();
        }
        QVERIFY(std::abs(end - m_cli.json("tr.json")["audio_s"].toDouble()) < .01);
        const auto frames = m_cli.json("tr.json")["frames"].toInteger();
        QCOMPARE(probe(out).video->decodedFrames, frames);
        const QJsonArray gap = timing["gap"].toObject()["values"].toArray();
        QCOMPARE(timing["gap"].toObject()["rate"].toDouble(), 25.);
        QCOMPARE(gap.size(), frames);
        double widest = 0;
        for (const auto& value : gap)
            widest = std::max(widest, value.toDouble());
        QVERIFY(widest > .05 && widest < .4); // the mouth opened
        QVERIFY(gap.first().toDouble() < .005 && gap.last().toDouble() < .005);
    }

    void a_transcript_gives_a_recording_its_words()
    {
        const CliResult result = render(CliRunner::media("jfk.wav"), m_cli.path("j.mp4"),
                                        {"-t", "And so my fellow Americans, ask not what your country can do for you, "
                                               "ask what you can do for your country.",
                                         "--timing-out", m_cli.path("j.json"), "--fps", "12"});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        const QJsonArray words = m_cli.json("j.json")["words"].toArray();
        QCOMPARE(words.size(), 22);
        QVERIFY(std::abs(words[6].toObject()["start"].toDouble() - 3.99) < .35); // "not"
    }

    // 11, 20: any rate, exact counts. 10: nothing is added at the end.
    void case_010_and_020_rates_give_exact_counts_data()
    {
        QTest::addColumn<QString>("fps");
        QTest::addColumn<double>("exact");
        QTest::newRow("12") << "12" << 12.0;
        QTest::newRow("23.976") << "23.976" << 24000.0 / 1001;
        QTest::newRow("29.97") << "29.97" << 30000.0 / 1001;
        QTest::newRow("60") << "60" << 60.0;
    }
    void case_010_and_020_rates_give_exact_counts()
    {
        QFETCH(QString, fps);
        QFETCH(double, exact);
        const QString out = m_cli.path("r.mp4");
        const CliResult result = render(m_cli.speech(1.3), out, {"--fps", fps, "--overwrite"});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QCOMPARE(probe(out).video->decodedFrames, std::int64_t(std::ceil(1.3 * exact - 1e-9)));
    }

    // 26, 88: 44.1 kHz doubled the length; only 16 kHz worked. 89: stereo doubled it.
    void case_026_088_089_sound_of_any_rate_and_channels_data()
    {
        QTest::addColumn<int>("rate");
        QTest::addColumn<int>("channels");
        QTest::newRow("8 kHz") << 8000 << 1;
        QTest::newRow("44.1 kHz stereo") << 44100 << 2;
        QTest::newRow("48 kHz") << 48000 << 1;
        QTest::newRow("192 kHz") << 192000 << 2;
    }
    void case_026_088_089_sound_of_any_rate_and_channels()
    {
        QFETCH(int, rate);
        QFETCH(int, channels);
        AudioBlock audio = CliRunner::jfk();
        audio.samples.resize(16000);
        const auto converted = media::converted(audio, rate, channels);
        QVERIFY(converted);
        const QString out = m_cli.path("s.mp4");
        const CliResult result = render(m_cli.writeWav("s.wav", *converted), out, {"--overwrite", "--fps", "10"});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        const media::MediaFacts facts = probe(out);
        QCOMPARE(facts.video->decodedFrames, std::int64_t(10));
        QVERIFY(std::abs(facts.audio->durationSeconds - 1.0) < .1);
    }

    void the_same_seed_gives_the_same_pictures()
    {
        const QString audio = m_cli.speech(1.0);
        QVERIFY(render(audio, m_cli.path("s1.mp4"), {"--seed", "5"}).exitCode == 0);
        QVERIFY(render(audio, m_cli.path("s2.mp4"), {"--seed", "5"}).exitCode == 0);
        auto one = media::VideoReader::open(m_cli.path("s1.mp4").toStdString());
        auto two = media::VideoReader::open(m_cli.path("s2.mp4").toStdString());
        QVERIFY(one && two);
        int frames = 0;
        for (;;) {
            auto a = one->next();
            auto b = two->next();
            QVERIFY(a && b);
            QCOMPARE(a->has_value(), b->has_value());
            if (!*a)
                break;
            QVERIFY((*a)->image.data == (*b)->image.data);
            ++frames;
        }
        QCOMPARE(frames, 25);
    }

    // 53: the file has exactly the size that was asked for.
    void case_053_shapes_and_framing_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::newRow("tall") << QStringList{"--size", "108x192"} << 108 << 192;
        QTest::newRow("fit") << QStringList{"--framing", "fit"} << 192 << 108;
        QTest::newRow("4:5") << QStringList{"--aspect", "4:5", "--size", "128x160"} << 128 << 160;
    }
    void case_053_shapes_and_framing()
    {
        QFETCH(QStringList, options);
        QFETCH(int, width);
        QFETCH(int, height);
        QStringList arguments{"render", "-r", m_photo, "-a", m_cli.speech(.5), "-o", m_cli.path("f.mp4"), "--overwrite"};
        if (!options.contains("--size"))
            arguments += {"--size", "192x108"};
        const CliResult result = m_cli.run(arguments + options);
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        const media::MediaFacts facts = probe(m_cli.path("f.mp4"));
        QCOMPARE(facts.video->width, width);
        QCOMPARE(facts.video->height, height);
    }

    void the_background_can_be_replaced()
    {
        const QString audio = m_cli.speech(.4);
        QVERIFY(render(audio, m_cli.path("b0.mp4"), {"--overwrite"}).exitCode == 0);
        const CliResult result = render(audio, m_cli.path("b1.mp4"), {"--background", "#00ff00", "--overwrite"});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        const Image own = firstFrame(m_cli.path("b0.mp4")), green = firstFrame(m_cli.path("b1.mp4"));
        QVERIFY(difference(own, green) > 20);
        const std::uint8_t* corner = green.row(4) + 3 * (green.width - 5);
        QVERIFY(corner[1] > 200 && corner[0] < 60 && corner[2] < 60);
        const CliResult wrong = render(audio, m_cli.path("b2.mp4"), {"--background", "#12"});
        QCOMPARE(wrong.exitCode, 2);
        QVERIFY2(wrong.errors.contains("#20304f"), qPrintable(wrong.errors));
        QVERIFY(!QFile::exists(m_cli.path("b2.mp4")));
    }

    // 67: numbered faces, one to choose.
    void case_067_one_of_two_faces_can_be_chosen()
    {
        const Image both = sideBySide(loadPhoto(m_photo), loadPhoto(CliRunner::media("hopper.jpg")));
        const QString photo = m_cli.path("both.png");
        QVERIFY(media::writePng(photo.toStdString(), both));
        const QString audio = m_cli.speech(.4);
        const CliResult none = m_cli.run(m_cli.renderArguments(photo, audio, m_cli.path("two.mp4")));
        QCOMPARE(none.exitCode, 4);
        QVERIFY2(none.errors.contains("shows 2 faces") && none.errors.contains("--face"), qPrintable(none.errors));
        QVERIFY(!QFile::exists(m_cli.path("two.mp4")));
        QList<Image> first;
        for (const char* face : {"1", "2"}) {
            const CliResult one = m_cli.run(m_cli.renderArguments(photo, audio, m_cli.path("two.mp4")) +
                                            QStringList{"--face", face, "--overwrite"});
            QVERIFY2(one.exitCode == 0, qPrintable(one.errors));
            first.append(firstFrame(m_cli.path("two.mp4")));
        }
        QVERIFY(difference(first[0], first[1]) > 10);
        const CliResult third = m_cli.run(m_cli.renderArguments(photo, audio, m_cli.path("x.mp4")) +
                                          QStringList{"--face", "3"});
        QCOMPARE(third.exitCode, 2);
        QVERIFY2(third.errors.contains("no face 3"), qPrintable(third.errors));
    }

    // 73: a clip whose first frames show nobody.
    void case_073_a_clip_gives_its_best_frame()
    {
        const Image face = loadPhoto(m_photo);
        media::Mp4Options options;
        options.width = face.width;
        options.height = face.height;
        options.fps = {10, 1};
        const QString clip = m_cli.path("clip.mp4");
        auto writer = media::Mp4Writer::create(clip.toStdString(), options, platform::IfExists::Replace);
        QVERIFY(writer);
        for (int i = 0; i < 20; ++i)
            QVERIFY(writer->addFrame(i < 10 ? Image(face.width, face.height, 3) : face));
        QVERIFY(writer->finish());
        const CliResult result = m_cli.run(m_cli.renderArguments(clip, m_cli.speech(.4), m_cli.path("c.mp4")));
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QVERIFY2(result.errors.contains("suits best"), qPrintable(result.errors));
        const CliResult check = m_cli.run({"check", clip, "--json"});
        QCOMPARE(check.exitCode, 0);
        QVERIFY2(check.output.contains("\"best_frame\": 1"), qPrintable(check.output)); // 10 .. 19
    }

    void a_label_and_a_trace_are_options()
    {
        const QString plain = m_cli.path("plain.mp4"), out = m_cli.path("label.mp4"), speech = m_cli.speech(.8);
        QCOMPARE(render(speech, plain, {"--seed", "5"}).exitCode, 0);
        const auto result = render(speech, out, {"--seed", "5", "--label=KI", "--label-size", "8", "--trace", m_cli.path("t.json")});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        const Image a = firstFrame(plain), b = firstFrame(out);
        QVERIFY(a.width > 0 && a.width == b.width && a.height == b.height);
        // The corner at the lower right differs, the one at the upper left does not.
        double corner = 0, other = 0;
        for (int y = 0; y < 20; ++y)
            for (int x = 0; x < 3 * 32; ++x) {
                const int row = b.height - 4 - y, column = static_cast<int>(b.stride()) - 12 - x;
                corner += std::abs(int(a.row(row)[column]) - int(b.row(row)[column])) / (20.0 * 3 * 32);
                other += std::abs(int(a.row(y)[x]) - int(b.row(y)[x])) / (20.0 * 3 * 32);
            }
        QVERIFY2(corner > 12 && other < 4, qPrintable(QString("%1 %2").arg(corner).arg(other)));
        QFile trace(m_cli.path("t.json"));
        QVERIFY(trace.open(QFile::ReadOnly));
        const QByteArray text = trace.readAll();
        for (const char* stage : {"motion", "refinement", "decode", "gate", "encode"})
            QVERIFY2(text.contains('"' + QByteArray(stage) + '"'), stage);
        QCOMPARE(render(speech, out, {"--overwrite", "--label-size", "8"}).exitCode, 2); // of what?
    }
};

LOQUOR_TEST(tst_cli_render)
#include "tst_cli_render.moc"
