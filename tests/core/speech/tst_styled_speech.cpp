// What the tags of a script do to the sound: measured on the voices themselves.
#include "core/platform/hash.h"
#include "core/speech/align.h"
#include "core/speech/line_speaker.h"
#include "core/speech/speech_commands.h"
#include "core/speech/styled_speech.h"
#include "core/speech/timing_json.h"
#include "tests/core/speech/speech_support.h"
#include "tests/support/test_main.h"

#include <QFile>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

using namespace loquor;
using namespace loquor::speech;

namespace {

struct Said
{
    AudioBlock audio;
    Timing timing;
    std::vector<std::string> notes;
};

Result<Said> say(Voice& voice, const std::string& text)
{
    LQ_TRY(const Script script, parseScript(text, voice.description().language));
    Said out;
    LineSpeaker speaker(voice, script.lines.at(0));
    for (;;) {
        LQ_TRY(auto clause, speaker.next({}));
        if (!clause)
            return out;
        appendTiming(out.timing, clause->sound.timing, clause->start, 0);
        out.audio.sampleRate = clause->sound.audio.sampleRate;
        out.audio.channels = 1;
        out.audio.samples.insert(out.audio.samples.end(), clause->sound.audio.samples.begin(), clause->sound.audio.samples.end());
        out.notes.insert(out.notes.end(), clause->sound.notes.begin(), clause->sound.notes.end());
    }
}

// Median pitch in Hz of the voiced parts, by autocorrelation.
double pitchOf(const Said& said, double from, double to)
{
    const int rate = said.audio.sampleRate;
    std::vector<double> found;
    const auto window = static_cast<std::size_t>(0.04 * rate);
    for (double t = from; t + 0.04 < to; t += 0.01) {
        const auto first = static_cast<std::size_t>(t * rate);
        double best = 0, energy = 0;
        int bestLag = 0;
        for (std::size_t i = 0; i < window; ++i)
            energy += std::pow(static_cast<double>(said.audio.samples[first + i]), 2);
        for (int lag = rate / 300; lag < rate / 60; ++lag) {
            double sum = 0, other = 0;
            for (std::size_t i = 0; i < window && first + i + static_cast<std::size_t>(lag) < said.audio.samples.size(); ++i) {
                const double b = static_cast<double>(said.audio.samples[first + i + static_cast<std::size_t>(lag)]);
                sum += static_cast<double>(said.audio.samples[first + i]) * b;
                other += b * b;
            }
            const double score = sum / std::sqrt(energy * other + 1e-12);
            if (score > best + 0.01) { // the shortest of equal ones
                best = score;
                bestLag = lag;
            }
        }
        if (best > 0.75 && energy > 0.01)
            found.push_back(static_cast<double>(rate) / bestLag);
    }
    if (found.empty())
        return 0;
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2), found.end());
    return found[found.size() / 2];
}

double levelDb(const Said& said, const Word& word)
{
    double sum = 0;
    const auto a = static_cast<std::size_t>(word.start * said.audio.sampleRate), b = static_cast<std::size_t>(word.end * said.audio.sampleRate);
    for (std::size_t i = a; i < b; ++i)
        sum += std::pow(static_cast<double>(said.audio.samples[i]), 2);
    return 10 * std::log10(sum / static_cast<double>(b - a) + 1e-12);
}

std::string wordsOf(const Timing& timing)
{
    std::string out;
    for (const Word& w : timing.words)
        out += (out.empty() ? "" : " ") + w.text;
    return out;
}

std::string soundsOf(const Timing& timing, const Word& word)
{
    std::string out;
    for (const Phoneme& p : timing.phonemes) {
        if (p.start >= word.start - 1e-6 && p.start < word.end - 1e-6)
            out += (out.empty() ? "" : " ") + p.symbol;
    }
    return out;
}

} // namespace

class tst_styled_speech : public QObject
{
    Q_OBJECT
    std::shared_ptr<PhonemeClient> m_client;
    std::map<std::string, std::unique_ptr<Voice>> m_voices;

