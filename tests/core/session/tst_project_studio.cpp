#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include <QTemporaryDir>

#include "core/session/project_keys.h"
#include "tests/core/session/project_fixture.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;
using namespace loquor::test;

// What the studio asks of a project besides what the command line does.
class tst_project_studio : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // What the studio asks: words, chunks with their lengths, pictures of what is partly made, sound.
    void the_studio_sees_words_chunks_and_sound()
    {
        ProjectFixture fixture;
        const auto document = fixture.document(kFourLines);
        fixture.orderFaults("fail:2:1:9");
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        const auto state = fixture.inspect(document, true);
        QCOMPARE(state.lines.size(), std::size_t(4));
        for (const LineState& line : state.lines) {
            QVERIFY(line.words && line.words->size() >= 5);
            QCOMPARE(std::accumulate(line.grid.begin(), line.grid.end(), 0), static_cast<int>(line.frames));
            QCOMPARE(line.joinFrames > 0, line.number > 1);
            const speech::Word& word = line.words->front();
            const std::string& text = kFourLines[static_cast<std::size_t>(line.number - 1)];
            QCOMPARE(text.substr(static_cast<std::size_t>(word.textBegin), static_cast<std::size_t>(word.textEnd - word.textBegin)),
                     word.text);
            // The sound is there from the first sample to the last but for rounding, also of a line that is partly made.
            const std::int64_t length = firstSampleOf(line.frames, kLineSoundRate, document.output.fps);
            std::vector<float> sound(static_cast<std::size_t>(length) + 100);
            const auto got = static_cast<std::int64_t>(fixture.session().readLineSound(line.id, 0, sound.data(), sound.size()));
            QVERIFY2(std::abs(got - length) <= 1, qPrintable(QString("%1 of %2").arg(got).arg(length)));
            QVERIFY(*std::max_element(sound.begin(), sound.end()) > 0.01f);
            QCOMPARE(fixture.session().readLineSound(line.id, length + 2, sound.data(), 10), std::size_t(0));
        }
        QCOMPARE(state.lines[1].kind, LineState::Kind::Partial);
        QCOMPARE(fixture.session().readLineSound(4711, 0, nullptr, 10), std::size_t(0));
        QVERIFY(!fixture.inspect(document).lines[0].words); // not asked for
    }

    // The studio asks after every edit: a large clip is not read each time, but a changed one is.
    void hashes_are_kept_until_the_file_changes()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("clip").toStdString();
        const auto write = [&](const char* text) { std::ofstream(file) << text; };
        write("one");
        FileHashes hashes;
        const auto first = hashes.of(file, {});
        QVERIFY(first);
        // Other bytes under the same size and time are not seen: so it was not read again.
        const auto time = std::filesystem::last_write_time(file);
        write("two");
        std::filesystem::last_write_time(file, time);
        QCOMPARE(*hashes.of(file, {}), *first);
        write("three");
        const auto second = hashes.of(file, {});
        QVERIFY(second && *second != *first);
        std::filesystem::last_write_time(file, time + std::chrono::seconds(5));
        QCOMPARE(*hashes.of(file, {}), *second);
        std::filesystem::remove(file);
        const auto gone = hashes.of(file, {});
        QVERIFY(!gone);
        QCOMPARE(gone.error().code(), ErrorCode::NotFound);
    }
};

LOQUOR_TEST(tst_project_studio)
#include "tst_project_studio.moc"
