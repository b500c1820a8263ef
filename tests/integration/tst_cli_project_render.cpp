#include "core/media/probe.h"
#include "core/media/video_reader.h"
#include "core/project/project_lock.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

#include <csignal>
#include <cstdlib>
#include <map>
#include <set>

using namespace loquor;
using namespace loquor::test;

namespace {

const QStringList kTexts{"One line to begin with.", "The second line is here.", "And that is the end."};

QJsonObject object(const CliResult& result)
{
    return QJsonDocument::fromJson(result.output.toUtf8()).object();
}

int madeChunks(const QJsonObject& report, const QString& kind)
{
    int out = 0;
    for (const QJsonValue& chunk : report["chunks"].toArray())
        out += !chunk["cached"].toBool() && chunk["kind"].toString() == kind ? 1 : 0;
    return out;
}

} // namespace

// Projects through the real engine, as somebody at a terminal makes them.
class tst_cli_project_render : public QObject
{
    Q_OBJECT
    CliRunner m_cli;

    // A project of three short lines, said by espeak-ng.
    QString newProject(const QString& name)
    {
        const QString file = m_cli.path(name + ".loquor");
        const auto made = m_cli.run({"project", "new", file, "--reference", CliRunner::media("astronaut.png"), "--size",
                                     "192x108", "--voice", "espeak-en-us"});
        if (made.exitCode != 0)
            qFatal("%s", qPrintable(made.errors));
        for (const QString& text : kTexts)
            m_cli.run({"project", "add-line", file, text});
        return file;
    }
    QJsonObject render(const QString& file, const QStringList& more = {})
    {
        const QString report = file + ".json";
        const auto result = m_cli.run(QStringList{"project", "render", file, "-q", "--report", report} + more);
        if (result.exitCode != 0)
            qWarning("%s", qPrintable(result.errors));
        QFile json(report);
        return result.exitCode == 0 && json.open(QFile::ReadOnly) ? QJsonDocument::fromJson(json.readAll()).object()
                                                                  : QJsonObject();
    }
    static std::vector<Image> frames(const QString& video)
    {
        std::vector<Image> out;
        auto reader = media::VideoReader::open(video.toStdString());
        if (!reader)
            return out;
        for (;;) {
            auto frame = reader->next();
            if (!frame || !*frame)
                return out;
            out.push_back((*frame)->image);
        }
    }

    // Chunks that a trace has scopes of this name for; 1 for a scope without a chunk.
    static int scopes(const QString& file, const QString& name)
    {
        QFile json(file);
        if (!json.open(QFile::ReadOnly))
            return -1;
        std::set<QString> out;
        const QJsonDocument document = QJsonDocument::fromJson(json.readAll());
        const QJsonArray all = document.isArray() ? document.array() : document.object()["traceEvents"].toArray();
        for (const QJsonValue& event : all) {
            const QJsonObject args = event["args"].toObject();
            if (event["name"].toString() == name)
                out.insert(QString("%1 %2 %3").arg(args["kind"].toString()).arg(args["line"].toInt()).arg(args["chunk"].toInt()));
        }
        return static_cast<int>(out.size());
    }

