#include "core/media/image_writer.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>

#include <algorithm>

using namespace loquor;
using namespace loquor::test;

class tst_cli_input : public QObject
{
    Q_OBJECT
    CliRunner m_cli;
    QString m_photo = CliRunner::media("astronaut.png");

    // Fails with this exit code and words, and leaves nothing behind.
    void expectRefusal(const QStringList& arguments, int exitCode, const QString& words)
    {
        const CliResult result = m_cli.run(arguments);
        QVERIFY2(result.exitCode == exitCode, qPrintable(QString::number(result.exitCode) + ": " + result.errors));
        QVERIFY2(result.errors.contains(words), qPrintable(result.errors));
        QVERIFY2(!QFile::exists(m_cli.path("out.mp4")), "a file was left");
        QStringList lines = result.errors.trimmed().split('\n');
        lines.removeAll("Preparing the reference"); // said once a second on a busy machine
        lines.removeAll("Preparing the speech");
        QVERIFY2(lines.size() <= 6, qPrintable(result.errors));
    }
    QStringList render(const QString& photo, const QString& audio)
    {
        return m_cli.renderArguments(photo, audio, m_cli.path("out.mp4"));
    }

private Q_SLOTS:
    // 61: "no face found" instead of a stack trace. 65: no silent fallback to the whole picture. 71: nor for a cat.
    void case_061_065_071_no_face()
    {
        expectRefusal(render(CliRunner::media("chelsea.png"), m_cli.speech(1)), 4, "No face was found");
    }

    // 77: half of the mouth is not in the picture; a frontal photo is asked for.
    void case_077_a_profile_is_refused()
    {
        const QString file = m_cli.path("profile.png");
        QVERIFY(media::writePng(file.toStdString(), turnedHead(loadPhoto(CliRunner::media("hopper.jpg")), 256, 150, 80)));
        expectRefusal(render(file, m_cli.speech(1)), 4, "from the front");
        const CliResult check = m_cli.run({"check", file});
        QCOMPARE(check.exitCode, 8);
        QVERIFY2(check.output.contains("from the front"), qPrintable(check.output));
    }

    // 59: a face that the picture cuts off anywhere is refused or drawn, never a box outside the picture.
    void case_059_faces_at_the_edge_data()
    {
        QTest::addColumn<int>("left");
        QTest::addColumn<int>("top");
        QTest::addColumn<int>("right");
        QTest::addColumn<int>("bottom");
        // The face of the photo lies at 172..272 x 66..200.
        QTest::newRow("left half gone") << 222 << 0 << 512 << 512;
        QTest::newRow("right half gone") << 0 << 0 << 225 << 512;
        QTest::newRow("no forehead") << 0 << 110 << 512 << 512;
        QTest::newRow("no chin") << 0 << 0 << 512 << 175;
        QTest::newRow("nothing but the face") << 176 << 70 << 268 << 196;
        QTest::newRow("a strip") << 200 << 60 << 240 << 220;
    }
    void case_059_faces_at_the_edge()
    {
        QFETCH(int, left);
        QFETCH(int, top);
        QFETCH(int, right);
        QFETCH(int, bottom);
        const QString file = m_cli.path("part.png");
        QVERIFY(media::writePng(file.toStdString(), cutOut(loadPhoto(m_photo), left, top, right, bottom)));
        const QString video = m_cli.path("part.mp4");
        const CliResult result = m_cli.run(m_cli.renderArguments(file, m_cli.speech(.4), video) +
                                           QStringList{"--overwrite"});
        QVERIFY2(result.exitCode == 0 || result.exitCode == 4, qPrintable(result.errors));
        QCOMPARE(QFile::exists(video), result.exitCode == 0);
        QFile::remove(video);
    }

    // 67: three faces are listed; one of them is chosen.
    void case_067_three_faces_are_listed()
    {
        const Image one = loadPhoto(m_photo), two = loadPhoto(CliRunner::media("hopper.jpg"));
        const QString file = m_cli.path("three.png");
        QVERIFY(media::writePng(file.toStdString(), sideBySide(sideBySide(one, two), one)));
        const QString audio = m_cli.speech(.4);
        expectRefusal(render(file, audio), 4, "shows 3 faces; choose one with --face N: 1 = ");
        expectRefusal(render(file, audio) + QStringList{"--face", "4"}, 2, "no face 4");
        expectRefusal(render(file, audio) + QStringList{"--face", "-1"}, 2, "no face -1");
        const CliResult third = m_cli.run(m_cli.renderArguments(file, audio, m_cli.path("third.mp4")) +
                                          QStringList{"--face", "3"});
        QVERIFY2(third.exitCode == 0, qPrintable(third.errors));
    }

