#include <algorithm>
#include <filesystem>

#include "core/media/audio_reader.h"
#include "core/media/audio_writer.h"
#include "core/project/line_edits.h"
#include "tests/core/session/project_fixture.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;
using namespace loquor::test;

namespace {

std::filesystem::path jfk()
{
    return std::filesystem::path(LOQUOR_DEPS_DIR).parent_path() / "media" / "test" / "jfk.wav";
}

AudioBlock atProjectRate(const std::filesystem::path& file)
{
    media::AudioReadOptions options;
    options.sampleRate = 48000;
    auto audio = media::readAudio(file, options);
    if (!audio)
        qFatal("the recording could not be read");
    return std::move(*audio);
}

// A copy of the recording in the fixture's folder, cut into lines; `text` as for add-recording.
project::Document recorded(ProjectFixture& fixture, const std::string& text = {}, Rational fps = {25, 1})
{
    const auto file = fixture.folder() / "speech.wav";
    if (!media::writeWav(file, atProjectRate(jfk()), media::WavFormat::Float32))
        qFatal("the recording could not be written");
    project::Document document = fixture.document({});
    document.output.fps = fps;
    linesOf(document) = fixture.cut({file, text, "en-us", fps});
    return document;
}

// Numbers of the lines whose N chunks were made.
std::vector<int> linesIn(const std::vector<std::string>& log)
{
    std::vector<int> out;
    for (const std::string& entry : log) {
        if (entry.starts_with("N ") && (out.empty() || out.back() != std::stoi(entry.substr(2))))
            out.push_back(std::stoi(entry.substr(2)));
    }
    return out;
}

} // namespace