    // Every picture and boundary in the store, by the entry they belong to.
    std::map<QString, QByteArray> chunks(bool remove) const
    {
        std::map<QString, QByteArray> out;
        QDirIterator files(m_cli.path("cache"), {"video.mp4", "boundary.bin"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (file.open(QFile::ReadOnly))
                out[file.fileName()] = file.readAll();
        }
        for (const auto& [name, bytes] : out) {
            if (remove)
                QDir(QFileInfo(name).path()).removeRecursively();
        }
        return out;
    }

private Q_SLOTS:
    // A line of several clauses is made while it is still being said; made again from its stored sound it has the
    // same keys and the same bits.
    void a_line_in_pieces_is_the_same_to_the_bit()
    {
        m_cli.useCache(m_cli.path("cache"));
        const QString file = newProject("pieces");
        m_cli.run({"project", "set-line", file, "1",
                   "This is the first part of a long line, and it goes on with a second part that is just as long, before "
                   "it comes to an end with a third one."});
        QVERIFY(!render(file).isEmpty());
        const auto inPieces = chunks(true);
        QVERIFY(inPieces.size() > 10);
        QVERIFY(!render(file).isEmpty());
        QVERIFY(chunks(false) == inPieces);
    }

    void a_project_becomes_a_video_and_a_project_again()
    {
        const QString file = newProject("whole");
        const QJsonObject report = render(file);
        QVERIFY(!report.isEmpty());
        QCOMPARE(madeChunks(report, "I"), 2);
        const QString video = m_cli.path("whole.mp4");
        const auto exported = m_cli.run({"project", "export", file, "-o", video, "--captions", "srt", "--json", "-q"});
        QVERIFY2(exported.exitCode == 0, qPrintable(exported.errors));
        const QJsonObject facts = object(exported);
        QCOMPARE(facts["stream_copied"].toBool(), true);
        QCOMPARE(facts["frames"].toInt(), report["frames"].toInt());
        QCOMPARE(static_cast<int>(frames(video).size()), report["frames"].toInt());
        QVERIFY(qAbs(facts["duration_s"].toDouble() - facts["audio_s"].toDouble()) < 0.04);
        QFile captions(m_cli.path("whole.srt"));
        QVERIFY(captions.open(QFile::ReadOnly));
        QVERIFY(captions.readAll().contains("The second line is here."));

        const QString again = m_cli.path("again.loquor");
        const auto back = m_cli.run({"project", "from-video", video, "-o", again});
        QVERIFY2(back.exitCode == 0, qPrintable(back.errors));
        const auto status = m_cli.run({"project", "status", again, "--json"});
        QCOMPARE(object(status)["lines"].toArray().size(), 3);
    }

    // Drawn into the pictures while a line is said; in the pause between two lines a picture is as it was.
    void captions_are_burnt_in_and_word_times_written()
    {
        const QString file = newProject("burnt");
        QVERIFY(!render(file).isEmpty());
        const QString plain = m_cli.path("unburnt.mp4"), burnt = m_cli.path("burnt.mp4");
        QCOMPARE(m_cli.run({"project", "export", file, "-o", plain, "--quality", "12", "-q"}).exitCode, 0);
        const auto exported = m_cli.run({"project", "export", file, "-o", burnt, "--quality", "12", "--captions", "burn",
                                         "--caption-highlight", "#00ff00", "--json", "-q"});
        QVERIFY2(exported.exitCode == 0, qPrintable(exported.errors));
        QCOMPARE(object(exported)["stream_copied"].toBool(), false);
        const auto before = frames(plain), after = frames(burnt);
        QCOMPARE(after.size(), before.size());
        std::size_t with = 0;
        for (std::size_t i = 0; i < after.size(); ++i) {
            double below = 0, above = 0;
            for (int y = 0; y < after[i].height; ++y) {
                for (int x = 0; x < after[i].width * 3; ++x) {
                    const double off = std::abs(after[i].row(y)[x] - before[i].row(y)[x]);
                    (y > after[i].height * 2 / 3 ? below : above) += off;
                }
            }
            with += below > 3 * above && below > 2000; // coding differs everywhere
        }
        QVERIFY2(with > after.size() / 2, qPrintable(QString("%1 of %2").arg(with).arg(after.size())));
        const auto words = m_cli.run({"project", "export", file, "-o", m_cli.path("words.mp4"), "--captions", "vtt-words", "-q"});
        QVERIFY2(words.exitCode == 0, qPrintable(words.errors));
        QFile captions(m_cli.path("words.vtt"));
        QVERIFY(captions.open(QFile::ReadOnly));
        QVERIFY(QString::fromUtf8(captions.readAll()).contains(QRegularExpression("The <00:00:0\\d\\.\\d{3}>second <00:00:0\\d\\.\\d{3}>line")));
        const auto styled = m_cli.run({"project", "export", file, "-o", m_cli.path("x.mp4"), "--caption-place", "top", "-q"});
        QCOMPARE(styled.exitCode, 2);
    }

    // Held to the words of their line: they survive what becomes of other lines and of the voice, and are marked when
    // the words change.
    void written_captions_survive_a_new_render()
    {
        const QString file = newProject("written");
        const auto exported = [&](const char* name) {
            const auto result = m_cli.run({"project", "export", file, "-o", m_cli.path(name) + ".mp4", "--captions", "srt", "--overwrite", "-q"});
            QFile captions(m_cli.path(name) + ".srt");
            return std::pair(result, captions.open(QFile::ReadOnly) ? QString::fromUtf8(captions.readAll()) : QString());
        };
        QCOMPARE(m_cli.run({"project", "caption", file, "2", "2nd line|IS\\nHERE"}).exitCode, 0);
        QVERIFY(!render(file).isEmpty());
        const auto shown = object(m_cli.run({"project", "caption", file, "2", "--json"}));
        QCOMPARE(shown["captions"].toArray().size(), 2);
        QCOMPARE(shown["captions"].toArray()[1].toObject()["text"].toString(), QString("IS\nHERE"));
        QVERIFY(shown["captions"].toArray()[1].toObject()["start"].toDouble() > 0.2);
        const auto first = exported("written");
        QVERIFY2(first.second.contains("\n2nd line\n") && first.second.contains("\nIS\nHERE\n"), qPrintable(first.second));
        QVERIFY(!first.second.contains("The second line"));

        m_cli.run({"project", "set-line", file, "1", "Another beginning, which is longer than it was."});
        m_cli.run({"project", "set-line", file, "2", "--new-take"});
        QVERIFY(!render(file).isEmpty());
        const auto second = exported("written");
        QVERIFY(second.second.contains("\n2nd line\n") && second.second.contains("\nIS\nHERE\n"));
        QVERIFY(second.second != first.second); // later

        const auto changed = m_cli.run({"project", "set-line", file, "2", "The second line is there."});
        QVERIFY2(changed.errors.contains("no longer fit"), qPrintable(changed.errors));
        const auto status = object(m_cli.run({"project", "status", file, "--json"}));
        QCOMPARE(status["lines"].toArray()[1].toObject()["captions_fit"].toBool(), false);
        QVERIFY(!render(file).isEmpty());
        const auto third = exported("written");
        QVERIFY2(third.first.errors.contains("line 2"), qPrintable(third.first.errors));
        QVERIFY(third.second.contains("The second line is there.") && !third.second.contains("2nd"));
        QCOMPARE(m_cli.run({"project", "caption", file, "2", "--reset"}).exitCode, 0);
        QVERIFY(!m_cli.run({"project", "status", file}).output.contains("no longer fit"));
    }

    // A label is laid over the stored pictures: the export encodes again, everything else looks as before.
    void a_label_stays_on_every_picture_and_a_trace_names_every_chunk()
    {
        const QString file = newProject("label");
        const QString drawn = m_cli.path("drawn.trace"), written = m_cli.path("written.trace");
        const QJsonObject made = render(file, {"--trace", drawn});
        const QString plain = m_cli.path("plain.mp4"), labelled = m_cli.path("labelled.mp4");
        QCOMPARE(m_cli.run({"project", "export", file, "-o", plain, "-q"}).exitCode, 0);
        const auto exported = m_cli.run({"project", "export", file, "-o", labelled, "--label", "--label-corner",
                                         "top-left", "--trace", written, "--json", "-q"});
        QVERIFY2(exported.exitCode == 0, qPrintable(exported.errors));
        QCOMPARE(object(exported)["stream_copied"].toBool(), false);
        const auto before = frames(plain), after = frames(labelled);
        QVERIFY(!before.empty());
        QCOMPARE(after.size(), before.size());
        for (std::size_t i = 0; i < after.size(); ++i) {
            double top = 0, rest = 0;
            for (int y = 0; y < 108; ++y) {
                for (int x = 0; x < 3 * 192; ++x) {
                    const double step = std::abs(int(after[i].row(y)[x]) - int(before[i].row(y)[x]));
                    if (y < 20 && x < 3 * 60)
                        top += step / (20 * 3 * 60);
                    if (y >= 24)
                        rest += step / (84 * 3 * 192);
                }
            }
            QVERIFY2(top > 15 && rest < 4, qPrintable(QString("%1: %2 %3").arg(i).arg(top).arg(rest)));
        }
        const int chunks = static_cast<int>(made["chunks"].toArray().size());
        QCOMPARE(scopes(drawn, "decode"), chunks);
        QCOMPARE(scopes(drawn, "encode"), chunks);
        QCOMPARE(scopes(drawn, "reference"), 1);
        QCOMPARE(scopes(written, "encode"), chunks);
        QCOMPARE(scopes(written, "assemble"), 1);
        const auto refused = m_cli.run({"project", "export", file, "-o", labelled, "--overwrite", "-q",
                                        "--label=" + QString(90, 'W')});
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.errors.contains("does not fit a picture of 192x108"), qPrintable(refused.errors));
        QCOMPARE(frames(labelled).size(), after.size()); // the old file stayed
    }

