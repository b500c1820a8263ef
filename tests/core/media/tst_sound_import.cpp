#include "core/media/sound_import.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <numbers>

#include "core/media/audio_convert.h"
#include "core/media/audio_writer.h"
#include "core/media/loudness.h"
#include "core/media/peak_limiter.h"
#include "core/media/sound_report.h"
#include "core/platform/hash.h"
#include "core/platform/memory.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::media;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr int kMono = 1;

fs::path mediaFile(const char* name)
{
    return fs::path(LOQUOR_DEPS_DIR).parent_path() / "media" / "test" / name;
}

// White, the same each time.
void addNoise(AudioBlock& block, float level)
{
    std::uint32_t state = 12345;
    for (float& sample : block.samples) {
        float sum = 0;
        for (int i = 0; i < 12; ++i) {
            state = state * 1664525 + 1013904223;
            sum += static_cast<float>(state >> 8) / 16777216.0f;
        }
        sample += level * (sum - 6);
    }
}

double powerOf(const AudioBlock& block, const AudioBlock* minus = nullptr)
{
    double sum = 0;
    for (std::size_t i = 0; i < block.samples.size(); ++i) {
        const double d = block.samples[i] - (minus != nullptr ? minus->samples[i] : 0.0f);
        sum += d * d;
    }
    return sum / static_cast<double>(block.samples.size());
}

// Samples by which b is late, from the peak of their correlation.
int lateBy(const AudioBlock& a, const AudioBlock& b, int most)
{
    int best = 0;
    double highest = 0;
    const auto length = static_cast<int>(std::min<std::int64_t>(a.frames(), 4LL * a.sampleRate));
    for (int shift = -most; shift <= most; ++shift) {
        double sum = 0;
        for (int i = most; i < length - most; ++i)
            sum += static_cast<double>(a.samples[static_cast<std::size_t>(i)]) * b.samples[static_cast<std::size_t>(i + shift)];
        if (sum > highest) {
            highest = sum;
            best = shift;
        }
    }
    return best;
}

AudioBlock read(const fs::path& file, const SoundImport& import = {}, int rate = 0, int channels = 0)
{
    const auto block = readAudio(file, import.reading(rate, channels));
    if (!block)
        qWarning("%s", block.error().text().c_str());
    return block.value_or(AudioBlock{});
}

} // namespace

class tst_sound_import : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path path(const std::string& name) const { return fs::path(m_dir.path().toStdString()) / name; }

    void expectRefusal(const fs::path& file, const SoundImport& import, const char* words)
    {
        const auto block = readAudio(file, import.reading(0, 1));
        QVERIFY2(!block, words);
        QCOMPARE(block.error().code(), ErrorCode::InvalidArgument);
        QVERIFY2(block.error().text().find(words) != std::string::npos, block.error().text().c_str());
    }

