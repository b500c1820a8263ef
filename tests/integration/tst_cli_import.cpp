#include "core/media/audio_convert.h"
#include "core/media/audio_reader.h"
#include "core/media/loudness.h"
#include "core/media/probe.h"
#include "core/platform/child_process.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <cmath>

using namespace loquor;
using namespace loquor::test;

namespace {

constexpr const char* kWords = "And so, my fellow Americans: ask not what your country can do for you, ask what you can do for your country.";

QJsonObject parsed(const QString& text)
{
    return QJsonDocument::fromJson(text.toUtf8()).object();
}

} // namespace

// How recordings are taken in, and where speech goes.
class tst_cli_import : public QObject
{
    Q_OBJECT
    CliRunner m_cli;
    QString m_photo = CliRunner::media("astronaut.png");
    QString m_speech = CliRunner::media("jfk.wav"); // 11 s

    void expectRefusal(const QStringList& arguments, int exitCode, const QString& words)
    {
        const QStringList before = m_cli.leftovers({});
        const CliResult result = m_cli.run(arguments);
        QVERIFY2(result.exitCode == exitCode, qPrintable(QString::number(result.exitCode) + ": " + result.errors));
        QVERIFY2(result.errors.contains(words), qPrintable(result.errors));
        QCOMPARE(m_cli.leftovers({}), before);
    }
    QStringList align(const QStringList& more)
    {
        return QStringList{"align", m_speech, "-t", kWords, "--json"} + more;
    }
    // When a word is said, or -1.
    static double startOf(const QJsonObject& timing, const QString& word)
    {
        for (const QJsonValue& entry : timing["words"].toArray()) {
            if (entry["text"].toString().toLower().startsWith(word))
                return entry["start"].toDouble();
        }
        return -1;
    }
    // A film with a silent first stream and the speech as its second.
    QString film()
    {
        const QString file = m_cli.path("film.mkv");
        platform::ChildOptions options;
        options.program = "ffmpeg";
        options.arguments = {"-hide_banner", "-v", "error", "-y", "-nostdin", "-f", "lavfi", "-i", "anullsrc=r=44100:cl=mono:d=11",
                             "-i", m_speech.toStdString(), "-map", "0", "-map", "1", "-c:a", "flac", "-metadata:s:a:1", "language=eng",
                             file.toStdString()};
        const auto made = platform::runProgram(options, {}, std::chrono::seconds(60));
        return made && made->status.isSuccess() ? file : QString();
    }

private Q_SLOTS:
    // The part has its exact number of frames, and picture and sound end together.
    void case_098_a_trimmed_recording_has_the_frames_of_its_part_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("fps");
        QTest::addColumn<double>("seconds");
        QTest::newRow("from and to") << QStringList{"--in", "1.25", "--out", "0:02.35"} << "25" << 1.1;
        QTest::newRow("to the end") << QStringList{"--in", "0:00:10.00"} << "30" << 1.0;
        QTest::newRow("from the start") << QStringList{"--out", "1.001"} << "30000/1001" << 1.001;
        QTest::newRow("processed") << QStringList{"--in", "1.25", "--out", "2.35", "--loudness", "--denoise"} << "25" << 1.1;
    }
    void case_098_a_trimmed_recording_has_the_frames_of_its_part()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, fps);
        QFETCH(double, seconds);
        const QString video = m_cli.path("part.mp4"), report = m_cli.path("report.json");
        const CliResult result = m_cli.run(m_cli.renderArguments(m_photo, m_speech, video) + options +
                                           QStringList{"--fps", fps, "--overwrite", "--report", report});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        const auto rate = Rational::parse(fps.toStdString());
        const FrameIndex frames = framesCovering(std::llround(seconds * 16000), 16000, *rate);
        QCOMPARE(m_cli.json("report.json")["frames"].toInteger(), qint64(frames));
        const auto probed = media::probeMedia(video.toStdString(), media::ProbeDepth::Decode);
        QVERIFY(probed && probed->video && probed->audio);
        QCOMPARE(probed->video->decodedFrames, frames);
        QFile::remove(video);
    }

    void loudness_is_heard_in_the_video()
    {
        const QString video = m_cli.path("loud.mp4");
        AudioBlock quiet = CliRunner::jfk();
        for (float& sample : quiet.samples)
            sample *= .1f;
        const QString audio = m_cli.writeWav("quiet.wav", quiet);
        QVERIFY(m_cli.run(m_cli.renderArguments(m_photo, audio, video) + QStringList{"--out", "3", "--loudness"}).exitCode == 0);
        media::AudioReadOptions options;
        options.channels = 0;
        const auto sound = media::readAudio(video.toStdString(), options);
        QVERIFY(sound);
        const media::Loudness loudness = media::measureLoudness(*sound);
        QVERIFY2(std::abs(loudness.integratedLufs + 16) < 1, qPrintable(QString::number(loudness.integratedLufs)));
    }

    void case_098_times_of_words_count_from_the_part()
    {
        const CliResult all = m_cli.run(align({}));
        QVERIFY2(all.exitCode == 0, qPrintable(all.errors));
        const double ask = startOf(parsed(all.output), "ask");
        QVERIFY(ask > 3 && ask < 3.5);
        const CliResult part = m_cli.run({"align", m_speech, "-t", "ask not what your country can do for you", "--in", "3", "--out", "0:08", "--json"});
        QVERIFY2(part.exitCode == 0, qPrintable(part.errors));
        QVERIFY(std::abs(startOf(parsed(part.output), "ask") + 3 - ask) < .06);
        QVERIFY(std::abs(parsed(part.output)["duration"].toDouble() - 5) < 1e-6);
        const CliResult heard = m_cli.run({"transcribe", m_speech, "--in", "3", "--json"});
        QCOMPARE(heard.exitCode, 0);
        QVERIFY(std::abs(parsed(heard.output)["seconds"].toDouble() - 8) < 1e-6);
    }

    void case_098_places_that_are_none_are_refused_with_the_length()
    {
        const QStringList render = m_cli.renderArguments(m_photo, m_speech, m_cli.path("out.mp4"));
        const QString project = m_cli.path("out.loquor");
        QCOMPARE(m_cli.run({"project", "new", project, "-r", m_photo, "--size", "192x108"}).exitCode, 0);
        for (const QStringList& command : {render, QStringList{"align", m_speech, "-t", kWords, "--json"}, QStringList{"transcribe", m_speech},
                                           QStringList{"project", "add-recording", project, m_speech, "-t", kWords, "-q"}}) {
            expectRefusal(command + QStringList{"--in", "12"}, 2, "lasts 11.000 s: it has no part that begins at 12.000 s");
            expectRefusal(command + QStringList{"--out", "1:00:00"}, 2, "lasts 11.000 s: it has no part that ends at 1:00:00.000");
            expectRefusal(command + QStringList{"--in", "5", "--out", "4"}, 2, "has no length");
            expectRefusal(command + QStringList{"--in", "soon"}, 2, "'soon' is no time; write seconds (12.5) or h:mm:ss.ms");
            expectRefusal(command + QStringList{"--in", "1,5"}, 2, "'1,5' is no time");
            expectRefusal(command + QStringList{"--out", "0"}, 2, "leaves nothing");
            expectRefusal(command + QStringList{"--stream", "2"}, 2, "There is no sound stream 2 in");
            expectRefusal(command + QStringList{"--stream", "0"}, 2, "numbers begin at 1");
        }
        AudioBlock pause = CliRunner::jfk();
        std::fill(pause.samples.begin() + 2 * pause.sampleRate, pause.samples.begin() + 3 * pause.sampleRate, 0.0f);
        expectRefusal(m_cli.renderArguments(m_photo, m_cli.writeWav("pause.wav", pause), m_cli.path("out.mp4")) + QStringList{"--in", "2.1", "--out", "2.9"}, 5,
                      "The chosen part of the recording");
        expectRefusal({"render", "-r", m_photo, "-t", "Hello.", "-o", m_cli.path("out.mp4"), "--in", "1"}, 2, "--audio");
    }

    void a_stream_of_a_film_is_chosen_by_number()
    {
        const QString file = film();
        QVERIFY(!file.isEmpty());
        expectRefusal({"align", file, "-t", kWords, "--stream", "3", "-o", m_cli.path("no.json")}, 2,
                      "which has 2 (1: flac, mono, 44100 Hz; 2: flac, mono, 16000 Hz, eng)");
        expectRefusal(m_cli.renderArguments(m_photo, file, m_cli.path("no.mp4")), 5, "silent");
        const CliResult times = m_cli.run({"align", file, "-t", kWords, "--stream", "2", "--json"});
        QVERIFY2(times.exitCode == 0, qPrintable(times.errors));
        QVERIFY(startOf(parsed(times.output), "ask") > 3);
        const CliResult check = m_cli.run({"check", file});
        QVERIFY2(check.output.contains("2: flac, mono, eng"), qPrintable(check.output));
    }

    // The options are in the project, the lines are parts of the part, and they can be changed later.
    void a_project_keeps_how_a_recording_is_taken_in()
    {
        const QString project = m_cli.path("talk.loquor");
        QCOMPARE(m_cli.run({"project", "new", project, "-r", m_photo, "--size", "192x108"}).exitCode, 0);
        const CliResult added = m_cli.run({"project", "add-recording", project, m_speech, "-t", "", "--in", "3", "--out", "8", "--json", "-q"});
        QVERIFY2(added.exitCode == 0, qPrintable(added.errors));
        QJsonArray lines = parsed(added.output)["changed"].toArray();
        QCOMPARE(lines.size(), 1);
        QCOMPARE(lines.at(0)["recording"]["from"].toDouble(), 3.0);
        QCOMPARE(lines.at(0)["recording"]["to"].toDouble(), 8.0);
        const CliResult render = m_cli.run({"project", "render", project, "-q"});
        QVERIFY2(render.exitCode == 0, qPrintable(render.errors));
        QCOMPARE(parsed(m_cli.run({"project", "status", project, "--json"}).output)["lines"].toArray().at(0)["state"].toString(), "fresh");
        const CliResult louder = m_cli.run({"project", "set-recording", project, "1", "--loudness", "on", "--json"});
        QVERIFY2(louder.exitCode == 0, qPrintable(louder.errors));
        QCOMPARE(parsed(m_cli.run({"project", "status", project, "--json"}).output)["lines"].toArray().at(0)["state"].toString(), "stale");
        QVERIFY(m_cli.run({"project", "render", project, "-q"}).exitCode == 0);
        const CliResult back = m_cli.run({"project", "set-recording", project, "1", "--loudness", "off", "--json"});
        QVERIFY(back.exitCode == 0);
        QCOMPARE(parsed(m_cli.run({"project", "status", project, "--json"}).output)["lines"].toArray().at(0)["state"].toString(), "fresh");
        const CliResult shorter = m_cli.run({"project", "set-recording", project, "1", "--in", "4", "--out", "end"});
        QVERIFY2(shorter.exitCode == 0, qPrintable(shorter.errors));
        QVERIFY2(shorter.output.contains("Line 1 is shorter"), qPrintable(shorter.output));
        lines = parsed(m_cli.run({"project", "status", project, "--json"}).output)["lines"].toArray();
        QCOMPARE(lines.at(0)["recording"]["from"].toDouble(), 4.0);
        QCOMPARE(lines.at(0)["recording"]["to"].toDouble(), 8.0);
        expectRefusal({"project", "set-recording", project, "1", "--in", "9"}, 2, "Line 1 would lie outside");
        expectRefusal({"project", "set-recording", project, "1", "--in", "20"}, 2, "lasts 11.000 s");
        expectRefusal({"project", "set-recording", project, "1", "--stream", "2"}, 2, "There is no sound stream 2");
        expectRefusal({"project", "set-recording", project, "2", "--stream", "1"}, 2, "no line 2");
        expectRefusal({"project", "set-recording", project, "1"}, 2, "One of --stream, --in, --out, --loudness, --denoise");
        QVERIFY(m_cli.run({"project", "add-line", project, "A voice."}).exitCode == 0);
        expectRefusal({"project", "set-recording", project, "2", "--denoise", "on"}, 2, "is not recorded");
    }

    // A stretch of a line is new; what is around it, and all other lines, are as they were; the old recording stays.
    void a_stretch_of_a_line_is_said_again()
    {
        const QString file = m_cli.path("punch.loquor");
        QCOMPARE(m_cli.run({"project", "new", file, "-r", m_photo, "--overwrite"}).exitCode, 0);
        QCOMPARE(m_cli.run({"project", "add-recording", file, m_speech, "-t", "", "-q"}).exitCode, 0);
        const QJsonArray before = parsed(m_cli.run({"project", "status", file, "--json"}).output)["lines"].toArray();
        QVERIFY(before.size() >= 2);
        AudioBlock tone{44100, 1, {}};
        for (int i = 0; i < 44100; ++i)
            tone.samples.push_back(static_cast<float>(.3 * std::sin(i * .05)));
        const QString fresh = m_cli.writeWav("tone.wav", tone);
        const CliResult done = m_cli.run({"project", "punch", file, "1", fresh, "--from", "1", "--to", "1.5", "--json"});
        QVERIFY2(done.exitCode == 0, qPrintable(done.errors));
        const QJsonArray after = parsed(m_cli.run({"project", "status", file, "--json"}).output)["lines"].toArray();
        QCOMPARE(after.size(), before.size());
        QCOMPARE(after[0].toObject()["id"], before[0].toObject()["id"]);
        QVERIFY(after[0].toObject()["recording"] != before[0].toObject()["recording"]);
        for (int i = 1; i < after.size(); ++i)
            QVERIFY(after[i].toObject()["recording"] == before[i].toObject()["recording"]);
        const auto heard = [](const QJsonValue& line) {
            const QJsonObject part = line.toObject()["recording"].toObject();
            media::AudioReadOptions options;
            options.sampleRate = 48000;
            const auto all = media::readAudio(part["file"].toString().toStdString(), options);
            const auto from = static_cast<std::ptrdiff_t>(std::llround(part["from"].toDouble() * 48000));
            const auto to = static_cast<std::ptrdiff_t>(std::llround(part["to"].toDouble() * 48000));
            return all && to <= all->frames() ? std::vector<float>(all->samples.begin() + from, all->samples.begin() + to) : std::vector<float>();
        };
        const std::vector<float> old = heard(before[0]), now = heard(after[0]);
        QVERIFY(!old.empty());
        QVERIFY2(std::abs(static_cast<double>(old.size()) - static_cast<double>(now.size())) <= 1, qPrintable(QString::number(now.size())));
        double outside = 0, inside = 0, steepest = 0;
        for (std::size_t i = 1; i + 2 < std::min(old.size(), now.size()); ++i) {
            const double at = static_cast<double>(i) / 48000, off = static_cast<double>(std::abs(now[i] - old[i]));
            if (at > 1.02 && at < 1.48)
                inside = std::max(inside, off);
            else if (at < .98 || at > 1.53)
                outside = std::max(outside, off);
            if (at > .95 && at < 1.6)
                steepest = std::max(steepest, static_cast<double>(std::abs(now[i] - now[i - 1])));
        }
        QVERIFY2(outside < 1e-3, qPrintable(QString::number(outside)));
        QVERIFY2(inside > .2, qPrintable(QString::number(inside)));
        QVERIFY2(steepest < .12, qPrintable(QString::number(steepest))); // no click where they join

        expectRefusal({"project", "punch", file, "1", fresh, "--from", "100"}, 2, "There is nothing between");
        expectRefusal({"project", "punch", file, "1", fresh, "--words", "2-1"}, 2, "names no words");
        expectRefusal({"project", "punch", file, "1", fresh, "--words", "2"}, 2, "before it was rendered");
        expectRefusal({"project", "punch", file, "99", fresh, "--to", "1"}, 2, "99");
        expectRefusal({"project", "punch", file, "1", m_cli.path("none.wav"), "--to", "1"}, 3, "none.wav");
        QCOMPARE(m_cli.run({"project", "add-line", file, "A voice says this."}).exitCode, 0);
        expectRefusal({"project", "punch", file, QString::number(after.size() + 1), fresh, "--to", "1"}, 2, "not recorded");
    }

    void say_writes_what_the_name_says()
    {
        QJsonObject first;
        for (const char* name : {"a.wav", "a.flac", "a.mp3"}) {
            const CliResult said = m_cli.run({"say", "-t", "Good evening.", "-o", m_cli.path(name), "--json"});
            QVERIFY2(said.exitCode == 0, qPrintable(said.errors));
            const QJsonObject report = parsed(said.output);
            const auto length = media::measureLength(m_cli.path(name).toStdString());
            QVERIFY(length);
            QCOMPARE(length->frames, report["samples"].toInteger());
            if (first.isEmpty())
                first = report;
            QCOMPARE(report["samples"], first["samples"]);
        }
        for (const char* name : {"a.ogg", "a.m4a", "a"})
            expectRefusal({"say", "-t", "Hello.", "-o", m_cli.path(name)}, 2, "Sound is written as WAV, FLAC or MP3 (.wav, .flac, .mp3)");
        expectRefusal({"say", "-t", "Hello.", "-o", m_cli.path("a.mp3")}, 6, "--overwrite");
        expectRefusal({"say", "-t", "Hello."}, 2, "--output, or --play");
    }

    // Whatever somebody types has sound and as many words as it says, or a reason.
    void texts_of_every_kind_are_said_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("least"); // words; 0: nothing is said
        QTest::newRow("one word") << "Yes" << 1;
        QTest::newRow("one letter") << "A" << 1;
        QTest::newRow("one number") << "7" << 1;
        QTest::newRow("emoji beside words") << QString::fromUtf8("Good \U0001F600 morning \U0001F468\u200D\U0001F469\u200D\U0001F467!") << 2;
        QTest::newRow("emoji alone") << QString::fromUtf8("\U0001F600\U0001F680") << 0;
        QTest::newRow("mixed scripts") << QString::fromUtf8("Hello мир, this is 世界 and Ελλάδα.") << 4;
        QTest::newRow("Arabic") << QString::fromUtf8("مرحبا بكم في هذا البرنامج.") << 3;
        QTest::newRow("Hebrew") << QString::fromUtf8("שלום לכולם.") << 1;
        QTest::newRow("marks of direction") << QString::fromUtf8("\u202EHello\u202C \u200Fworld\u200E") << 2;
        QTest::newRow("spaces of every width") << QString::fromUtf8("\u00A0\u3000Hello\u2003world\u200B") << 2;
        QTest::newRow("punctuation alone") << "?!... --" << 0;
    }
    void texts_of_every_kind_are_said()
    {
        QFETCH(QString, text);
        QFETCH(int, least);
        const CliResult said = m_cli.run({"say", "-t", text, "-o", m_cli.path("said.wav"), "--overwrite", "--json"});
        if (least == 0) {
            QCOMPARE(said.exitCode, 5);
            return;
        }
        QVERIFY2(said.exitCode == 0, qPrintable(said.errors));
        const QJsonObject report = parsed(said.output);
        QVERIFY2(report["words"].toInt() >= least, qPrintable(said.output));
        QVERIFY2(report["seconds"].toDouble() > .15, qPrintable(said.output));
        const auto length = media::measureLength(m_cli.path("said.wav").toStdString());
        QVERIFY(length && length->peak > .05f);
    }

    void without_a_sound_device_it_is_said()
    {
        // No server and no cards.
        const CliResult result = m_cli.runScript("[ ! -d /dev/snd ] || mount -t tmpfs none /dev/snd; export PULSE_SERVER=none "
                                                 "JACK_NO_START_SERVER=1 XDG_RUNTIME_DIR=/nowhere; exec \"$0\" \"$@\"",
                                                 {"say", "-t", "Hello.", "--play"});
        QCOMPARE(result.exitCode, 3);
        QVERIFY2(result.errors.contains("It cannot be played: "), qPrintable(result.errors));
        QVERIFY2(result.errors.contains("Write a file with -o instead."), qPrintable(result.errors));
    }
};

LOQUOR_TEST(tst_cli_import)
#include "tst_cli_import.moc"
