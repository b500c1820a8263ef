#include "core/base/trace.h"
#include "core/media/audio_convert.h"
#include "core/speech/denoise.h"
#include "core/speech/speech_commands.h"
#include "tests/core/speech/align_support.h"
#include "tests/support/test_main.h"

#include <random>

using namespace loquor;
using namespace loquor::speech;
using namespace loquor::speechtest;
using test::kKennedy;
using test::kTwoCities;

// Recordings that are aligned while they are read, and noise.
class tst_align_stream : public QObject
{
    Q_OBJECT
    std::shared_ptr<PhonemeClient> m_client;
    std::unique_ptr<Aligner> m_aligner;
    AudioBlock m_kennedy;

private Q_SLOTS:
    void initTestCase()
    {
        m_client = speechtest::makeClient();
        m_aligner = std::make_unique<Aligner>(acousticModelFolder(speechtest::dataFolder()), m_client);
        m_kennedy = readRecording("jfk.wav");
        QCOMPARE(m_kennedy.sampleRate, 16000);
    }

    // Fed as a reader would feed it: the first words after a few seconds, all of them where the whole finds them.
    void aStreamFindsTheSameAsTheWhole()
    {
        std::string text = kKennedy;
        for (int i = 1; i < 6; ++i)
            text += std::string("\n\n") + kKennedy;
        const AudioBlock audio = repeated(m_kennedy, 6);
        auto stream = m_aligner->stream(text, {});
        QVERIFY2(stream.has_value() && *stream, stream ? "no stream" : stream.error().text().c_str());
        Timing all;
        double end = 0, heardBeforeFirst = 0;
        std::size_t fed = 0;
        while (!(*stream)->isOver()) {
            for (; (*stream)->wantsSound() && fed < audio.samples.size(); fed += 8000) {
                const auto from = audio.samples.begin() + static_cast<std::ptrdiff_t>(fed);
                const auto count = std::min<std::size_t>(8000, audio.samples.size() - fed);
                (*stream)->add({from, from + static_cast<std::ptrdiff_t>(count)});
            }
            const auto stretch = (*stream)->next(fed >= audio.samples.size(), {});
            QVERIFY2(stretch.has_value(), stretch ? "" : stretch.error().text().c_str());
            QVERIFY(stretch->end > end);
            end = stretch->end;
            if (all.words.empty() && !stretch->timing.words.empty())
                heardBeforeFirst = static_cast<double>(fed) / 16000;
            all.words.insert(all.words.end(), stretch->timing.words.begin(), stretch->timing.words.end());
            all.phonemes.insert(all.phonemes.end(), stretch->timing.phonemes.begin(), stretch->timing.phonemes.end());
        }
        QVERIFY2(heardBeforeFirst > 0 && heardBeforeFirst < 13, qPrintable(QString::number(heardBeforeFirst)));
        QVERIFY((*stream)->takeWarnings().empty());
        all.durationSeconds = audio.seconds();
        QCOMPARE(QString::fromStdString(speechtest::brokenRule(all)), QString());
        const auto once = m_aligner->align(m_kennedy, kKennedy, {});
        QCOMPARE(all.words.size(), 6 * once->timing.words.size());
        for (std::size_t i = 0; i < all.words.size(); ++i) {
            const Word& w = once->timing.words[i % once->timing.words.size()];
            const double wanted = w.start + 11.0 * static_cast<double>(i / once->timing.words.size());
            QVERIFY2(std::abs(all.words[i].start - wanted) < 0.1, all.words[i].text.c_str());
        }
    }

    void aStreamGivesUpOnSoundWithoutItsText()
    {
        auto stream = m_aligner->stream(kKennedy, inLanguage("en"));
        QVERIFY(stream.has_value() && *stream);
        std::mt19937 random(1);
        std::uniform_real_distribution<float> value(-.05f, .05f);
        std::vector<float> noise(16000 * 200);
        for (float& sample : noise)
            sample = value(random);
        (*stream)->add(noise);
        int calls = 0;
        while (!(*stream)->isOver() && ++calls < 20)
            QVERIFY((*stream)->next(true, {}).has_value());
        QVERIFY2(calls <= 12, qPrintable(QString::number(calls)));
        QCOMPARE((*stream)->takeWarnings().size(), std::size_t(1));
    }

