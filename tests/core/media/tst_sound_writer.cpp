#include "core/media/sound_writer.h"

#include <QTemporaryDir>

#include <cmath>

#include "core/media/audio_reader.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::media;
namespace fs = std::filesystem;

class tst_sound_writer : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path path(const std::string& name) const { return fs::path(m_dir.path().toStdString()) / name; }

    // In pieces of all sizes.
    void write(const fs::path& file, const AudioBlock& block)
    {
        auto writer = SoundWriter::create(file, block.sampleRate, block.channels, platform::IfExists::Refuse);
        QVERIFY2(writer, writer ? "" : writer.error().text().c_str());
        SampleIndex at = 0;
        for (SampleIndex size = 1; at < block.frames(); size = size * 3 + 1) {
            const SampleIndex count = std::min(size % 40'000, block.frames() - at);
            QVERIFY(writer->write(block.samples.data() + at * block.channels, count));
            at += count;
        }
        QVERIFY(!fs::exists(file));
        const auto done = writer->finish();
        QVERIFY2(done, done ? "" : done.error().text().c_str());
    }
    static AudioBlock read(const fs::path& file)
    {
        AudioReadOptions options;
        options.channels = 0;
        return readAudio(file, options).value_or(AudioBlock{});
    }

private Q_SLOTS:
    void what_is_read_back_is_what_was_written_data()
    {
        QTest::addColumn<QString>("ending");
        QTest::addColumn<int>("rate");
        QTest::addColumn<int>("channels");
        for (const char* ending : {".wav", ".flac", ".mp3", ".MP3"}) {
            for (const int rate : {8000, 16000, 22050, 24000, 44100, 48000})
                QTest::newRow(qPrintable(QString("%1 %2").arg(ending).arg(rate))) << ending << rate << 1;
            QTest::newRow(qPrintable(QString("%1 stereo").arg(ending))) << ending << 48000 << 2;
        }
    }
    void what_is_read_back_is_what_was_written()
    {
        QFETCH(QString, ending);
        QFETCH(int, rate);
        QFETCH(int, channels);
        const AudioBlock tone = test::sine(rate, channels, 2.345, 440, .5f);
        const fs::path file = path("tone" + std::to_string(rate) + std::to_string(channels) + ending.toStdString());
        write(file, tone);
        const AudioBlock back = read(file);
        QCOMPARE(back.sampleRate, rate);
        QCOMPARE(back.channels, channels);
        QCOMPARE(back.frames(), tone.frames());
        const bool isExact = ending.toLower() != ".mp3";
        double worst = 0, power = 0;
        for (std::size_t i = 0; i < back.samples.size(); ++i) {
            const double d = std::abs(back.samples[i] - tone.samples[i]);
            worst = std::max(worst, d);
            power += d * d;
        }
        power = std::sqrt(power / static_cast<double>(back.samples.size()));
        QVERIFY2(isExact ? worst < 2e-5 : power < .02, qPrintable(QString("%1 %2").arg(worst).arg(power)));
    }

    void flac_holds_the_samples_of_wav()
    {
        const AudioBlock loud = test::sine(22050, 1, 1, 440, 1.2f); // held to full scale in both
        write(path("a.wav"), loud);
        write(path("a.flac"), loud);
        QVERIFY(read(path("a.wav")).samples == read(path("a.flac")).samples);
    }

    void a_rate_that_mp3_does_not_know_is_converted()
    {
        const AudioBlock tone = test::sine(20000, 1, 1);
        write(path("odd.mp3"), tone);
        QCOMPARE(read(path("odd.mp3")).sampleRate, 48000);
        QCOMPARE(read(path("odd.mp3")).frames(), std::int64_t{48000});
    }

    void other_names_are_refused_with_the_choices()
    {
        for (const char* name : {"a.ogg", "a", "a.wav.txt", ".mp3"}) {
            const auto writer = SoundWriter::create(path(name), 22050, 1, platform::IfExists::Refuse);
            QVERIFY(!writer);
            QCOMPARE(writer.error().code(), ErrorCode::InvalidArgument);
            QVERIFY2(writer.error().text().find(".wav, .flac or .mp3") != std::string::npos, writer.error().text().c_str());
        }
        QVERIFY(!soundFormatOf("a.opus"));
    }

    void nothing_is_left_without_finish_and_nothing_is_replaced()
    {
        for (const char* name : {"b.wav", "b.flac", "b.mp3"}) {
            {
                auto writer = SoundWriter::create(path(name), 22050, 1, platform::IfExists::Refuse);
                QVERIFY(writer);
                const AudioBlock tone = test::sine(22050, 1, 1);
                QVERIFY(writer->write(tone.samples.data(), tone.frames()));
            }
            QVERIFY(!fs::exists(path(name)));
            write(path(name), test::sine(22050, 1, .5));
            QCOMPARE(SoundWriter::create(path(name), 22050, 1, platform::IfExists::Refuse).error().code(), ErrorCode::AlreadyExists);
        }
    }
};

LOQUOR_TEST(tst_sound_writer)
#include "tst_sound_writer.moc"
