#include <algorithm>
#include <cmath>
#include <filesystem>

#include <QTemporaryDir>

#include "core/media/audio_reader.h"
#include "core/media/audio_writer.h"
#include "core/portrait/motion_solver.h"
#include "core/session/recording_source.h"
#include "core/session/text_source.h"
#include "core/speech/speech_commands.h"
#include "core/speech/transcribe.h"
#include "tests/support/readings.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;

namespace {

const std::filesystem::path kData = std::filesystem::path(LOQUOR_DEPS_DIR).parent_path();
const char* const kSpanish = "Buenos días a todos. Hoy el niño come tres manzanas, y mañana vamos a la playa.";

// What a run hears, as the solver gets it.
struct Heard
{
    std::vector<speech::Phoneme> phonemes;
    std::vector<speech::Word> words;
    speech::TimingSource source = speech::TimingSource::None;
    AudioBlock audio{0, 1, {}};
    bool audioOnly = false;
};

Result<Heard> heardFrom(SpeechSource& source)
{
    Heard out;
    LQ_TRY(const SpeechFacts facts, source.open({}));
    out.audioOnly = facts.audioOnly;
    out.audio.sampleRate = facts.sampleRate;
    for (;;) {
        LQ_TRY(const std::optional<SpokenLine> line, source.next({}));
        if (!line)
            return out;
        const int channels = line->audio.channels;
        for (std::size_t i = 0; i < line->audio.samples.size(); i += static_cast<std::size_t>(channels))
            out.audio.samples.push_back(line->audio.samples[i]);
        out.source = line->timing.source;
        out.phonemes.insert(out.phonemes.end(), line->timing.phonemes.begin(), line->timing.phonemes.end());
        out.words.insert(out.words.end(), line->timing.words.begin(), line->timing.words.end());
    }
}

// What a pack hears in the recording. Without one, what it could hear: no capitals, marks or titles to go by.
speech::Transcript heardByPack()
{
    if (speech::packFor("en", kData)) {
        const auto sound = media::readAudio(kData / "media" / "test" / "jfk.wav", {16000, 1});
        speech::TranscribeOptions how;
        how.language = "en";
        if (const auto heard = sound ? speech::transcribe(*sound, how, kData, {}) : Result<speech::Transcript>(fail(sound.error())); heard) {
            qInfo("%s hears: %s", heard->pack.c_str(), heard->text().c_str());
            return *heard;
        } else {
            qFatal("the pack that is installed hears nothing: %s", heard.error().text().c_str());
        }
    }
    qInfo("there is no pack: a transcript as one writes it is used");
    return {"en", "whisper-tiny-en", {{0, 4.5, "and so my fellow americans ask not"}, {5.3, 10.6, "what your country can do for you ask what you can do for your country"}}, {}};
}

// How far the mouth opens in each frame.
std::vector<float> openings(const Heard& heard, bool withSounds)
{
    portrait::SpeechWindow window;
    for (const speech::Phoneme& p : heard.phonemes) {
        if (withSounds)
            window.sounds.push_back({p.symbol, p.start, p.end, p.confidence, p.stressed});
    }
    window.audio = heard.audio;
    window.isLast = true;
    portrait::MotionSolver solver(1, {25, 1}, {});
    std::vector<float> out;
    for (const portrait::Motion& motion : solver.solve(window, 0, static_cast<int>(heard.audio.seconds() * 25)))
        out.push_back(motion[portrait::Param::Jaw] * (1 - motion[portrait::Param::Close]));
    return out;
}

} // namespace

// Whatever is known of the times of the words reaches the mouth as sounds with times and confidence; where nothing is
// known the sound alone moves it.
class tst_words_to_mouth : public QObject
{
    Q_OBJECT
    std::shared_ptr<VoiceShelf> m_voices = std::make_shared<VoiceShelf>(kData, std::filesystem::path(LOQUOR_BIN_DIR) / "loquor-phonemes");
    QTemporaryDir m_folder;
    std::filesystem::path m_spanish;

private Q_SLOTS:
    // A recording whose words are where espeak-ng said them.
    void initTestCase()
    {
        speech::SayOptions say;
        say.voice = "espeak-es";
        say.speech.speed = 0.85;
        AudioBlock audio{22050, 1, {}};
        const auto said = speech::sayScript(kSpanish, say, kData, m_voices->phonemes(), [&](const AudioBlock& piece) -> Result<void> {
            audio.samples.insert(audio.samples.end(), piece.samples.begin(), piece.samples.end());
            return {};
        });
        QVERIFY2(said, said ? "" : said.error().text().c_str());
        m_spanish = m_folder.filePath("es.wav").toStdString();
        QVERIFY(media::writeWav(m_spanish, audio, media::WavFormat::Float32));
    }