    Voice& voice(const std::string& id)
    {
        auto& kept = m_voices[id];
        if (!kept) {
            const auto choice = chooseVoice(listVoices(speechtest::dataFolder()), id, "", "Hello.");
            kept = std::move(*openVoice(choice->voice, m_client));
        }
        return *kept;
    }
    static void addVoices()
    {
        QTest::addColumn<std::string>("id");
        QTest::newRow("Piper") << std::string("en_US-joe-medium");
        QTest::newRow("espeak") << std::string("espeak-en-us");
    }
    // Says it, and checks what holds for all that is said.
    Said checked(const std::string& id, const std::string& text)
    {
        auto said = say(voice(id), text);
        if (!said) {
            QTest::qFail(said.error().text().c_str(), __FILE__, __LINE__);
            return {};
        }
        const std::string broken = speechtest::brokenRule(said->timing);
        if (!broken.empty() || std::abs(said->timing.durationSeconds - said->audio.seconds()) > 1e-9)
            QTest::qFail(("times: " + broken).c_str(), __FILE__, __LINE__);
        for (const Word& w : said->timing.words) {
            if (text.substr(static_cast<std::size_t>(w.textBegin), static_cast<std::size_t>(w.textEnd - w.textBegin)) != w.text)
                QTest::qFail(("span of " + w.text).c_str(), __FILE__, __LINE__);
        }
        return std::move(*said);
    }

private Q_SLOTS:
    void initTestCase() { m_client = speechtest::makeClient(); }

    void scriptsWithoutTagsAreTimedAsBefore_data()
    {
        QTest::addColumn<std::string>("id");
        QTest::addColumn<std::string>("hash");
        QTest::newRow("Piper") << std::string("en_US-joe-medium") << std::string("e7ebffcf7c414c16baa5b35148544d09dfb8e531ff0190d46d0321abb72d8b3f");
        QTest::newRow("espeak") << std::string("espeak-en-us") << std::string("26967acad35cb77098a0e9bc5029a56d3300dbf62abf722fdd1a054ad207bb6d");
        QTest::newRow("espeak-vi") << std::string("espeak-vi") << std::string("16eea605c8d418c7c05b0067857ee0232a8fac6f093b514c57b287146aeb85d9");
    }
    void scriptsWithoutTagsAreTimedAsBefore()
    {
        QFETCH(std::string, id);
        QFETCH(std::string, hash);
        const auto text = readScriptFile(std::filesystem::path(LOQUOR_SOURCE_DIR) / "resources/demo/script.txt");
        QVERIFY(text.has_value());
        SayOptions options;
        options.voice = id;
        const auto said = sayScript(*text, options, speechtest::dataFolder(), m_client, [](const AudioBlock&) { return Result<void>(); }, {});
        QVERIFY2(said.has_value(), said ? "" : said.error().text().c_str());
        platform::Sha256 sum;
        sum.update(writeTimingJson(said->document));
        QCOMPARE(QString::fromStdString(sum.finish()), QString::fromStdString(hash));
    }

    void rateChangesLengthAndNothingElse_data() { addVoices(); }
    void rateChangesLengthAndNothingElse()
    {
        QFETCH(std::string, id);
        const Said plain = checked(id, "The birch canoe slid on the smooth planks.");
        const Said slow = checked(id, "[rate 0.7]The birch canoe slid on the smooth planks.");
        const Said part = checked(id, "The birch canoe [rate 0.7]slid on the smooth[/rate] planks.");
        QCOMPARE(wordsOf(slow.timing), wordsOf(plain.timing));
        QCOMPARE(wordsOf(part.timing), wordsOf(plain.timing));
        const double all = slow.timing.words.back().end / plain.timing.words.back().end;
        QVERIFY2(all > 1.25 && all < 1.6, qPrintable(QString::number(all)));
        const auto length = [](const Timing& t, std::size_t first, std::size_t last) { return t.words[last].end - t.words[first].start; };
        const std::size_t last = plain.timing.words.size() - 1;
        const double inside = length(part.timing, 3, last - 1) / length(plain.timing, 3, last - 1);
        QVERIFY2(inside > 1.2 && inside < 1.7, qPrintable(QString::number(inside)));
        const double before = length(part.timing, 0, 2) / length(plain.timing, 0, 2);
        QVERIFY2(before > 0.95 && before < 1.05, qPrintable(QString::number(before)));
    }

