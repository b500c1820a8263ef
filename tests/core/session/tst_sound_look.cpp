#include "core/session/sound_look.h"

#include <QTemporaryDir>

#include <cmath>
#include <fstream>

#include "core/media/audio_reader.h"
#include "core/media/audio_writer.h"
#include "core/platform/hash.h"
#include "core/session/recorded_line.h"
#include "tests/core/session/project_fixture.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

// What is seen of a sound, and parts of it as files of their own.
class tst_sound_look : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    fs::path path(const char* name) const { return fs::path(m_dir.path().toStdString()) / name; }
    // A tone that is silent in its third second and distorted at 6 s.
    fs::path recording(const char* name, int seconds)
    {
        AudioBlock block{48000, 1, {}};
        for (int i = 0; i < seconds * 48000; ++i) {
            const bool silent = i >= 96000 && i < 144000;
            block.samples.push_back(silent ? 0.f : static_cast<float>(.3 * std::sin(i * .05)));
        }
        for (int i = 288000; i < 288050 && i < seconds * 48000; ++i)
            block.samples[static_cast<std::size_t>(i)] = 1;
        const fs::path file = path(name);
        if (!media::writeWav(file, block, media::WavFormat::Float32))
            qFatal("the recording could not be written");
        return file;
    }
    project::Recording part(const fs::path& file, std::int64_t first, std::int64_t samples)
    {
        project::Recording out;
        out.file = file;
        out.sha256 = *platform::sha256File(file);
        out.first = first;
        out.samples = samples;
        return out;
    }

private Q_SLOTS:
    void a_sound_is_seen_with_its_faults()
    {
        std::vector<SoundLook> told;
        const auto done = lookThrough(recording("look.wav", 8), 0, {}, [&](SoundLook look) { told.push_back(std::move(look)); });
        QVERIFY2(done, done ? "" : done.error().text().c_str());
        QVERIFY(!told.empty() && told.back().finished);
        const SoundLook& all = told.back();
        QCOMPARE(all.report.seconds(), 8.);
        QCOMPARE(all.streams.size(), std::size_t(1));
        QCOMPARE(all.report.silenceCount, std::int64_t(1));
        QVERIFY(all.report.clippedRuns >= 1);
        QVERIFY(std::abs(static_cast<double>(all.peaks.size()) * all.peakSeconds - 8) < .05);
        const auto peakAt = [&](double seconds) { return all.peaks[static_cast<std::size_t>(seconds / all.peakSeconds)]; };
        QVERIFY(peakAt(1) > .29f && peakAt(1) < .31f && peakAt(2.5) == 0.f && peakAt(6.0005) == 1.f);
    }

    // However long it is, the picture of it has a few thousand stretches.
    void long_sounds_have_wider_stretches()
    {
        std::vector<float> peaks;
        double each = 0;
        const auto done = lookThrough(recording("long.wav", 200), 0, {}, [&](const SoundLook& look) {
            peaks = look.peaks;
            each = look.peakSeconds;
        });
        QVERIFY(done);
        QVERIFY2(peaks.size() <= 8192 && peaks.size() >= 4096, qPrintable(QString::number(peaks.size())));
        QVERIFY(std::abs(static_cast<double>(peaks.size()) * each - 200) < .1);
    }

    void looking_is_cancelled_and_says_what_is_wrong()
    {
        CancelSource cancel;
        cancel.cancel();
        const auto given = lookThrough(recording("cancel.wav", 2), 0, cancel.token(), [](const SoundLook&) {});
        QVERIFY(!given && given.error().isCancelled());
        const auto none = lookThrough(path("none.wav"), 0, {}, [](const SoundLook&) {});
        QVERIFY(!none && none.error().code() == ErrorCode::NotFound);
        const auto stream = lookThrough(recording("one.wav", 2), 3, {}, [](const SoundLook&) {});
        QVERIFY(!stream && stream.error().code() == ErrorCode::InvalidArgument);
    }

    void a_part_becomes_a_file_with_what_is_around_it()
    {
        const fs::path file = recording("part.wav", 4), target = path("copy.flac");
        const auto imports = std::make_shared<ImportShelf>(path("cache"));
        const auto copy = copyPart(part(file, 48000, 24000), target, imports, {});
        QVERIFY2(copy, copy ? "" : copy.error().text().c_str());
        QCOMPARE(copy->file, target);
        QCOMPARE(copy->samples, std::int64_t(24000));
        QCOMPARE(copy->first, static_cast<std::int64_t>(kContextSeconds * 48000));
        QCOMPARE(copy->sha256, *platform::sha256File(target));
        const auto whole = media::readAudio(file, {48000, 1}), made = media::readAudio(target, {48000, 1});
        QVERIFY(whole && made);
        for (std::size_t i = 0; i < 24000; ++i)
            QVERIFY(std::abs(made->samples[static_cast<std::size_t>(copy->first) + i] - whole->samples[48000 + i]) < 1e-6f);
        QVERIFY(!copyPart(part(file, 48000, 24000), target, imports, {})); // never over a file
        QVERIFY(!copyPart(part(file, 480000, 24000), path("beyond.flac"), imports, {}));
        QVERIFY(!fs::exists(path("beyond.flac")));
    }

    // The same by the facade, with a processed copy and its progress.
    void the_session_answers()
    {
        test::ProjectFixture fixture;
        fixture.open();
        Session& session = fixture.session();
        const fs::path file = recording("asked.wav", 120);
        bool copying = false;
        const auto answer = [&](CommandId id) -> std::optional<Event> {
            for (int i = 0; i < 6000; ++i) {
                copying = copying || session.snapshot().copying >= 0;
                for (Event& event : session.takeEvents()) {
                    if (event.command == id && (!event.look || event.look->finished))
                        return event;
                }
                QTest::qWait(10);
            }
            return {};
        };
        const auto look = answer(session.lookAtSound(file, 0));
        QVERIFY(look && look->look && look->look->report.seconds() == 120);
        media::SoundImport import;
        import.from = 1s;
        import.loudness = true;
        const auto taken = answer(session.takeIn(file, import));
        QVERIFY(taken && taken->kind == Event::Kind::SoundTaken);
        QCOMPARE(taken->samples, SampleIndex(119 * 48000));
        QVERIFY(copying);
        QTRY_VERIFY(session.snapshot().copying < 0);
        import.denoise = true;
        const CommandId given = session.takeIn(file, import);
        session.cancel(given);
        const auto stopped = answer(given);
        QVERIFY(stopped && stopped->error && stopped->error->isCancelled());
        import.from = 500s;
        const auto wrong = answer(session.takeIn(file, import));
        QVERIFY(wrong && wrong->error && wrong->error->code() == ErrorCode::InvalidArgument);
        const auto cut = answer(session.cutPart(part(file, 48000, 48000), path("asked.flac")));
        QVERIFY(cut && cut->part && cut->part->samples == 48000);
    }
};

LOQUOR_TEST(tst_sound_look)
#include "tst_sound_look.moc"
