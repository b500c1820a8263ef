#include "core/session/import_shelf.h"

#include <QTemporaryDir>

#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include "core/media/audio_writer.h"
#include "core/platform/hash.h"
#include "core/session/recorded_line.h"
#include "core/session/recording_lines.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> filesIn(const fs::path& folder)
{
    std::vector<fs::path> out;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        out.push_back(entry.path());
    return out;
}

media::SoundImport loud()
{
    media::SoundImport import;
    import.loudness = true;
    return import;
}

} // namespace

class tst_import_shelf : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path folder(const char* name) const { return fs::path(m_dir.path().toStdString()) / name; }

    // A tone whose level tells the second it is in.
    fs::path recording(const char* name, double seconds = 3)
    {
        AudioBlock block{48000, 1, {}};
        for (int i = 0; i < static_cast<int>(seconds * 48000); ++i)
            block.samples.push_back(static_cast<float>((.05 + .05 * (i / 48000)) * std::sin(i * .05)));
        const fs::path file = folder(name);
        if (!media::writeWav(file, block))
            qFatal("the recording could not be written");
        return file;
    }

private Q_SLOTS:
    void what_needs_no_copy_is_read_as_it_is()
    {
        ImportShelf shelf(folder("none"));
        media::SoundImport import;
        import.stream = 1;
        import.from = 1s;
        const auto sound = shelf.get("/not/there.wav", import, {});
        QVERIFY(sound);
        QCOMPARE(sound->file, fs::path("/not/there.wav"));
        QVERIFY(sound->part == import);
        QVERIFY(!fs::exists(folder("none")));
    }

    void a_copy_is_made_once_and_again_when_it_is_gone()
    {
        const fs::path file = recording("a.wav");
        ImportShelf shelf(folder("once"));
        const auto first = shelf.get(file, loud(), {});
        QVERIFY2(first, first ? "" : first.error().text().c_str());
        QVERIFY(first->part.isPlain());
        const auto hash = platform::sha256File(first->file);
        fs::rename(file, folder("moved.wav")); // the content counts, not the name
        int told = 0;
        const auto second = ImportShelf(folder("once")).get(folder("moved.wav"), loud(), {}, {}, [&](double) { ++told; });
        QVERIFY(second);
        QCOMPARE(second->file, first->file);
        QCOMPARE(told, 0);
        fs::remove(first->file);
        QVERIFY(shelf.get(folder("moved.wav"), loud(), {}));
        QCOMPARE(*platform::sha256File(first->file), *hash);
        media::SoundImport other = loud();
        other.to = 2s;
        QVERIFY(shelf.get(folder("moved.wav"), other, {})->file != first->file);
        QCOMPARE(filesIn(first->file.parent_path()).size(), std::size_t(2));
    }

    void two_that_want_the_same_get_the_same()
    {
        const fs::path file = recording("b.wav", 20);
        ImportShelf one(folder("two")), other(folder("two")); // as two processes have them
        std::vector<fs::path> files(4);
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < files.size(); ++i)
            threads.emplace_back([&, i] {
                const auto sound = (i % 2 == 0 ? one : other).get(file, loud(), {});
                files[i] = sound ? sound->file : fs::path(sound.error().text());
            });
        for (std::thread& thread : threads)
            thread.join();
        for (const fs::path& got : files)
            QCOMPARE(got, files[0]);
        QCOMPARE(filesIn(folder("two") / "recordings"), std::vector<fs::path>{files[0]});
    }

    void the_oldest_goes_when_there_is_too_much()
    {
        const fs::path file = recording("c.wav");
        ImportShelf shelf(folder("little"), 500'000);
        std::vector<fs::path> made;
        for (int i = 1; i <= 4; ++i) {
            media::SoundImport import = loud();
            import.from = 10ms * i;
            const auto sound = shelf.get(file, import, {});
            QVERIFY(sound);
            made.push_back(sound->file);
            fs::last_write_time(sound->file, fs::file_time_type::clock::now() - std::chrono::minutes(10 - i));
        }
        QVERIFY(!fs::exists(made[0]) && fs::exists(made[3]));
        ImportShelf none(folder("little"), 0);
        const auto only = none.get(file, loud(), {});
        QVERIFY(only);
        QCOMPARE(filesIn(folder("little") / "recordings"), std::vector<fs::path>{only->file});
    }

    void a_part_of_a_killed_program_goes_and_errors_leave_nothing()
    {
        const fs::path file = recording("d.wav"), copies = folder("left") / "recordings";
        fs::create_directories(copies);
        std::ofstream(copies / "1-0.making.part") << "half";
        fs::last_write_time(copies / "1-0.making.part", fs::file_time_type::clock::now() - 1h);
        ImportShelf shelf(folder("left"));
        media::SoundImport import = loud();
        import.to = 50s;
        QCOMPARE(shelf.get(file, import, {}).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(shelf.get(folder("missing.wav"), loud(), {}).error().code(), ErrorCode::NotFound);
        const auto sound = shelf.get(file, loud(), {});
        QVERIFY(sound);
        QCOMPARE(filesIn(copies), std::vector<fs::path>{sound->file});
    }

    // Projects made before there was anything to choose keep what was rendered.
    void keys_of_plain_recordings_stay()
    {
        project::Recording part{"/a.wav", "5eed", 1920, 96'000};
        QCOMPARE(QString::fromStdString(cutKey(part)), QString("d3e3cfcc8a5ef2f303b6ca33da2d7dfb0120d92404f2a767e0512f3bf8b04253"));
        std::set<std::string> keys{cutKey(part)};
        part.import.stream = 2;
        keys.insert(cutKey(part));
        part.import.from = 1s;
        keys.insert(cutKey(part));
        part.import.to = 9s;
        keys.insert(cutKey(part));
        part.import.denoise = true;
        keys.insert(cutKey(part));
        part.import.loudness = true;
        keys.insert(cutKey(part));
        QCOMPARE(keys.size(), std::size_t(6));
    }

    // Lines of a part count from where it begins; what was cut off is not heard beside them either.
    void case_098_lines_of_a_part_are_that_part()
    {
        RecordingRequest request;
        request.file = recording("e.wav", 12);
        request.import.from = 2s;
        request.import.to = 9500ms;
        const auto voices = std::make_shared<VoiceShelf>(folder("data"), "", folder("cache"));
        const auto lines = cutIntoLines(request, voices, {});
        QVERIFY2(lines, lines ? "" : lines.error().text().c_str());
        std::int64_t samples = 0;
        for (const project::Line& line : lines->lines) {
            QCOMPARE(line.recording->first, samples);
            QVERIFY(line.recording->import == request.import);
            samples += line.recording->samples;
        }
        QCOMPARE(samples, std::int64_t{360'000});
        RecordingCutter cutter(voices->imports());
        const auto first = cutter.cut(*lines->lines.front().recording, {});
        QVERIFY(first);
        QCOMPARE(first->before, SampleIndex{0});
        const auto last = cutter.cut(*lines->lines.back().recording, {});
        QVERIFY(last);
        QCOMPARE(last->after, SampleIndex{0});
        project::Recording processed = *lines->lines.front().recording;
        processed.import.loudness = true;
        const auto louder = cutter.cut(processed, {});
        QVERIFY2(louder, louder ? "" : louder.error().text().c_str());
        QCOMPARE(louder->samples(), first->samples());
        QVERIFY(louder->audio.samples != first->audio.samples);
        request.import.to = 13s;
        QCOMPARE(cutIntoLines(request, voices, {}).error().code(), ErrorCode::InvalidArgument);
    }
};

LOQUOR_TEST(tst_import_shelf)
#include "tst_import_shelf.moc"
