#include "core/audio/take_file.h"

#include <cmath>
#include <csignal>
#include <fstream>

#include <unistd.h>

#include <QTemporaryDir>

#include "core/media/audio_reader.h"
#include "core/media/audio_writer.h"
#include "core/media/flac_writer.h"
#include "core/platform/child_process.h"
#include "tests/core/audio/take_reading.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::audio;
namespace fs = std::filesystem;

class tst_take_file : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    fs::path file(const char* name) const { return fs::path(m_dir.path().toStdString()) / name; }

private Q_SLOTS:
    void factsComeBack()
    {
        TakeFacts facts;
        facts.device = "Mikrofon \xff";
        facts.sampleRate = 44100;
        facts.channels = 2;
        facts.frames = 123456789012;
        facts.xruns = 3;
        facts.clippedRuns = 500;
        facts.clipped = {{10, 20}, {100, 3}};
        facts.noiseFloorDb = -61.5;
        facts.gaps = {{1000, 44100, 7.25}};
        QVERIFY(writeTakeFacts(file("a.flac"), facts));
        const auto back = readTakeFacts(file("a.flac"));
        QVERIFY(back);
        QCOMPARE(back->frames, facts.frames);
        QCOMPARE(back->xruns, facts.xruns);
        QCOMPARE(back->clippedRuns, facts.clippedRuns);
        QVERIFY(back->clipped == facts.clipped);
        QVERIFY(back->gaps == facts.gaps);
        QCOMPARE(back->noiseFloorDb, -61.5);
        QCOMPARE(readTakeFacts(file("b.flac")).error().code(), ErrorCode::NotFound);
        std::ofstream(factsFileOf(file("c.flac"))) << "{\"format\": 1}";
        QCOMPARE(readTakeFacts(file("c.flac")).error().code(), ErrorCode::Corrupt);
    }

    // The program is killed in the middle of a take: what was said plays, at once and after it is put in order.
    void case_161_a_killed_recording_plays_and_is_recovered()
    {
        const fs::path take = file("killed/take.flac");
        platform::ChildOptions options;
        options.program = (QCoreApplication::applicationDirPath() + "/take_child").toStdString();
        options.arguments = {take.string()};
        options.standardOutput = platform::Stream::Pipe;
        auto child = platform::ChildProcess::start(options);
        QVERIFY2(child, child ? "" : child.error().message().c_str());
        const platform::FileDescriptor output = child->takeOutput();
        char said = 0; // it says one thing, when two seconds are recorded
        QCOMPARE(::read(output.get(), &said, 1), ssize_t(1));
        QCOMPARE(said, 'r');
        QVERIFY(recoverTakes(take.parent_path()).empty()); // somebody records it
        child->kill();
        QCOMPARE(child->wait().signal, SIGKILL);
        QVERIFY(!fs::exists(take));
        const fs::path part = media::FlacWriter::partOf(take);
        const AudioBlock partial = readTake(part); // as any player would
        QVERIFY2(partial.seconds() > 1.5, qPrintable(QString::number(partial.seconds())));

        const std::vector<fs::path> found = recoverTakes(take.parent_path());
        QCOMPARE(found, std::vector<fs::path>{take});
        QVERIFY(!fs::exists(part));
        const AudioBlock whole = readTake(take);
        QCOMPARE(whole.channels, 2);
        QCOMPARE(whole.sampleRate, 48000);
        QVERIFY2(whole.seconds() > 1.8, qPrintable(QString::number(whole.seconds()))); // of 2 s that were written
        const auto at = [&](std::int64_t i) { return static_cast<double>(whole.samples[static_cast<std::size_t>(2 * i)]); };
        for (std::int64_t i = 2; i < whole.frames(); ++i) // one sine from the first sample to the last
            QVERIFY(std::abs(at(i) - 2 * std::cos(.05) * at(i - 1) + at(i - 2)) < 1e-6);
        QVERIFY(readTakeFacts(take)->isRecovered);
        QCOMPARE(readTakeFacts(take)->frames, whole.frames());
        QVERIFY(recoverTakes(take.parent_path()).empty()); // once
    }

    void aRecoveredTakeTakesNobodysName()
    {
        const fs::path folder = file("names");
        auto writer = media::FlacWriter::create(folder / "a.flac", 16000, 1);
        QVERIFY(writer);
        const std::vector<float> sound(32000, .25f);
        QVERIFY(writer->write(sound.data(), 32000));
        *writer = std::move(*media::FlacWriter::create(folder / "b.flac", 16000, 1)); // abandoned; b has no sample
        std::ofstream(folder / "a.flac") << "another";
        {
            const auto gone = std::move(*writer);
        }
        const auto found = recoverTakes(folder);
        QCOMPARE(found, std::vector<fs::path>{folder / "a-2.flac"});
        QCOMPARE(fs::file_size(folder / "a.flac"), std::uintmax_t(7));
        QVERIFY(!fs::exists(folder / "a.flac.part"));
        QVERIFY(!fs::exists(folder / "b.flac.part"));
    }

    // Older versions recorded float WAV.
    void aWavPartIsRecovered()
    {
        fs::create_directories(file("old"));
        AudioBlock sound{44100, 1, std::vector<float>(44100, .125f)};
        QVERIFY(media::writeWav(file("old/take.wav"), sound, media::WavFormat::Float32));
        fs::rename(file("old/take.wav"), file("old/take.wav.part"));
        const auto found = recoverTakes(file("old"));
        QCOMPARE(found, std::vector<fs::path>{file("old/take.flac")});
        QVERIFY(readTake(found.front()).samples == sound.samples);
    }

    void noFolderHoldsNoTakes()
    {
        QVERIFY(recoverTakes(file("nowhere")).empty());
    }
};

LOQUOR_TEST(tst_take_file)
#include "tst_take_file.moc"