    void a_recording_becomes_lines_and_a_video_with_its_sound()
    {
        const QString file = m_cli.path("recorded.loquor"), speech = m_cli.speech(6, "spoken.wav");
        m_cli.run({"project", "new", file, "--reference", CliRunner::media("astronaut.png"), "--size", "192x108"});
        const auto added = m_cli.run({"project", "add-recording", file, speech, "-t",
                                      "And so, my fellow Americans, ask not", "--json"});
        QVERIFY2(added.exitCode == 0, qPrintable(added.errors));
        const QJsonArray lines = object(added)["changed"].toArray();
        QVERIFY(!lines.isEmpty());
        QCOMPARE(lines.last().toObject()["recording"].toObject()["to"].toDouble(), 6.0);
        const QJsonObject report = render(file);
        QCOMPARE(report["frames"].toInt(), 150);
        const QString video = m_cli.path("recorded.mp4"), direct = m_cli.path("direct.mp4");
        QVERIFY(m_cli.run({"project", "export", file, "-o", video, "-q"}).exitCode == 0);
        auto arguments = m_cli.renderArguments(CliRunner::media("astronaut.png"), speech, direct);
        QCOMPARE(m_cli.run(arguments).exitCode, 0);
        const auto made = media::probeMedia(video.toStdString(), media::ProbeDepth::Decode);
        const auto alike = media::probeMedia(direct.toStdString(), media::ProbeDepth::Decode);
        QVERIFY(made && alike);
        QCOMPARE(frames(video).size(), frames(direct).size());
        QVERIFY(qAbs(made->audio->durationSeconds - alike->audio->durationSeconds) < 0.04);

        // Somewhere else, it is told where; another file is refused.
        const QString moved = m_cli.path("moved.wav");
        QVERIFY(QFile::rename(speech, moved));
        QCOMPARE(m_cli.run({"project", "relink", file, CliRunner::media("jfk.wav")}).exitCode, 2);
        const auto linked = m_cli.run({"project", "relink", file, moved, "--json"});
        QCOMPARE(object(linked)["relinked"].toInt(), static_cast<int>(lines.size()));
        const auto status = m_cli.run({"project", "status", file, "--json"});
        QVERIFY(object(status)["missing"].toArray().isEmpty());
        QCOMPARE(object(status)["lines"][0]["state"].toString(), QString("fresh"));
    }