    void everySourceOfTimesReachesTheMouth_data()
    {
        QTest::addColumn<QString>("recording"); // "" = spoken by a voice
        QTest::addColumn<QString>("voice");
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("source");
        QTest::addColumn<bool>("isSure"); // the times are exact
        const auto row = [](const char* name, const char* recording, const char* voice, const char* language, const QString& text,
                            speech::TimingSource source, bool isSure) {
            QTest::newRow(name) << recording << voice << language << text << static_cast<int>(source) << isSure;
        };
        const speech::Transcript transcript = heardByPack();
        using enum speech::TimingSource;
        row("the voice's durations", "", "en_US-joe-medium", "", "Mama, my papa bought a map of Panama.", Synthesis, true);
        row("espeak-ng's events", "", "espeak-es", "", kSpanish, Events, true);
        row("the acoustic model", "jfk", "", "en-us", test::kKennedy, Alignment, false);
        row("comparison with a reading", "es", "", "es", kSpanish, Alignment, false);
        row("a transcript", "jfk", "", "en", QString::fromStdString(transcript.text()), Alignment, false);
        row("lines without words", "jfk", "", "en-us", "", Audio, false);
    }
    void everySourceOfTimesReachesTheMouth()
    {
        QFETCH(QString, recording);
        QFETCH(QString, voice);
        QFETCH(QString, language);
        QFETCH(QString, text);
        QFETCH(int, source);
        QFETCH(bool, isSure);
        SpeechInput input;
        input.text = text.toStdString();
        input.voice = voice.toStdString();
        input.language = language.toStdString();
        std::unique_ptr<SpeechSource> speech;
        if (recording.isEmpty()) {
            speech = std::make_unique<TextSource>(input, Rational{25, 1}, m_voices);
        } else {
            input.audioFile = recording == "es" ? m_spanish : kData / "media" / "test" / "jfk.wav";
            speech = std::make_unique<RecordingSource>(input, Rational{25, 1}, m_voices);
        }
        const auto heard = heardFrom(*speech);
        QVERIFY2(heard, heard ? "" : heard.error().text().c_str());
        QCOMPARE(static_cast<int>(heard->source), source);
        QCOMPARE(heard->audioOnly, text.isEmpty());
        QCOMPARE(heard->phonemes.empty(), text.isEmpty());
        double end = 0;
        int sounds = 0, unsure = 0;
        for (const speech::Phoneme& p : heard->phonemes) {
            QVERIFY2(p.start >= end - 1e-6 && p.end > p.start, qPrintable(QString("%1 after %2").arg(p.start).arg(end)));
            end = p.end;
            sounds += !p.symbol.empty();
            unsure += !p.symbol.empty() && p.confidence < 1;
            QVERIFY(p.confidence > 0 && p.confidence <= 1);
        }
        const int letters = static_cast<int>(std::count_if(text.begin(), text.end(), [](QChar c) { return c.isLetter(); }));
        QVERIFY2(text.isEmpty() ? sounds == 0 : sounds * 2 > letters, qPrintable(QString("%1 sounds of %2 letters").arg(sounds).arg(letters)));
        QVERIFY(isSure ? unsure == 0 : unsure == sounds);
        QCOMPARE(heard->words.empty(), text.isEmpty());

        const auto moved = openings(*heard, true);
        QVERIFY(*std::max_element(moved.begin(), moved.end()) > .12f);
        const auto alone = openings(*heard, false);
        QVERIFY(*std::max_element(alone.begin(), alone.end()) > .05f);
        QCOMPARE(moved == alone, text.isEmpty()); // the sounds decide where there are any
        // It rests where nothing is said: the last pause of half a second.
        for (const speech::Phoneme& p : heard->phonemes) {
            if (p.symbol.empty() && p.end - p.start > .6 && p.start > .5)
                QVERIFY2(moved[std::min(moved.size() - 1, static_cast<std::size_t>((p.start + p.end) / 2 * 25))] < .1f, qPrintable(QString::number(p.start)));
        }
    }
};

LOQUOR_TEST(tst_words_to_mouth)
#include "tst_words_to_mouth.moc"
