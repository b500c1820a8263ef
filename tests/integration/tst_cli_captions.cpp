#include "core/media/video_reader.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>

#include <cmath>

using namespace loquor;
using namespace loquor::test;

// Captions of `render`.
class tst_cli_captions : public QObject
{
    Q_OBJECT
    CliRunner m_cli;
    QString m_photo = CliRunner::media("astronaut.png");

    QStringList spoken(const QString& video) const
    {
        return {"render", "-r", m_photo, "-t", "Good evening, dear friends. The second sentence is here.", "--size", "192x108", "--fps", "12.5",
                "-o", m_cli.path(video), "-q"};
    }
    QString content(const QString& name) const
    {
        QFile file(m_cli.path(name));
        return file.open(QFile::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    void expectRefusal(const QStringList& arguments, int exitCode, const QString& words)
    {
        const QStringList before = m_cli.leftovers({});
        const CliResult result = m_cli.run(arguments);
        QVERIFY2(result.exitCode == exitCode, qPrintable(QString::number(result.exitCode) + ": " + result.errors));
        QVERIFY2(result.errors.contains(words), qPrintable(result.errors));
        QCOMPARE(m_cli.leftovers({}), before);
    }
    std::vector<Image> frames(const QString& video) const
    {
        std::vector<Image> out;
        auto reader = media::VideoReader::open(m_cli.path(video).toStdString());
        while (reader) {
            auto frame = reader->next();
            if (!frame || !*frame)
                break;
            out.push_back(std::move((*frame)->image));
        }
        return out;
    }
    // Seconds where each caption begins and ends.
    static std::vector<std::pair<double, double>> times(const QString& srt)
    {
        static const QRegularExpression line("00:00:(\\d\\d),(\\d{3}) --> 00:00:(\\d\\d),(\\d{3})");
        std::vector<std::pair<double, double>> out;
        for (auto all = line.globalMatch(srt); all.hasNext();) {
            const auto match = all.next();
            out.push_back({match.captured(1).toInt() + match.captured(2).toInt() / 1000.0, match.captured(3).toInt() + match.captured(4).toInt() / 1000.0});
        }
        return out;
    }

private Q_SLOTS:
    void lie_beside_the_video_or_where_they_are_wanted()
    {
        QCOMPARE(m_cli.run(spoken("a.mp4") + QStringList{"--captions", "srt"}).exitCode, 0);
        const QString srt = content("a.srt");
        QVERIFY2(srt.contains("Good evening, dear friends.") && srt.contains("The second sentence is here."), qPrintable(srt));
        const auto when = times(srt);
        QCOMPARE(when.size(), std::size_t(2));
        QVERIFY(when[0].first < .4 && when[0].second > 1 && when[1].first >= when[0].second && when[1].second > when[1].first + 1);
        const CliResult words = m_cli.run(spoken("b.mp4") + QStringList{"--captions", "vtt-words"});
        QVERIFY2(words.exitCode == 0, qPrintable(words.errors));
        QVERIFY2(content("b.vtt").contains(QRegularExpression("The <00:00:0\\d\\.\\d{3}>second")), qPrintable(content("b.vtt")));
        const CliResult named = m_cli.run(spoken("c.mp4") + QStringList{"--captions", m_cli.path("Untertitel ü.vtt")});
        QVERIFY2(named.exitCode == 0, qPrintable(named.errors));
        QVERIFY(content("Untertitel ü.vtt").startsWith("WEBVTT"));
        QVERIFY(!QFile::exists(m_cli.path("c.vtt")));
    }

    // The times are those of the recording, and of the part of it that is used.
    void of_a_recording_with_its_text()
    {
        const QStringList arguments{"render", "-r", m_photo, "-a", CliRunner::media("jfk.wav"), "-t",
                                    "Ask not what your country can do for you; ask what you can do for your country.", "--in", "3", "--size", "192x108",
                                    "--fps", "12.5", "-q", "--captions", "srt", "-o", m_cli.path("kennedy.mp4")};
        const CliResult made = m_cli.run(arguments);
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        QString srt = content("kennedy.srt");
        const auto when = times(srt);
        QVERIFY2(!when.empty(), qPrintable(srt));
        QVERIFY2(std::abs(when.front().first - .25) < .15, qPrintable(srt)); // 3.25 s into the recording
        QVERIFY2(when.back().second > 7 && when.back().second <= 8.01, qPrintable(srt));
        srt.replace('\n', ' ');
        QVERIFY2(srt.contains("for you;") && srt.contains("your country.") && srt.contains("Ask not"), qPrintable(srt));
    }

    void are_drawn_into_the_pictures()
    {
        QCOMPARE(m_cli.run(spoken("plain.mp4") + QStringList{"--seed", "5"}).exitCode, 0);
        const CliResult made = m_cli.run(spoken("burnt.mp4") + QStringList{"--seed", "5", "--captions", "burn", "--caption-size", "10"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        const auto before = frames("plain.mp4"), after = frames("burnt.mp4");
        QVERIFY(!before.empty());
        QCOMPARE(after.size(), before.size());
        std::size_t with = 0;
        for (std::size_t i = 0; i < after.size(); ++i) {
            double below = 0, above = 0;
            for (int y = 0; y < after[i].height; ++y) {
                for (int x = 0; x < after[i].width * 3; ++x)
                    (y > after[i].height * 2 / 3 ? below : above) += std::abs(after[i].row(y)[x] - before[i].row(y)[x]);
            }
            with += below > 3 * above && below > 2000;
        }
        QVERIFY2(with > after.size() / 2, qPrintable(QString("%1 of %2").arg(with).arg(after.size())));
        QVERIFY(!QFile::exists(m_cli.path("burnt.srt")) && !QFile::exists(m_cli.path("burnt.vtt")));
    }

    // As project export has it; the streams beside it are those of the run without.
    void are_a_track_of_the_video()
    {
        const auto probed = [this](const QString& video, const QStringList& what) {
            QProcess probe;
            probe.start("ffprobe", QStringList{"-v", "error"} + what + QStringList{m_cli.path(video)});
            return probe.waitForFinished(30'000) ? QString::fromUtf8(probe.readAllStandardOutput()) : QString();
        };
        QCOMPARE(m_cli.run(spoken("plain.mp4") + QStringList{"--seed", "5", "--overwrite"}).exitCode, 0);
        const CliResult made = m_cli.run(spoken("track.mp4") + QStringList{"--seed", "5", "--captions", "track", "--report", m_cli.path("track.json")});
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        QVERIFY2(content("track.json").contains("track.mp4"), qPrintable(content("track.json")));
        const QString kinds = probed("track.mp4", {"-show_entries", "stream=codec_name", "-of", "csv=p=0"});
        QVERIFY2(kinds.contains("h264") && kinds.contains("aac") && kinds.contains("mov_text"), qPrintable(kinds));
        for (const char* stream : {"v:0", "a:0"}) {
            const QStringList packets{"-select_streams", stream, "-show_entries", "packet=pts_time,size", "-of", "csv=p=0"};
            QVERIFY(!probed("plain.mp4", packets).isEmpty());
            QCOMPARE(probed("track.mp4", packets), probed("plain.mp4", packets));
        }
        QCOMPARE(probed("track.mp4", {"-show_entries", "format_tags=comment", "-of", "csv=p=0"}), probed("plain.mp4", {"-show_entries", "format_tags=comment", "-of", "csv=p=0"}));
        QProcess convert;
        convert.start("ffmpeg", {"-v", "error", "-i", m_cli.path("track.mp4"), "-map", "0:s:0", "-f", "srt", "-"});
        QVERIFY(convert.waitForFinished(30'000));
        QCOMPARE(m_cli.run(spoken("beside.mp4") + QStringList{"--seed", "5", "--captions", "srt"}).exitCode, 0);
        const auto shown = times(QString::fromUtf8(convert.readAllStandardOutput())), beside = times(content("beside.srt"));
        QCOMPARE(shown.size(), beside.size());
        for (std::size_t i = 0; i < shown.size(); ++i)
            QVERIFY(std::abs(shown[i].first - beside[i].first) < .002 && std::abs(shown[i].second - beside[i].second) < .05);
        QCOMPARE(QDir(m_cli.path("")).entryList({".loquor-*"}, QDir::Files | QDir::Hidden), QStringList());
        expectRefusal(spoken("track.mp4") + QStringList{"--captions", "track"}, 6, "track.mp4");
    }

    void letters_without_a_font_are_left_out_and_named()
    {
        const CliResult made = m_cli.run({"render", "-r", m_photo, "-t", "Strange \xf4\x8f\xbf\xbd letters.", "--size", "192x108", "--fps", "12.5", "-q",
                                          "-o", m_cli.path("strange.mp4"), "--captions", "burn"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        QVERIFY2(made.errors.contains("No installed font has these letters"), qPrintable(made.errors));
    }

    void what_cannot_be_is_said_before_any_work()
    {
        const QStringList wordless = m_cli.renderArguments(m_photo, CliRunner::media("jfk.wav"), m_cli.path("no.mp4"));
        expectRefusal(wordless + QStringList{"--captions", "srt"}, 2, "Captions need the words");
        expectRefusal(spoken("no.mp4") + QStringList{"--captions", "ass"}, 2, "choose none, track, srt, vtt, vtt-words, burn, FILE.srt or FILE.vtt");
        expectRefusal(spoken("no.mp4") + QStringList{"--captions", "srt", "--caption-place", "top"}, 2, "--captions burn");
        expectRefusal(spoken("no.mp4") + QStringList{"--captions", m_cli.path("missing/a.srt")}, 3, "missing");
        const QString mine = m_cli.writeText("mine.srt", "1\n");
        expectRefusal(spoken("no.mp4") + QStringList{"--captions", mine}, 6, "mine.srt");
    }
};

LOQUOR_TEST(tst_cli_captions)
#include "tst_cli_captions.moc"