    // 97, 152: the real cause is named. 92: empty fields. 94: sound without samples.
    void case_092_094_097_152_sound_that_is_none()
    {
        expectRefusal(render(m_photo, m_cli.path("missing.wav")), 3, "missing.wav");
        expectRefusal(render(m_photo, m_cli.writeText("empty.wav", "")), 5, "empty.wav");
        expectRefusal(render(m_photo, m_cli.writeText("text.wav", "this is only text, nothing to hear\n")), 3, "text.wav");
        expectRefusal(render(m_photo, m_photo), 3, "astronaut.png");
        expectRefusal(render(m_photo, m_cli.writeWav("none.wav", {16000, 1, {}})), 5, "none.wav");
        expectRefusal(render(m_photo, m_cli.writeWav("silent.wav", {16000, 1, std::vector<float>(32000)})), 5, "silent");
        expectRefusal(render(m_photo, QDir::tempPath()), 3, "folder");
    }

    void text_that_says_nothing()
    {
        for (const char* text : {"", "  \n\t ", "...", "[smile]"})
            expectRefusal({"render", "-r", m_photo, "-t", text, "-o", m_cli.path("out.mp4"), "--size", "192x108"}, 5, "");
        expectRefusal({"render", "-r", m_photo, "--script", m_cli.path("missing.txt"), "-o", m_cli.path("out.mp4")}, 3,
                      "missing.txt");
        expectRefusal({"render", "-r", m_photo, "--script", m_photo, "-o", m_cli.path("out.mp4")}, 3, "not UTF-8");
        expectRefusal({"render", "-r", m_photo, "-o", m_cli.path("out.mp4")}, 2, "--text");
    }

    void pictures_that_are_none()
    {
        const QString audio = m_cli.speech(1);
        expectRefusal(render(m_cli.path("missing.png"), audio), 3, "missing.png");
        expectRefusal(render(m_cli.writeText("empty.png", ""), audio), 5, "empty.png");
        expectRefusal(render(m_cli.writeText("text.png", "hello\n"), audio), 3, "a picture (.png), but its content is text");
        expectRefusal(render(CliRunner::media("jfk.wav"), audio), 3, "jfk.wav");
        const QString dot = m_cli.path("dot.png");
        QVERIFY(media::writePng(dot.toStdString(), Image(1, 1, 3)));
        expectRefusal(render(dot, audio), 4, "No face was found");
        QFile whole(CliRunner::media("biden.jpg"));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        expectRefusal(render(m_cli.writeText("cut.jpg", whole.read(1500)), audio), 3, "cut.jpg");
    }

    // A truncated photo whose face is there still works, with a word about it; a wrong extension is no problem.
    void damaged_and_misnamed_pictures_that_still_work()
    {
        QFile whole(CliRunner::media("obama.jpg"));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray bytes = whole.readAll();
        const QString misnamed = m_cli.writeText("photo.tiff", bytes);
        const CliResult fine = m_cli.run(m_cli.renderArguments(misnamed, m_cli.speech(.4), m_cli.path("m.mp4")));
        QVERIFY2(fine.exitCode == 0, qPrintable(fine.errors));
        const QString cut = m_cli.writeText("cut90.jpg", bytes.left(bytes.size() * 9 / 10));
        const CliResult most = m_cli.run(m_cli.renderArguments(cut, m_cli.speech(.4), m_cli.path("c.mp4")));
        QVERIFY2(most.exitCode == 0 || most.exitCode == 3, qPrintable(most.errors));
        QVERIFY2(most.errors.contains("cut90.jpg") || most.errors.contains("damaged") ||
                     most.errors.contains("incomplete"),
                 qPrintable(most.errors));
    }

    // 47, 49, 50, 52, 56: sizes are refused at once, with the nearest one that works.
    void case_047_049_050_052_056_sizes_that_cannot_be_data()
    {
        QTest::addColumn<QString>("size");
        QTest::addColumn<QString>("says");
        QTest::newRow("odd") << "1057x793" << "1058x794";
        QTest::newRow("one") << "1x1" << "64x64";
        QTest::newRow("zero") << "0x0" << "64x64";
        QTest::newRow("huge") << "100000x100000" << "4096x4096";
        QTest::newRow("one too large") << "4098x4096" << "4096x4096"; // 56: the limit is said
        QTest::newRow("negative") << "-64x64" << "";
        QTest::newRow("words") << "big" << "WIDTHxHEIGHT";
        QTest::newRow("half") << "1280x" << "WIDTHxHEIGHT";
    }
    void case_047_049_050_052_056_sizes_that_cannot_be()
    {
        QFETCH(QString, size);
        QFETCH(QString, says);
        expectRefusal({"render", "-r", m_photo, "-a", m_cli.speech(1), "-o", m_cli.path("out.mp4"), "--size", size}, 2, says);
    }