// Recorded lines through the whole session, on an engine that makes small files instead of pictures.
class tst_project_recording : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void its_sound_is_the_recording_to_the_bit_data()
    {
        QTest::addColumn<int>("num");
        QTest::addColumn<int>("den");
        QTest::newRow("25") << 25 << 1;
        QTest::newRow("29.97") << 30000 << 1001;
        QTest::newRow("23.976") << 24000 << 1001;
        QTest::newRow("60") << 60 << 1;
    }
    void its_sound_is_the_recording_to_the_bit()
    {
        QFETCH(int, num);
        QFETCH(int, den);
        ProjectFixture fixture;
        const auto document = recorded(fixture, {}, {num, den});
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QCOMPARE(outcome.report->warnings, std::vector<std::string>{});
        const AudioBlock whole = atProjectRate(jfk());
        QCOMPARE(outcome.report->frames, framesCovering(whole.frames(), 48000, {num, den}));
        QVERIFY(fixture.heard(document) == whole.samples);
    }

    void it_is_found_again_and_needs_its_file_no_more()
    {
        ProjectFixture fixture;
        const auto document = recorded(fixture);
        fixture.render(document);
        fixture.takeLog();
        const auto before = fixture.shown(document);
        std::filesystem::remove(fixture.folder() / "speech.wav");
        fixture.open();
        QVERIFY(fixture.render(document).report);
        QVERIFY(fixture.takeLog().empty());
        QCOMPARE(fixture.shown(document), before);
    }

    void a_missing_recording_names_its_lines_and_can_be_linked_again()
    {
        ProjectFixture fixture;
        auto document = recorded(fixture);
        linesOf(document).insert(linesOf(document).begin(), project::makeLine(5000, "One line is spoken."));
        const auto elsewhere = fixture.folder() / "moved.wav";
        std::filesystem::rename(fixture.folder() / "speech.wav", elsewhere);
        const auto outcome = fixture.render(document);
        QVERIFY(outcome.report);
        QCOMPARE(outcome.report->failedLines.size(), linesOf(document).size() - 1);
        QCOMPARE(outcome.report->failedLines.front().line, 2);
        QVERIFY(outcome.report->failedLines.front().reason.find("speech.wav") != std::string::npos);
        QVERIFY(outcome.report->failedLines.front().reason.find("relink") != std::string::npos);
        const std::string hash = linesOf(document).back().recording->sha256;
        QCOMPARE(project::relinkRecording(document, "another", elsewhere), 0);
        QCOMPARE(project::relinkRecording(document, hash, elsewhere), static_cast<int>(linesOf(document).size()) - 1);
        const auto again = fixture.render(document);
        QVERIFY(again.report);
        QVERIFY(again.report->failedLines.empty());
    }

    void spoken_and_recorded_lines_go_together()
    {
        ProjectFixture fixture;
        auto document = recorded(fixture);
        auto& lines = linesOf(document);
        const int recordedLines = static_cast<int>(lines.size());
        QVERIFY(recordedLines >= 2);
        lines.insert(lines.begin() + 1, project::makeLine(5000, "A spoken line in between."));
        lines.push_back(project::makeLine(5001, "And one at the end."));
        QVERIFY(fixture.render(document).report);
        auto log = fixture.takeLog();
        QCOMPARE(static_cast<int>(linesIn(log).size()), recordedLines + 2);
        QCOMPARE(joinsIn(log), recordedLines + 1);

        lines[0].prompt = "smiling";
        QVERIFY(fixture.render(document).report);
        log = fixture.takeLog();
        QCOMPARE(linesIn(log), std::vector<int>{1});
        QCOMPARE(joinsIn(log), 1);

        lines[2].pauseAfter = .5;
        QVERIFY(fixture.render(document).report);
        log = fixture.takeLog();
        QCOMPARE(linesIn(log), std::vector<int>{3});

        lines[0].takeSeed = 9;
        QVERIFY(fixture.render(document).report);
        QCOMPARE(linesIn(fixture.takeLog()), std::vector<int>{1});
        lines[0].takeSeed = 0;
        QVERIFY(fixture.render(document).report);
        QVERIFY(linesIn(fixture.takeLog()).empty());

        std::swap(lines[0], lines[1]);
        QVERIFY(fixture.render(document).report);
        QVERIFY(linesIn(fixture.takeLog()).empty()); // lines keep what they are
        lines.erase(lines.begin());
        QVERIFY(fixture.render(document).report);
        QVERIFY(linesIn(fixture.takeLog()).empty());
        for (const LineState& line : fixture.inspect(document).lines)
            QCOMPARE(line.kind, LineState::Kind::Fresh);
    }

    void another_text_is_aligned_for_its_line_alone()
    {
        ProjectFixture fixture;
        auto document = recorded(fixture, "And so, my fellow Americans, ask not what your country can do for you, ask what "
                                          "you can do for your country.");
        QVERIFY(fixture.render(document).report);
        fixture.takeLog();
        const auto sound = fixture.heard(document);
        // The sound it was cut to is stored: the recording itself is not read again.
        std::filesystem::remove(fixture.folder() / "speech.wav");
        linesOf(document)[1].text += " [nod]";
        QCOMPARE(fixture.inspect(document).lines[1].kind, LineState::Kind::Stale);
        const auto outcome = fixture.render(document);
        QVERIFY(outcome.report);
        QVERIFY(outcome.report->failedLines.empty());
        QCOMPARE(linesIn(fixture.takeLog()), std::vector<int>{2});
        QVERIFY(fixture.heard(document) == sound);
    }

    // As `set-line` does it: the times, the takes and the pictures of all other lines stay.
    void other_words_leave_the_other_lines_alone()
    {
        ProjectFixture fixture;
        auto document = recorded(fixture, "And so, my fellow Americans, ask not what your country can do for you, ask what "
                                          "you can do for your country.");
        const int count = static_cast<int>(linesOf(document).size());
        QVERIFY(count >= 2);
        QVERIFY(fixture.render(document).report);
        fixture.takeLog();
        const auto before = fixture.inspect(document, true).lines;
        const auto pictures = fixture.shown(document);
        std::filesystem::remove(fixture.folder() / "speech.wav"); // its sound is stored
        project::LineChange change;
        change.text = "And so, my dear Romans, ask not";
        const auto changed = project::withLineChanged(document, 1, change);
        QVERIFY(changed);
        const auto stale = fixture.inspect(*changed, true).lines;
        QCOMPARE(stale[0].kind, LineState::Kind::Stale);
        for (int i = 1; i < count; ++i)
            QCOMPARE(stale[static_cast<std::size_t>(i)].kind, LineState::Kind::Fresh);
        const auto outcome = fixture.render(*changed);
        QVERIFY(outcome.report && outcome.report->failedLines.empty());
        const auto log = fixture.takeLog();
        QCOMPARE(linesIn(log), std::vector<int>{1});
        QCOMPARE(joinsIn(log), 1);
        const auto after = fixture.inspect(*changed, true).lines;
        const auto texts = [](const LineState& line) {
            std::string out;
            for (const speech::Word& word : *line.words)
                out += word.text + ' ';
            return out;
        };
        QVERIFY2(texts(after[0]).find("Romans") != std::string::npos, texts(after[0]).c_str());
        for (std::size_t i = 1; i < after.size(); ++i) {
            QCOMPARE(after[i].take, before[i].take);
            QCOMPARE(after[i].words->size(), before[i].words->size());
            for (std::size_t k = 0; k < after[i].words->size(); ++k) {
                QCOMPARE((*after[i].words)[k].start, (*before[i].words)[k].start);
                QCOMPARE((*after[i].words)[k].text, (*before[i].words)[k].text);
            }
        }
        QVERIFY(after[0].take != before[0].take);
        QCOMPARE(fixture.shown(*changed).back(), pictures.back()); // behind the join
    }

    void it_goes_on_where_a_dead_engine_left_it()
    {
        ProjectFixture fixture;
        const auto document = recorded(fixture);
        fixture.render(document);
        const auto expected = fixture.shown(document);
        fixture.close();
        fixture.useStore("another");
        fixture.orderFaults("die:1:2:1 die:2:1:1");
        fixture.open();
        QVERIFY(fixture.render(document).report);
        QCOMPARE(fixture.shown(document), expected);
    }
};

LOQUOR_TEST(tst_project_recording)
#include "tst_project_recording.moc"