    // White noise as loud as the speech: the acoustic model finds some of the words, is sure of them and loses its place.
    void aVeryNoisyStreamIsComparedAndKeepsItsPlace()
    {
        constexpr int kTimes = 4;
        const auto once = m_aligner->align(m_kennedy, kKennedy, {});
        QVERIFY(once);
        std::string text;
        Timing expected;
        for (int i = 0; i < kTimes; ++i) {
            appendTiming(expected, once->timing, m_kennedy.seconds() * i, static_cast<std::int32_t>(text.size()));
            text += std::string(kKennedy) + "\n\n";
        }
        Aligner aligner(acousticModelFolder(speechtest::dataFolder()), m_client, denoiserModelFile(speechtest::dataFolder()));
        auto stream = aligner.stream(text, inLanguage("en"));
        QVERIFY(stream && *stream);
        std::size_t held = 0;
        const Timing found = streamed(**stream, speechtest::withNoise(repeated(m_kennedy, kTimes), 0), held);
        const auto errors = startErrors(found, expected);
        QVERIFY(!errors.empty());
        qInfo("%zu of %zu words, median %.3f s, 90 %% %.3f s, worst %.3f s", errors.size(), expected.words.size(), errors[errors.size() / 2],
              errors[errors.size() * 9 / 10], errors.back());
        QVERIFY(errors.size() + 4 >= expected.words.size());
        QVERIFY(errors[errors.size() / 2] <= 0.05);
        QVERIFY(errors[errors.size() * 9 / 10] <= 0.2);
        const auto warnings = (*stream)->takeWarnings();
        QVERIFY(std::any_of(warnings.begin(), warnings.end(), [](const std::string& w) { return w.find("very noisy") != std::string::npos; }));
    }

    // Minutes of Spanish in windows, each line at another pace and pitch, with pauses of all lengths; the times are known.
    // A line that is written and not said is left behind by the next window.
    void aStreamOfAnotherLanguageStaysWithItsText()
    {
        const std::vector<std::string> lines{"Buenos días a todos, y gracias por venir tan temprano.", "Hoy el niño come tres manzanas, y mañana vamos a la playa.",
                                             "En el pueblo hay una fuente que nadie ha visto nunca seca.", "Mi abuela contaba historias de barcos y de tormentas.",
                                             "El tren llegó tarde, pero nadie se quejó por eso.", "Cada semana compramos pan, queso y unas flores amarillas.",
                                             "Después de la lluvia el campo huele a tierra y a romero."};
        constexpr int kLines = 60, kMissing = 31;
        AudioBlock audio{22050, 1, std::vector<float>(22050 / 2)};
        Timing expected;
        std::string text;
        for (int i = 0; i < kLines; ++i) {
            const std::string line = lines[static_cast<std::size_t>(i * 5 + i / 7) % lines.size()];
            const auto at = static_cast<std::int32_t>(text.size());
            text += line + (i % 9 == 8 ? "\n\n" : " ");
            if (i == kMissing)
                continue;
            SayOptions say;
            say.voice = "espeak-es";
            say.speech.speed = 0.75 + 0.07 * (i % 5);
            say.speech.pitch = i % 3 - 1;
            const double start = audio.seconds();
            const auto said = sayScript(line, say, speechtest::dataFolder(), m_client, [&](const AudioBlock& piece) -> Result<void> {
                audio.samples.insert(audio.samples.end(), piece.samples.begin(), piece.samples.end());
                return {};
            });
            QVERIFY(said);
            appendTiming(expected, said->document.timing, start, at);
            audio.samples.resize(audio.samples.size() + static_cast<std::size_t>(22050 * (0.15 + 0.2 * (i % 4))), 0.0f);
        }
        const AudioBlock sound = media::converted(audio, 16000).value();
        auto stream = m_aligner->stream(text, inLanguage("es"));
        QVERIFY(stream && *stream);
        std::size_t held = 0;
        const Timing found = streamed(**stream, sound, held);
        QVERIFY2(held < 62 * 16000, qPrintable(QString::number(held)));
        QVERIFY2((*stream)->takeWarnings().empty(), "warned");
        const auto errors = startErrors(found, expected);
        qInfo("%.0f s: %zu of %zu words, median %.3f s, 90 %% %.3f s, worst %.3f s", sound.seconds(), errors.size(), expected.words.size(),
              errors[errors.size() / 2], errors[errors.size() * 9 / 10], errors.back());
        QVERIFY(errors.size() >= expected.words.size() - 2);
        QVERIFY(errors[errors.size() / 2] <= 0.04);
        QVERIFY(errors[errors.size() * 9 / 10] <= 0.12);
        // Nothing adds up: the last minute is as good as the first.
        std::map<int, double> starts;
        for (const Word& word : expected.words)
            starts[word.textBegin] = word.start;
        std::vector<double> late;
        for (std::size_t i = found.words.size() * 3 / 4; i < found.words.size(); ++i) {
            if (starts.contains(found.words[i].textBegin))
                late.push_back(std::abs(found.words[i].start - starts[found.words[i].textBegin]));
        }
        std::sort(late.begin(), late.end());
        QVERIFY2(late[late.size() * 9 / 10] <= 0.12, qPrintable(QString::number(late[late.size() * 9 / 10])));
    }