    void other_options_that_cannot_be()
    {
        const QString audio = m_cli.speech(1);
        expectRefusal(render(m_photo, audio) + QStringList{"--fps", "fast"}, 2, "fast");
        expectRefusal(render(m_photo, audio) + QStringList{"--fps", "0"}, 2, "0");
        expectRefusal(render(m_photo, audio) + QStringList{"--fps", "1000"}, 2, "5 to 60");
        expectRefusal(render(m_photo, audio) + QStringList{"--aspect", "3:1"}, 2, "16:9");
        expectRefusal(render(m_photo, audio) + QStringList{"--seed", "-1"}, 2, "seed");
        expectRefusal(render(m_photo, audio) + QStringList{"--pack", "flashtalk"}, 2, "portrait ('loquor-cli packs list'");
        expectRefusal({"render", "-r", m_photo, "-t", "Hi.", "--voice", "nobody", "-o", m_cli.path("out.mp4")}, 2, "nobody");
        expectRefusal(render(m_photo, audio) + QStringList{"--nonsense"}, 2, "nonsense");
    }

    // 146, 148: emoji, line breaks, 255 bytes. 31-46 are tests of the image loader that is used here.
    void case_146_148_names_of_every_kind()
    {
        const QString longest = QString("n").repeated(251) + ".mp4";
        const QStringList names{QString::fromUtf8("Grüße 你好 😀.mp4"), "line\nbreak.mp4", longest, "-dash.mp4",
                                "quote'\".mp4", "UPPER.MP4"};
        const QString audio = m_cli.speech(.4, QString::fromUtf8("rede 😀\n.wav"));
        QVERIFY(!audio.isEmpty());
        for (const QString& name : names) {
            const CliResult result = m_cli.run(m_cli.renderArguments(m_photo, audio, m_cli.path(name)));
            QVERIFY2(result.exitCode == 0, qPrintable(name + ": " + result.errors));
            QVERIFY2(QFile::exists(m_cli.path(name)), qPrintable(name));
        }
        expectRefusal({"render", "-r", m_photo, "-a", audio, "-o", m_cli.path(QString("n").repeated(300) + ".mp4")}, 2, "");
    }

    // 79: the size of a small face is said; 55: huge pictures are worked with in bounded memory.
    void case_055_a_hundred_megapixels()
    {
        const Image photo = loadPhoto(m_photo);
        Image huge(photo.width * 19, photo.height * 19, 3); // 95 megapixels
        for (int y = 0; y < huge.height; ++y) {
            for (int x = 0; x < photo.width; ++x) {
                for (int i = 0; i < 19; ++i)
                    std::copy_n(photo.row(y / 19) + 3 * x, 3, huge.row(y) + 3 * (19 * x + i));
            }
        }
        const QString file = m_cli.path("huge.png");
        QVERIFY(media::writePng(file.toStdString(), huge, 1));
        huge = {};
        const CliResult result = m_cli.run(m_cli.renderArguments(file, m_cli.speech(.4), m_cli.path("h.mp4")) +
                                           QStringList{"--report", m_cli.path("h.json")});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QVERIFY2(result.errors.contains("it is used at"), qPrintable(result.errors));
        QVERIFY(m_cli.json("h.json")["peak_rss_mb"].toDouble() < 1200);
    }

    void case_079_a_small_face_is_named()
    {
        const Image photo = loadPhoto(m_photo);
        Image small(photo.width / 4, photo.height / 4, 3);
        for (int y = 0; y < small.height; ++y) {
            for (int x = 0; x < small.width; ++x)
                std::copy_n(photo.row(4 * y) + 12 * x, 3, small.row(y) + 3 * x);
        }
        const QString file = m_cli.path("small.png");
        QVERIFY(media::writePng(file.toStdString(), small));
        const CliResult result = m_cli.run({"check", file});
        QCOMPARE(result.exitCode, 0);
        QVERIFY2(result.output.contains("small") && result.output.contains("60 px"), qPrintable(result.output));
        const CliResult made = m_cli.run(m_cli.renderArguments(file, m_cli.speech(.4), m_cli.path("small.mp4")));
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        QVERIFY2(made.errors.contains("The face is small"), qPrintable(made.errors));
    }
};

LOQUOR_TEST(tst_cli_input)
#include "tst_cli_input.moc"