private Q_SLOTS:
    // To the sample, in every kind of samples, at the file's own rate.
    void case_098_a_part_is_the_same_samples_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("rate");
        QTest::addColumn<int>("channels");
        QTest::newRow("wav, mono") << "a.wav" << 48000 << 1;
        QTest::newRow("wav, stereo") << "b.wav" << 44100 << 2;
        QTest::newRow("flac, stereo") << "c.flac" << 22050 << 2;
        QTest::newRow("ogg, stereo") << "d.ogg" << 48000 << 2;
        QTest::newRow("mp3, mono") << "e.mp3" << 44100 << 1;
        QTest::newRow("mkv with aac") << "f.mkv" << 48000 << 2;
        QTest::newRow("8 kHz") << "g.wav" << 8000 << 1;
        QTest::newRow("192 kHz") << "h.wav" << 192000 << 2;
    }
    void case_098_a_part_is_the_same_samples()
    {
        QFETCH(QString, name);
        QFETCH(int, rate);
        QFETCH(int, channels);
        AudioBlock tone = test::sine(rate, channels, 3, 333, .4f);
        addNoise(tone, .02f);
        QVERIFY(writeWav(path("source.wav"), tone));
        const fs::path file = path(name.toStdString());
        if (file.extension() == ".wav")
            fs::copy_file(path("source.wav"), file);
        else
            QCOMPARE(test::runTool("ffmpeg", {"-i", path("source.wav").string(), file.string()}), std::string());
        const AudioBlock whole = read(file);
        SoundImport part;
        part.from = 510ms;
        part.to = 1730ms;
        const AudioBlock got = read(file, part);
        const std::int64_t first = std::llround(.51 * rate);
        QCOMPARE(got.frames(), std::int64_t{std::llround(1.22 * rate)});
        QVERIFY(std::equal(got.samples.begin(), got.samples.end(), whole.samples.begin() + first * channels));
        // At another rate and mono: as many as the length asks for.
        for (const int to : {16000, 48000, 22050})
            QCOMPARE(read(file, part, to, 1).frames(), mulDivCeil(got.frames(), to, rate));
        part.to = 0us;
        QCOMPARE(read(file, part).frames(), whole.frames() - first);
    }

    void case_098_steps_of_ten_milliseconds_count()
    {
        const AudioBlock tone = test::sine(44100, 1, 2);
        QVERIFY(writeWav(path("steps.wav"), tone));
        for (int step = 1; step <= 150; ++step) {
            SoundImport part;
            part.from = 10ms * step;
            part.to = part.from + 40ms * 3; // three frames at 25
            const AudioBlock got = read(path("steps.wav"), part);
            QCOMPARE(got.frames(), std::int64_t{5292});
            QCOMPARE(framesCovering(got.frames(), 44100, {25, 1}), FrameIndex{3});
        }
    }

    void what_lies_outside_is_not_heard_in_it()
    {
        AudioBlock loud = test::sine(44100, 1, 2, 440, .9f);
        AudioBlock quiet = loud;
        std::fill(quiet.samples.begin(), quiet.samples.begin() + 44100, 0.0f);
        QVERIFY(writeWav(path("loud.wav"), loud) && writeWav(path("quiet.wav"), quiet));
        SoundImport part;
        part.from = 1s;
        QVERIFY(read(path("loud.wav"), part, 16000, 1).samples == read(path("quiet.wav"), part, 16000, 1).samples);
    }

    void case_098_out_of_range_says_the_length()
    {
        QVERIFY(writeWav(path("short.wav"), test::sine(16000, 1, 11)));
        SoundImport part;
        part.from = 20s;
        expectRefusal(path("short.wav"), part, "lasts 11.000 s: it has no part that begins at 20.000 s");
        part = {};
        part.to = 12500ms;
        expectRefusal(path("short.wav"), part, "lasts 11.000 s: it has no part that ends at 12.500 s");
        part.from = 5s;
        part.to = 3s;
        expectRefusal(path("short.wav"), part, "from 5.000 s to 3.000 s has no length");
        part = {};
        part.from = 11s;
        expectRefusal(path("short.wav"), part, "begins at 11.000 s");
        part.from = 0us;
        part.to = 11005ms; // rounded by whoever typed it
        QCOMPARE(read(path("short.wav"), part).frames(), std::int64_t{176000});
    }

    void a_stream_is_chosen_by_number_and_wrong_ones_are_told_which_there_are()
    {
        QVERIFY(writeWav(path("low.wav"), test::sine(48000, 1, 1, 300)) && writeWav(path("high.wav"), test::sine(48000, 2, 2, 3000)));
        QCOMPARE(test::runTool("ffmpeg", {"-f", "lavfi", "-i", "color=black:s=64x64:d=1", "-i", path("low.wav").string(), "-i",
                                          path("high.wav").string(), "-map", "0", "-map", "1", "-map", "2", "-c:a", "flac",
                                          "-metadata:s:a:1", "language=deu", path("two.mkv").string()}),
                 std::string());
        SoundImport import;
        const AudioBlock first = read(path("two.mkv"), import);
        QCOMPARE(first.channels, 1);
        import.stream = 1;
        QVERIFY(read(path("two.mkv"), import).samples == first.samples);
        import.stream = 2;
        const AudioBlock second = read(path("two.mkv"), import);
        QCOMPARE(second.channels, 2);
        QCOMPARE(second.frames(), std::int64_t{96000});
        import.stream = 3;
        expectRefusal(path("two.mkv"), import,
                      "There is no sound stream 3 in '");
        expectRefusal(path("two.mkv"), import, "which has 2 (1: flac, mono, 48000 Hz; 2: flac, stereo, 48000 Hz, deu)");
        import.stream = 2;
        expectRefusal(path("low.wav"), import, "which has one (1: pcm_s16le");
        import.stream = 0;
        const auto reader = AudioReader::open(path("two.mkv"));
        QVERIFY(reader);
        QCOMPARE(reader->info().streams[1].number, 2);
        QCOMPARE(reader->info().streams[1].index, 2);
    }

    void the_limiter_is_the_same_in_pieces()
    {
        for (const int channels : {1, 2}) {
            AudioBlock block = test::sine(22050, channels, 3, 250, .3f);
            addNoise(block, .25f);
            for (std::size_t i = 20000; i < 20400; ++i)
                block.samples[i] *= 4;
            AudioBlock whole = block;
            limitPeaks(whole, -1);
            QVERIFY(whole.samples != block.samples);
            QVERIFY(measureLoudness(whole).truePeakDb < -.5); // white noise goes up to where the curve is less exact
            for (const SampleIndex size : {SampleIndex{1}, SampleIndex{7}, SampleIndex{500}, SampleIndex{4096}}) {
                PeakLimiter limiter(22050, channels, -1);
                std::vector<float> out;
                for (SampleIndex at = 0; at < block.frames(); at += size)
                    limiter.push(block.samples.data() + at * channels, std::min(size, block.frames() - at), out);
                limiter.finish(out);
                QVERIFY(out == whole.samples);
            }
        }
    }

    void loudness_is_matched_and_the_source_is_untouched_data()
    {
        QTest::addColumn<float>("level");
        QTest::addColumn<int>("channels");
        QTest::newRow("quiet") << .05f << 1;
        QTest::newRow("loud") << 3.f << 1;
        QTest::newRow("stereo") << .2f << 2;
    }
    void loudness_is_matched_and_the_source_is_untouched()
    {
        QFETCH(float, level);
        QFETCH(int, channels);
        AudioBlock speech = converted(read(mediaFile("jfk.wav")), 44100, channels).value_or(AudioBlock{});
        for (float& sample : speech.samples)
            sample *= level;
        QVERIFY(writeWav(path("speech.wav"), speech, WavFormat::Float32));
        const auto before = platform::sha256File(path("speech.wav"));
        SoundImport import;
        import.loudness = true;
        const fs::path copy = path(std::string("copy-") + QTest::currentDataTag() + ".flac");
        const auto written = writeProcessed(path("speech.wav"), import, copy, {});
        QVERIFY2(written, written ? "" : written.error().text().c_str());
        QCOMPARE(*platform::sha256File(path("speech.wav")), *before);
        const AudioBlock loud = read(copy);
        QCOMPARE(loud.frames(), speech.frames());
        QCOMPARE(loud.sampleRate, 44100);
        QCOMPARE(loud.channels, channels);
        const Loudness now = measureLoudness(loud);
        QVERIFY2(std::abs(now.integratedLufs + 16) < .6, qPrintable(QString::number(now.integratedLufs)));
        QVERIFY2(now.truePeakDb < -.9, qPrintable(QString::number(now.truePeakDb)));
        QVERIFY(std::abs(lateBy(converted(speech, 16000, kMono).value_or(AudioBlock{}), converted(loud, 16000, kMono).value_or(AudioBlock{}), 40)) == 0);
    }

    // Noise goes, speech stays where it was, at every rate that recordings come in.
    void noise_is_taken_out_in_place_data()
    {
        QTest::addColumn<int>("rate");
        QTest::addColumn<int>("channels");
        for (const int rate : {8000, 16000, 22050, 44100, 48000, 96000, 192000})
            QTest::newRow(qPrintable(QString::number(rate))) << rate << 1;
        QTest::newRow("5.1 becomes stereo") << 48000 << 6;
    }
    void noise_is_taken_out_in_place()
    {
        QFETCH(int, rate);
        QFETCH(int, channels);
        const AudioBlock clean = converted(read(mediaFile("jfk.wav")), rate, channels).value_or(AudioBlock{});
        AudioBlock noisy = clean;
        addNoise(noisy, .006f);
        QVERIFY(writeWav(path("noisy.wav"), noisy));
        SoundImport import;
        import.denoise = true;
        const fs::path copy = path(std::string("clean-") + QTest::currentDataTag() + ".flac");
        const auto written = writeProcessed(path("noisy.wav"), import, copy, {});
        QVERIFY2(written, written ? "" : written.error().text().c_str());
        AudioBlock out = read(copy);
        QCOMPARE(out.frames(), noisy.frames());
        QCOMPARE(out.channels, std::min(channels, 2));
        out = converted(out, rate, kMono).value_or(AudioBlock{});
        const AudioBlock was = converted(noisy, rate, kMono).value_or(AudioBlock{});
        const AudioBlock wanted = converted(clean, rate, kMono).value_or(AudioBlock{});
        const AudioBlock low = converted(wanted, 8000, kMono).value_or(AudioBlock{});
        QCOMPARE(lateBy(low, converted(out, 8000, kMono).value_or(AudioBlock{}), 100), 0);
        // The first third of a second of the recording is without speech.
        const auto pause = static_cast<std::int64_t>(.3 * rate);
        const double less = 20 * std::log10(test::rms(was, pause / 3, pause) / test::rms(out, pause / 3, pause));
        const double speechDb = 10 * std::log10(powerOf(out) / powerOf(wanted));
        const double before = 10 * std::log10(powerOf(wanted) / powerOf(was, &wanted));
        const double after = 10 * std::log10(powerOf(wanted) / powerOf(out, &wanted));
        const QString told = QString("%1 dB less noise, speech %2 dB, SNR %3 -> %4 dB").arg(less).arg(speechDb).arg(before).arg(after);
        qInfo("%s", qPrintable(told));
        QVERIFY2(less > 5, qPrintable(told));
        QVERIFY2(std::abs(speechDb) < 1.5, qPrintable(told));
    }

    // Nothing is known of the noise then, and speech must not be taken for it.
    void where_nobody_pauses_nothing_is_taken_out()
    {
        AudioBlock pauses = test::sine(22050, 1, 3, 330, .3f); // in exact silence
        std::fill(pauses.samples.begin() + 22050, pauses.samples.begin() + 44100, 0.0f);
        const std::pair<const char*, AudioBlock> sounds[] = {
            {"tone", test::sine(22050, 1, 3, 330, .3f)}, {"gate", pauses}, {"moment", test::sine(22050, 1, .05, 330, .3f)}};
        SoundImport import;
        import.denoise = true;
        for (const auto& [name, sound] : sounds) {
            const fs::path file = path(std::string(name) + ".wav"), copy = path(std::string(name) + ".flac");
            QVERIFY(writeWav(file, sound));
            QVERIFY(writeProcessed(file, import, copy, {}));
            QVERIFY2(read(file).samples == read(copy).samples, name);
        }
    }

    void both_of_a_part_of_a_stream()
    {
        const AudioBlock speech = converted(read(mediaFile("jfk.wav")), 48000, 2).value_or(AudioBlock{});
        QVERIFY(writeWav(path("both.wav"), speech));
        SoundImport import;
        import.from = 3s;
        import.to = 8500ms;
        import.loudness = import.denoise = true;
        double last = 0;
        const auto written = writeProcessed(path("both.wav"), import, path("both.flac"), {}, [&](double done) {
            QVERIFY(done >= last && done <= 1);
            last = done;
        });
        QVERIFY(written);
        QVERIFY(last > .9);
        const AudioBlock out = read(path("both.flac"));
        QCOMPARE(out.frames(), std::int64_t{264000});
        QVERIFY(std::abs(measureLoudness(out).integratedLufs + 16) < .6);
        QVERIFY(importKey(import) != importKey({}) && importKey({}).empty());
    }

    void nothing_is_left_when_it_ends_early()
    {
        QVERIFY(writeWav(path("long.wav"), test::sine(8000, 1, 600)));
        SoundImport import;
        import.loudness = true;
        CancelSource cancel;
        const auto stopped = writeProcessed(path("long.wav"), import, path("stopped.flac"), cancel.token(), [&](double done) {
            if (done > .7)
                cancel.cancel();
        });
        QVERIFY(!stopped && stopped.error().isCancelled());
        import.to = 700s;
        QCOMPARE(writeProcessed(path("long.wav"), import, path("stopped.flac"), {}).error().code(), ErrorCode::InvalidArgument);
        QVERIFY(!fs::exists(path("stopped.flac")) && !fs::exists(path("stopped.flac.part")));
    }

    // Three hours, all that can be done, in the memory of minutes.
    void three_hours_need_no_more_memory()
    {
        const int rate = 8000;
        {
            auto writer = WavWriter::create(path("hours.wav"), rate, 1, WavFormat::Int16, platform::IfExists::Replace);
            QVERIFY(writer);
            AudioBlock minute = test::sine(rate, 1, 60, 200, .1f);
            addNoise(minute, .002f);
            for (int i = 0; i < 180; ++i)
                QVERIFY(writer->write(minute.samples.data(), minute.frames()));
            QVERIFY(writer->finish());
        }
        const auto peak = [] { return platform::memoryUse().peakRssBytes; };
        const auto before = peak();
        SoundImport import;
        import.from = 1min;
        import.to = 179min;
        import.loudness = import.denoise = true;
        const auto written = writeProcessed(path("hours.wav"), import, path("hours.flac"), {});
        QVERIFY2(written, written ? "" : written.error().text().c_str());
        const auto grown = (peak() - before) >> 20;
        QVERIFY2(grown < 40, qPrintable(QString("%1 MB").arg(grown)));
        const auto length = measureLength(path("hours.flac"));
        QVERIFY(length);
        QCOMPARE(length->frames, SampleIndex{178 * 60 * rate});
    }

    // The last packet is not whole: what is there is used, to the same end each time.
    void a_recording_that_was_cut_off_is_used_as_far_as_it_goes_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"t.wav", "t.flac", "t.mp3", "t.ogg", "t.aac", "t.mkv"})
            QTest::newRow(name) << name;
    }
    void a_recording_that_was_cut_off_is_used_as_far_as_it_goes()
    {
        QFETCH(QString, name);
        QVERIFY(writeWav(path("whole.wav"), converted(read(mediaFile("jfk.wav")), 44100, 1).value_or(AudioBlock{})));
        const fs::path file = path(name.toStdString());
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("whole.wav").string(), file.string()}), std::string());
        const SampleIndex all = measureLength(file)->frames;
        fs::resize_file(file, fs::file_size(file) * 3 / 5 + 11);
        const auto length = measureLength(file);
        QVERIFY2(length, length ? "" : length.error().text().c_str());
        QVERIFY2(length->frames > all * 2 / 5 && length->frames < all * 4 / 5, qPrintable(QString::number(length->frames)));
        SoundImport import;
        import.denoise = import.loudness = true;
        const fs::path copy = path(name.toStdString() + ".copy.flac");
        QVERIFY(writeProcessed(file, import, copy, {}));
        QCOMPARE(measureLength(copy)->frames, length->frames);
        import = {};
        import.to = 10s;
        expectRefusal(file, import, "it has no part that ends at 10.000 s");
    }
};

LOQUOR_TEST(tst_sound_import)
#include "tst_sound_import.moc"