    void pitchIsRaisedAndLowered_data() { addVoices(); }
    void pitchIsRaisedAndLowered()
    {
        QFETCH(std::string, id);
        const std::string text = "We were away a year ago in the morning.";
        const Said plain = checked(id, text);
        const double base = pitchOf(plain, 0, plain.audio.seconds());
        QVERIFY(base > 60);
        for (const double semitones : {-4.0, -2.0, 2.0, 4.0}) {
            const Said said = checked(id, "[pitch " + std::to_string(semitones) + "st]" + text);
            const double moved = 12 * std::log2(pitchOf(said, 0, said.audio.seconds()) / base);
            QVERIFY2(std::abs(moved - semitones) < 1.0, qPrintable(QString("%1 st asked, %2 heard").arg(semitones).arg(moved)));
            const double length = said.audio.seconds() / plain.audio.seconds();
            QVERIFY2(length > 0.92 && length < 1.08, qPrintable(QString::number(length)));
        }
    }

    void emphasisIsSlowerAndLouder_data() { addVoices(); }
    void emphasisIsSlowerAndLouder()
    {
        QFETCH(std::string, id);
        const Said plain = checked(id, "I never said she stole my money.");
        const Said said = checked(id, "I never said [emphasis strong]she[/emphasis] stole my money.");
        QCOMPARE(wordsOf(said.timing), wordsOf(plain.timing));
        const auto find = [](const Said& s) { return *std::find_if(s.timing.words.begin(), s.timing.words.end(), [](const Word& w) { return w.text == "she"; }); };
        const Word a = find(plain), b = find(said);
        QVERIFY2(b.end - b.start > 1.1 * (a.end - a.start), qPrintable(QString("%1 %2").arg(a.end - a.start).arg(b.end - b.start)));
        QVERIFY2(levelDb(said, b) > levelDb(plain, a) + 1, qPrintable(QString("%1 %2").arg(levelDb(plain, a)).arg(levelDb(said, b))));
    }

    void volumeChangesTheLevel()
    {
        const Said plain = checked("espeak-en-us", "We were away a year ago.");
        const Said quiet = checked("espeak-en-us", "[volume -9dB]We were away a year ago.");
        QCOMPARE(quiet.audio.samples.size(), plain.audio.samples.size());
        const double moved = levelDb(quiet, quiet.timing.words[2]) - levelDb(plain, plain.timing.words[2]);
        QVERIFY2(std::abs(moved + 9) < 0.5, qPrintable(QString::number(moved)));
    }

    void replacedWordsKeepTheirPlace_data() { addVoices(); }
    void replacedWordsKeepTheirPlace()
    {
        QFETCH(std::string, id);
        const Said said = checked(id, "Ask [say \"SQL Server\" as \"sequel server\"], then [ipa \"Worcester\" as \"ˈwʊstə\"] and a [ipa \"təˈmɑːtoʊ\"]tomato, please.");
        QCOMPARE(wordsOf(said.timing), std::string("Ask SQL Server then Worcester and a tomato please"));
        QCOMPARE(soundsOf(said.timing, said.timing.words[3]), std::string("w ʊ s t ə"));
        QCOMPARE(soundsOf(said.timing, said.timing.words[6]), std::string("t ə m ɑː t oʊ"));
        QVERIFY(soundsOf(said.timing, said.timing.words[1]).starts_with("s iː k w"));
        QVERIFY(said.notes.empty());
    }