    // Half an hour takes seconds: what is done is shown, and Ctrl-C leaves the project as it was.
    void a_long_recording_shows_progress_and_can_be_stopped()
    {
        const QString file = newProject("long");
        AudioBlock hour = CliRunner::reading();
        const std::vector<float> once = hour.samples;
        while (hour.seconds() < 3600)
            hour.samples.insert(hour.samples.end(), once.begin(), once.end());
        const QString sound = m_cli.writeWav("hour.wav", hour);
        const auto content = [&file] {
            QFile project(file);
            return project.open(QIODevice::ReadOnly) ? project.readAll() : QByteArray();
        };
        const QByteArray before = content();
        const auto isStoppedAfter = [&](const QStringList& options, const char* shown) {
            auto process = m_cli.start(QStringList{"project", "add-recording", file, sound} + options);
            QByteArray errors;
            const auto isShown = [&] {
                process->waitForReadyRead(50);
                errors += process->readAllStandardError();
                return errors.contains(shown) || process->state() == QProcess::NotRunning;
            };
            QTRY_VERIFY_WITH_TIMEOUT(isShown(), static_cast<int>(60'000 * slowdown()));
            QVERIFY2(errors.contains(shown), errors.constData());
            sendSignal(*process, SIGINT);
            QVERIFY(process->state() == QProcess::NotRunning || process->waitForFinished(20'000));
            if (process->exitCode() != 0) { // it may have been quicker
                QCOMPARE(process->exitCode(), 130);
                QCOMPARE(content(), before);
            }
        };
        isStoppedAfter({}, "listening: "); // its words are recognized first
        isStoppedAfter({"--text", ""}, " %  Listening to the recording");
        QVERIFY(!QFile::exists(QString::fromStdString(project::lockFileOf(file.toStdString()).string())));
        const auto quiet = m_cli.run({"project", "add-recording", file, m_cli.speech(1, "short.wav"), "-q"});
        QVERIFY2(quiet.exitCode == 0 && quiet.errors.isEmpty(), qPrintable(quiet.errors));
        QVERIFY(QFile::remove(sound));
    }

    void an_edited_word_makes_its_line_again_and_nothing_else()
    {
        const QString file = newProject("edit");
        render(file);
        const QString before = m_cli.path("before.mp4"), after = m_cli.path("after.mp4");
        QCOMPARE(m_cli.run({"project", "export", file, "-o", before, "-q"}).exitCode, 0);
        const auto status = m_cli.run({"project", "status", file, "--json"});
        const int firstLine = object(status)["lines"][0]["frames"].toInt();
        QVERIFY(firstLine > 8);
        QCOMPARE(m_cli.run({"project", "set-line", file, "2", "The other line is here."}).exitCode, 0);
        const auto stale = m_cli.run({"project", "status", file, "--json"});
        QCOMPARE(object(stale)["lines"][1]["state"].toString(), QString("stale"));
        QCOMPARE(object(stale)["lines"][2]["state"].toString(), QString("fresh"));
        const QJsonObject report = render(file);
        QCOMPARE(madeChunks(report, "I"), 2);
        for (const QJsonValue& chunk : report["chunks"].toArray()) {
            if (chunk["kind"].toString() == "N")
                QCOMPARE(chunk["cached"].toBool(), chunk["line"].toInt() != 2);
        }
        QCOMPARE(m_cli.run({"project", "export", file, "-o", after, "-q"}).exitCode, 0);
        // The first line is bit-identical in the file, too.
        const auto old = frames(before), now = frames(after);
        QVERIFY(old.size() > static_cast<std::size_t>(firstLine));
        for (int i = 0; i < firstLine; ++i)
            QVERIFY2(old[static_cast<std::size_t>(i)].data == now[static_cast<std::size_t>(i)].data,
                     qPrintable(QString::number(i)));
    }

    void a_dead_engine_process_costs_a_warning()
    {
        const QString file = newProject("engine");
        m_cli.run({"project", "set-line", file, "1", "This first line is quite a bit longer than the others are, "
                                                     "so that there is time to end its engine."});
        auto process = m_cli.start({"project", "render", file, "-q", "--json"});
        QVERIFY(process->waitForStarted());
        QList<int> ranks;
        QTRY_VERIFY_WITH_TIMEOUT(!(ranks = processesBelow(process->processId(), "loquor-rank")).isEmpty(), 20'000);
        QTest::qWait(300);
        ::kill(ranks.first(), SIGKILL);
        QVERIFY(process->state() == QProcess::NotRunning || process->waitForFinished(120'000));
        const QByteArray errors = process->readAllStandardError();
        QVERIFY2(process->exitCode() == 0, errors.constData());
        QVERIFY2(errors.count("engine process") <= 1, errors.constData()); // told once
        const auto state = m_cli.run({"project", "status", file, "--json"});
        QCOMPARE(object(state)["lines"][0]["state"].toString(), QString("fresh"));
    }

    void interrupted_it_keeps_finished_chunks_and_says_so()
    {
        const QString file = newProject("interrupted");
        auto process = m_cli.start({"project", "render", file, "-q"});
        QVERIFY(process->waitForStarted());
        process->waitForFinished(500);
        sendSignal(*process, SIGTERM);
        QElapsedTimer timer;
        timer.start();
        if (process->state() == QProcess::Running)
            QVERIFY(process->waitForFinished(20'000));
        if (process->exitCode() != 0) // it may have been quicker
        {
            QCOMPARE(process->exitCode(), 130);
            const QByteArray errors = process->readAllStandardError();
            QVERIFY2(errors.contains("finished chunks are kept") && errors.contains("The same command goes on") &&
                         errors.contains("project render '" + file.toUtf8() + "'"),
                     errors.constData());
        }
        QVERIFY(!render(file).isEmpty());
    }

    void what_is_not_rendered_cannot_be_exported()
    {
        const QString file = newProject("bare");
        const QString video = m_cli.path("bare.mp4");
        const auto result = m_cli.run({"project", "export", file, "-o", video, "-q"});
        QCOMPARE(result.exitCode, 10);
        QVERIFY2(result.errors.contains("lines 1, 2, 3"), qPrintable(result.errors));
        QVERIFY2(result.errors.contains("Render the project first"), qPrintable(result.errors));
        QVERIFY(!QFile::exists(video));
        const auto self = m_cli.run({"project", "export", file, "-o", file, "-q", "--overwrite"});
        QVERIFY(self.exitCode != 0);
        QFile project(file);
        QVERIFY(project.open(QFile::ReadOnly));
        QVERIFY(project.readAll().contains("The second line is here."));
    }

    void takes_are_listed_and_chosen()
    {
        const QString file = newProject("takes");
        render(file);
        QCOMPARE(m_cli.run({"project", "set-line", file, "2", kTexts[1], "--new-take"}).exitCode, 0);
        render(file);
        const auto list = m_cli.run({"project", "takes", file, "2", "--json"});
        QVERIFY2(list.exitCode == 0, qPrintable(list.errors));
        QCOMPARE(object(list)["takes"].toArray().size(), 2);
        QCOMPARE(m_cli.run({"project", "choose-take", file, "2", "1"}).exitCode, 0);
        const QJsonObject report = render(file);
        QCOMPARE(madeChunks(report, "N") + madeChunks(report, "I"), 0);
        QVERIFY(m_cli.run({"project", "choose-take", file, "2", "7"}).exitCode != 0);
        QVERIFY(m_cli.run({"project", "choose-take", file, "9", "1"}).exitCode != 0);
    }

    // What would not be shown is refused, and the project stays as it is.
    void a_take_of_other_words_is_not_chosen()
    {
        const QString file = newProject("others");
        render(file);
        QCOMPARE(m_cli.run({"project", "set-line", file, "3", "And this is another end."}).exitCode, 0);
        const auto bytes = [&] {
            QFile project(file);
            return project.open(QFile::ReadOnly) ? project.readAll() : QByteArray();
        };
        const QByteArray before = bytes();
        const auto refused = [&] { // "" when all is well
            const auto result = m_cli.run({"project", "choose-take", file, "3", "1"});
            const bool isRight = result.exitCode == 2 && result.errors.contains("Take 1 of line 3 does not fit any more") &&
                                 !before.isEmpty() && bytes() == before;
            return isRight ? QString() : result.output + result.errors;
        };
        QCOMPARE(refused(), QString()); // also before the new words were rendered
        render(file);
        QCOMPARE(refused(), QString());
        const auto list = object(m_cli.run({"project", "takes", file, "3", "--json"}))["takes"].toArray();
        QCOMPARE(list.size(), 2);
        QVERIFY(!list[0]["fits"].toBool(true) && !list[0]["shown"].toBool(true));
        QVERIFY(list[1]["fits"].toBool() && list[1]["shown"].toBool());
        const QStringList text = m_cli.run({"project", "takes", file, "3"}).output.trimmed().split('\n');
        QCOMPARE(text.size(), 2);
        QVERIFY2(text[0].endsWith("  does not fit any more"), qPrintable(text[0]));
        QVERIFY2(text[1].endsWith("  shown"), qPrintable(text[1]));
    }

    void all_made_again_can_be_exported()
    {
        const QString file = newProject("all");
        render(file);
        QCOMPARE(m_cli.run({"project", "set-line", file, "2", kTexts[1], "--new-take"}).exitCode, 0);
        render(file);
        QCOMPARE(m_cli.run({"project", "choose-take", file, "2", "1"}).exitCode, 0);
        QCOMPARE(m_cli.run({"project", "set-line", file, "1", "Hello again, Bob."}).exitCode, 0);
        render(file, {"--all"});
        const auto video = m_cli.run({"project", "export", file, "-o", m_cli.path("all.mp4"), "-q"});
        QVERIFY2(video.exitCode == 0, qPrintable(video.errors));
        const auto list = object(m_cli.run({"project", "takes", file, "2", "--json"}))["takes"].toArray();
        QVERIFY(!list.isEmpty() && list[0]["shown"].toBool());
    }

    void takes_are_removed_with_words()
    {
        const QString file = newProject("forgotten");
        const auto none = m_cli.run({"project", "takes", file, "2"});
        QCOMPARE(none.exitCode, 0);
        QCOMPARE(none.output, QString("Line 2 has no take yet: render the project first.\n"));
        const auto empty = m_cli.run({"project", "takes", file, "2", "--json"});
        QVERIFY(object(empty)["takes"].isArray() && object(empty)["takes"].toArray().isEmpty());
        render(file);
        QCOMPARE(m_cli.run({"project", "set-line", file, "2", kTexts[1], "--new-take"}).exitCode, 0);
        render(file);
        QCOMPARE(m_cli.run({"project", "choose-take", file, "2", "1"}).exitCode, 0);
        QCOMPARE(m_cli.run({"project", "pin-take", file, "2", "1"}).exitCode, 0);
        const auto pinned = m_cli.run({"project", "remove-take", file, "2", "1"});
        QCOMPARE(pinned.exitCode, 2);
        QVERIFY2(pinned.errors.contains("project unpin-take '" + file + "' 2 1"), qPrintable(pinned.errors));
        QCOMPARE(object(m_cli.run({"project", "takes", file, "2", "--json"}))["takes"].toArray().size(), 2);
        QCOMPARE(m_cli.run({"project", "unpin-take", file, "2", "1"}).exitCode, 0);
        const auto gone = m_cli.run({"project", "remove-take", file, "2", "1"});
        QVERIFY2(gone.exitCode == 0, qPrintable(gone.errors));
        QVERIFY2(gone.output.startsWith("Forgot take 1 of line 2, which was shown; the line shows take 2 now."),
                 qPrintable(gone.output));
        QVERIFY(m_cli.run({"project", "status", file}).output.contains("fresh"));
    }

    void another_size_is_encoded_again()
    {
        const QString file = newProject("size");
        render(file);
        const QString video = m_cli.path("small.mp4");
        const auto result = m_cli.run({"project", "export", file, "-o", video, "--size", "96x54", "--json", "-q"});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QCOMPARE(object(result)["stream_copied"].toBool(), false);
        const auto made = frames(video);
        QVERIFY(!made.empty());
        QCOMPARE(made.front().width, 96);
    }
};

LOQUOR_TEST(tst_cli_project_render)
#include "tst_cli_project_render.moc"