    // Natural speech by comparison: in windows as well as at once.
    void aStreamByComparisonIsNearTheAcousticOne()
    {
        AudioBlock audio = media::converted(readRecording("two_cities.wav"), 16000).value();
        const auto length = audio.samples.size();
        std::string text = kTwoCities;
        text += std::string("\n\n") + kTwoCities;
        audio = repeated(audio, 2);
        const auto exact = m_aligner->align(audio, text, {});
        AlignOptions reference;
        reference.method = AlignMethod::Reference;
        const auto whole = m_aligner->align(audio, text, reference);
        QVERIFY(exact && whole);
        auto stream = m_aligner->stream(text, reference);
        QVERIFY(stream && *stream);
        std::size_t held = 0;
        const double before = threadCpuSeconds();
        const Timing found = streamed(**stream, audio, held);
        const double cpu = threadCpuSeconds() - before;
        const auto errors = startErrors(found, exact->timing), atOnce = startErrors(whole->timing, exact->timing);
        qInfo("%.0f s in %.1f s: median %.3f s, 90 %% %.3f s, worst %.3f s; at once: %.3f s, %.3f s, %.3f s", static_cast<double>(length * 2) / 16000,
              cpu, errors[errors.size() / 2], errors[errors.size() * 9 / 10], errors.back(), atOnce[atOnce.size() / 2],
              atOnce[atOnce.size() * 9 / 10], atOnce.back());
        QVERIFY(errors.size() + 1 >= atOnce.size());
        QVERIFY(errors[errors.size() / 2] <= 0.04);
        QVERIFY(errors[errors.size() * 9 / 10] <= 0.12);
    }

    // White noise 5 dB below the speech: the decoder finds nothing in it.
    void noisyRecordingIsAlignedWithoutItsNoise()
    {
        const AudioBlock noisy = withNoise(m_kennedy, 5);
        const auto clean = m_aligner->align(m_kennedy, kKennedy, {});
        QVERIFY(clean);
        AlignOptions acoustic;
        acoustic.method = AlignMethod::Acoustic;
        const auto bare = m_aligner->align(noisy, kKennedy, acoustic);
        Aligner aligner(acousticModelFolder(speechtest::dataFolder()), m_client, denoiserModelFile(speechtest::dataFolder()));
        const auto found = aligner.align(noisy, kKennedy, {});
        QVERIFY2(found, found ? "" : found.error().text().c_str());
        QCOMPARE(found->method, AlignMethod::Acoustic);
        QVERIFY(!found->warnings.empty());
        QVERIFY(found->warnings.front().find("noisy") != std::string::npos);
        QCOMPARE(found->timing.words.size(), clean->timing.words.size());
        std::vector<double> errors;
        for (std::size_t i = 0; i < clean->timing.words.size(); ++i)
            errors.push_back(std::abs(found->timing.words[i].start - clean->timing.words[i].start));
        std::sort(errors.begin(), errors.end());
        qInfo("without noise suppression: %s; with it: median %.3f s, worst %.3f s",
              bare ? "found" : bare.error().message().c_str(), errors[errors.size() / 2], errors.back());
        QVERIFY(errors[errors.size() / 2] < .1);

        // Bit by bit too, over several windows, and only the window at work is held.
        std::string text = kKennedy;
        for (int i = 1; i < 6; ++i)
            text += std::string("\n\n") + kKennedy;
        auto stream = aligner.stream(text, {});
        QVERIFY(stream && *stream);
        std::size_t held = 0;
        const Timing all = streamed(**stream, withNoise(repeated(m_kennedy, 6), 5), held);
        QVERIFY(held < 42 * 16000);
        QCOMPARE(all.words.size(), 6 * clean->timing.words.size());
        for (std::size_t i = 0; i < all.words.size(); ++i) {
            const Word& word = clean->timing.words[i % clean->timing.words.size()];
            const double wanted = word.start + 11.0 * static_cast<double>(i / clean->timing.words.size());
            QVERIFY2(std::abs(all.words[i].start - wanted) < .15, qPrintable(QString("%1 at %2").arg(QString::fromStdString(word.text)).arg(wanted)));
        }
        const auto warnings = (*stream)->takeWarnings();
        QCOMPARE(warnings.size(), std::size_t(1));
        QVERIFY(warnings[0].find("noisy") != std::string::npos);
    }

    void theNoiseSuppressorKeepsLengthAndSpeech()
    {
        Denoiser denoiser(denoiserModelFile(speechtest::dataFolder()));
        AudioBlock sound = repeated(m_kennedy, 4); // longer than a piece
        sound.samples.resize(sound.samples.size() - 77);
        const auto quiet = denoiser.run(sound);
        QVERIFY(quiet);
        QCOMPARE(quiet->samples.size(), sound.samples.size());
        double product = 0, a = 0, b = 0;
        for (std::size_t i = 0; i < sound.samples.size(); ++i) {
            product += static_cast<double>(sound.samples[i] * quiet->samples[i]);
            a += static_cast<double>(sound.samples[i] * sound.samples[i]);
            b += static_cast<double>(quiet->samples[i] * quiet->samples[i]);
        }
        QVERIFY2(product / std::sqrt(a * b) > .95, qPrintable(QString::number(product / std::sqrt(a * b))));
        QCOMPARE(Denoiser("no/such.onnx").run(sound).error().code(), ErrorCode::NotFound);
        sound.sampleRate = 48000;
        QCOMPARE(denoiser.run(sound).error().code(), ErrorCode::InvalidArgument);
    }
};

LOQUOR_TEST(tst_align_stream)
#include "tst_align_stream.moc"