    void ipaIsSaidInOtherLanguages_data()
    {
        QTest::addColumn<std::string>("id");
        QTest::addColumn<std::string>("ipa");
        QTest::addColumn<std::string>("sounds");
        QTest::newRow("es") << std::string("espeak-es") << std::string("ˈtʃuɾo") << std::string("tʃ u ɾ o");
        QTest::newRow("de") << std::string("espeak-de") << std::string("ˈdaŋkə") << std::string("d a ŋ k ə");
        QTest::newRow("fr") << std::string("espeak-fr") << std::string("bɔ̃ʒuʁ") << std::string("b ɔ̃ ʒ u ʁ");
        QTest::newRow("vi") << std::string("espeak-vi") << std::string("siŋ") << std::string("s i ŋ");
        QTest::newRow("nearest") << std::string("espeak-es") << std::string("pɪt") << std::string("p i t");
    }
    void ipaIsSaidInOtherLanguages()
    {
        QFETCH(std::string, id);
        QFETCH(std::string, ipa);
        QFETCH(std::string, sounds);
        const Said said = checked(id, "A [ipa \"Xxx\" as \"" + ipa + "\"] o.");
        const auto word = std::find_if(said.timing.words.begin(), said.timing.words.end(), [](const Word& w) { return w.text == "Xxx"; });
        QVERIFY(word != said.timing.words.end());
        QCOMPARE(QString::fromStdString(soundsOf(said.timing, *word)), QString::fromStdString(sounds));
        QVERIFY(said.notes.empty());
    }

    void aSoundTheVoiceLacksIsTold()
    {
        const Said said = checked("espeak-en-us", "A [ipa \"Xxx\" as \"ʘa\"] o.");
        QVERIFY(said.notes.empty()); // U+0298 is no letter of our list, so the words are read
        const Said click = checked("espeak-en-us", "A [ipa \"Xxx\" as \"ʡa\"] o.");
        QVERIFY(click.notes.empty());
        const Said trill = checked("espeak-en-us", "A [ipa \"Xxx\" as \"ʙa\"] o.");
        QCOMPARE(trill.notes.size(), std::size_t(1));
        QVERIFY2(trill.notes[0].find("'ʙ'") != std::string::npos, trill.notes[0].c_str());
    }

    void joinsAreSmooth_data() { addVoices(); }
    void joinsAreSmooth()
    {
        QFETCH(std::string, id);
        const Said said = checked(id, "We [rate 0.8]were[/rate] away [pitch 2]a[/pitch] year [emphasis]ago[/emphasis] in the morning.");
        // No step between neighbouring samples that the plain reading would not have.
        const auto step = [](const Said& s) {
            float most = 0;
            for (std::size_t i = 1; i < s.audio.samples.size(); ++i)
                most = std::max(most, std::abs(s.audio.samples[i] - s.audio.samples[i - 1]));
            return most;
        };
        const Said plain = checked(id, "We were away a year ago in the morning.");
        QVERIFY2(step(said) < 1.5F * step(plain), qPrintable(QString("%1 %2").arg(static_cast<double>(step(said))).arg(static_cast<double>(step(plain)))));
    }

    // Forced alignment of what was said finds every word where the voice says it is.
    void styledSpeechIsStillUnderstood()
    {
        Said said = checked("en_US-joe-medium", "The birch canoe [slow]slid on the smooth[/slow] planks, [pitch 3]and glue the sheet[/pitch] to the [emphasis]dark[/emphasis] background.");
        Aligner aligner(acousticModelFolder(speechtest::dataFolder()), m_client);
        const auto aligned = aligner.align(said.audio, "The birch canoe slid on the smooth planks, and glue the sheet to the dark background.", {}, {});
        QVERIFY2(aligned.has_value(), aligned ? "" : aligned.error().text().c_str());
        std::vector<Word> words; // espeak joins "on the"; compare those that both have
        double worst = 0;
        int compared = 0;
        std::size_t k = 0;
        for (const Word& w : said.timing.words) {
            const auto at = std::find_if(aligned->timing.words.begin() + static_cast<std::ptrdiff_t>(k), aligned->timing.words.end(),
                                         [&](const Word& a) { return w.text.starts_with(a.text); });
            if (at == aligned->timing.words.end())
                continue;
            k = static_cast<std::size_t>(at - aligned->timing.words.begin()) + 1;
            worst = std::max(worst, std::abs(at->start - w.start));
            ++compared;
        }
        QVERIFY(compared >= 12);
        QVERIFY2(worst < 0.12, qPrintable(QString::number(worst)));
    }
};

LOQUOR_TEST(tst_styled_speech)
#include "tst_styled_speech.moc"
