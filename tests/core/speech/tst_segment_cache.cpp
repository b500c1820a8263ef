#include "core/platform/atomic_file.h"
#include "core/speech/segment_cache.h"
#include "core/speech/voice.h"
#include "tests/core/speech/speech_support.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <chrono>
#include <cmath>
#include <functional>

using namespace loquor;
using namespace loquor::speech;
namespace fs = std::filesystem;

namespace {

// Counts what is really said; each text sounds otherwise.
class CountingVoice : public Voice
{
public:
    explicit CountingVoice(int& count, bool repeatable = true) : m_count(count)
    {
        m_description.id = "counting";
        m_description.language = "en-us";
        m_description.fingerprint = "1";
        m_description.sampleRate = 8000;
        m_description.isRepeatable = repeatable;
    }
    const VoiceDescription& description() const override { return m_description; }
    Result<SpokenSound> synthesize(const Utterance& utterance, const SpeechOptions& options, const CancelToken&) override
    {
        ++m_count;
        if (utterance.text == " ")
            return fail(ErrorCode::EmptyInput, "nothing");
        SpokenSound out;
        out.audio = {8000, 1, std::vector<float>(1000 * utterance.text.size())};
        for (std::size_t i = 0; i < out.audio.samples.size(); ++i)
            out.audio.samples[i] = static_cast<float>(std::sin(static_cast<double>(i * utterance.text.size()) * options.speed));
        out.timing.language = "en-us";
        out.timing.source = TimingSource::Synthesis;
        out.timing.durationSeconds = out.audio.seconds();
        out.timing.words = {{utterance.text, 0.01, 0.1, utterance.textBegin, utterance.textBegin + 3, 0.75f}};
        out.timing.phonemes = {{"", 0, 0.01, 1, false}, {"ɑː", 0.01, out.audio.seconds(), 0.5f, true}};
        out.notes = {"a note"};
        return out;
    }
    VoiceDescription& change() { return m_description; }

private:
    int& m_count;
    VoiceDescription m_description;
};

bool isSame(const SpokenSound& a, const SpokenSound& b)
{
    const auto sameWord = [](const Word& x, const Word& y) {
        return x.text == y.text && x.start == y.start && x.end == y.end && x.textBegin == y.textBegin && x.textEnd == y.textEnd &&
               x.confidence == y.confidence;
    };
    const auto sameSound = [](const Phoneme& x, const Phoneme& y) {
        return x.symbol == y.symbol && x.start == y.start && x.end == y.end && x.confidence == y.confidence && x.stressed == y.stressed;
    };
    return a.audio.samples == b.audio.samples && a.audio.sampleRate == b.audio.sampleRate && a.audio.channels == b.audio.channels &&
           a.timing.language == b.timing.language && a.timing.source == b.timing.source &&
           a.timing.durationSeconds == b.timing.durationSeconds && a.notes == b.notes &&
           std::equal(a.timing.words.begin(), a.timing.words.end(), b.timing.words.begin(), b.timing.words.end(), sameWord) &&
           std::equal(a.timing.phonemes.begin(), a.timing.phonemes.end(), b.timing.phonemes.begin(), b.timing.phonemes.end(), sameSound);
}

} // namespace

class tst_segment_cache : public QObject
{
    Q_OBJECT

    static fs::path pathOf(const QTemporaryDir& folder) { return folder.path().toStdString(); }
    static QStringList filesIn(const QTemporaryDir& folder)
    {
        return QDir(folder.path()).entryList(QDir::Files | QDir::Hidden);
    }

private Q_SLOTS:
    void theSameWordsAreSaidOnce()
    {
        const QTemporaryDir folder;
        int count = 0;
        const auto voice = withCache(std::make_unique<CountingVoice>(count), std::make_shared<SegmentCache>(pathOf(folder)), "1");
        const auto fresh = voice->synthesize({"Hello.", 0, true}, {}, {});
        const auto again = voice->synthesize({"Hello.", 0, true}, {}, {});
        QVERIFY(fresh.has_value() && again.has_value());
        QCOMPARE(count, 1);
        QVERIFY(isSame(*fresh, *again));
        // Elsewhere in its line it sounds the same; its words are there.
        const auto moved = voice->synthesize({"Hello.", 40, true}, {}, {});
        QCOMPARE(count, 1);
        QCOMPARE(moved->timing.words[0].textBegin, 40);
        QCOMPARE(moved->timing.words[0].textEnd, 43);
        // And in the next run of the program.
        int later = 0;
        const auto next = withCache(std::make_unique<CountingVoice>(later), std::make_shared<SegmentCache>(pathOf(folder)), "1");
        QVERIFY(isSame(*next->synthesize({"Hello.", 0, true}, {}, {}), *fresh));
        QCOMPARE(later, 0);
    }

    void whateverChangesTheSoundIsAnotherEntry()
    {
        const QTemporaryDir folder;
        int count = 0;
        const auto cache = std::make_shared<SegmentCache>(pathOf(folder));
        const auto say = [&](const Utterance& u, const SpeechOptions& o, const char* version, const std::function<void(VoiceDescription&)>& change) {
            auto counting = std::make_unique<CountingVoice>(count);
            change(counting->change());
            QVERIFY(withCache(std::move(counting), cache, version)->synthesize(u, o, {}).has_value());
        };
        const auto none = [](VoiceDescription&) {};
        const Utterance hello{"Hello.", 0, true};
        say(hello, {}, "1", none);
        say({"Hello!", 0, true}, {}, "1", none);
        say({"Hello.", 0, false}, {}, "1", none);
        say({"Hello.", 0, true, {{0, 5, "hi", false}}}, {}, "1", none);
        say({"Hello.", 0, true, {{0, 5, "hi", true}}}, {}, "1", none);
        say(hello, {1.1, 0}, "1", none);
        say(hello, {1, 2}, "1", none);
        say(hello, {}, "2", none);
        say(hello, {}, "1", [](VoiceDescription& d) { d.fingerprint = "2"; });
        say(hello, {}, "1", [](VoiceDescription& d) { d.speaker = 1; });
        QCOMPARE(count, 10);
        say(hello, {}, "1", none);
        QCOMPARE(count, 10);
    }

    // A real voice, in another order than it was kept in.
    void keptIsFreshToTheSample()
    {
        const QTemporaryDir folder;
        const auto client = speechtest::makeClient();
        const auto version = client->engineVersion();
        QVERIFY(version.has_value() && !version->empty());
        const auto voices = listVoices(speechtest::dataFolder());
        for (const char* id : {"en_US-joe-medium", "espeak-vi"}) {
            const auto choice = chooseVoice(voices, id, "", "Hello.");
            QVERIFY(choice.has_value());
            QVERIFY2(choice->voice.isRepeatable, "run packaging/setup.sh again");
            const Utterance first{"One, two, three.", 0, true}, second{"Xin chao, hello there.", 0, true};
            auto cache = std::make_shared<SegmentCache>(pathOf(folder));
            const auto voice = withCache(std::move(*openVoice(choice->voice, client)), cache, *version);
            const auto a = voice->synthesize(first, {}, {}), b = voice->synthesize(second, {}, {});
            const auto fresh = openVoice(choice->voice, client);
            const auto b2 = (*fresh)->synthesize(second, {}, {}), a2 = (*fresh)->synthesize(first, {}, {});
            QVERIFY(a && b && a2 && b2);
            QVERIFY(isSame(*a, *a2));
            QVERIFY(isSame(*b, *b2));
            QVERIFY(isSame(*voice->synthesize(first, {}, {}), *a2));
        }
    }

    void damagedEntriesAreMadeAgain()
    {
        const QTemporaryDir folder;
        int count = 0;
        const auto voice = withCache(std::make_unique<CountingVoice>(count), std::make_shared<SegmentCache>(pathOf(folder)), "1");
        const auto fresh = voice->synthesize({"Hello.", 0, true}, {}, {});
        QCOMPARE(filesIn(folder).size(), 1);
        const QString name = folder.filePath(filesIn(folder)[0]);
        int expected = 1;
        for (const char* damage : {"flip", "cut", "empty", "other"}) {
            QFile file(name);
            QVERIFY(file.open(QIODevice::ReadWrite));
            if (std::string(damage) == "flip") {
                QVERIFY(file.seek(file.size() / 2));
                char byte = 0;
                QVERIFY(file.getChar(&byte) && file.seek(file.size() / 2) && file.putChar(static_cast<char>(byte ^ 1)));
            } else if (std::string(damage) == "cut") {
                QVERIFY(file.resize(file.size() - 7));
            } else if (std::string(damage) == "empty") {
                QVERIFY(file.resize(0));
            } else {
                QVERIFY(file.resize(0));
                QVERIFY(file.write(QByteArray(1000, 'x')) == 1000);
            }
            file.close();
            const auto again = voice->synthesize({"Hello.", 0, true}, {}, {});
            QVERIFY(again.has_value() && isSame(*again, *fresh));
            QCOMPARE(count, ++expected);
            QVERIFY(voice->synthesize({"Hello.", 0, true}, {}, {}).has_value());
            QCOMPARE(count, expected);
        }
    }

    void theLeastRecentlyUsedGoFirst()
    {
        const QTemporaryDir folder;
        int count = 0;
        // A text of ten letters takes 40 KB.
        const auto voice = withCache(std::make_unique<CountingVoice>(count), std::make_shared<SegmentCache>(pathOf(folder), 200'000), "1");
        const auto say = [&](const char* text) { return voice->synthesize({text, 0, true}, {}, {}).has_value(); };
        for (const char* text : {"aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc", "dddddddddd"})
            QVERIFY(say(text));
        const auto hour = std::chrono::hours(1);
        for (const QString& file : filesIn(folder)) {
            const fs::path path = folder.filePath(file).toStdString();
            fs::last_write_time(path, fs::last_write_time(path) - hour);
        }
        QVERIFY(say("aaaaaaaaaa")); // used again
        QVERIFY(say("eeeeeeeeee"));
        QVERIFY(say("ffffffffff"));
        QVERIFY(filesIn(folder).size() <= 4);
        const int before = count;
        QVERIFY(say("aaaaaaaaaa") && say("ffffffffff") && say("eeeeeeeeee"));
        QCOMPARE(count, before);
        qint64 bytes = 0;
        for (const QString& file : filesIn(folder))
            bytes += QFileInfo(folder.filePath(file)).size();
        QVERIFY(bytes <= 200'000);
    }

    void aFullDiskCostsNothingButTheCache()
    {
        const QTemporaryDir folder(test::quickTemplate("cache"));
        test::SmallDisk disk(pathOf(folder));
        disk.fill(2);
        int count = 0;
        const auto voice = withCache(std::make_unique<CountingVoice>(count), std::make_shared<SegmentCache>(pathOf(folder) / "speech"), "1");
        QVERIFY(voice->synthesize({"aaaaaaaaaa", 0, true}, {}, {}).has_value());
        QVERIFY(voice->synthesize({"aaaaaaaaaa", 0, true}, {}, {}).has_value());
        QCOMPARE(count, 2);
        disk.release();
        QVERIFY(voice->synthesize({"aaaaaaaaaa", 0, true}, {}, {}).has_value());
        QVERIFY(voice->synthesize({"aaaaaaaaaa", 0, true}, {}, {}).has_value());
        QCOMPARE(count, 3);
    }

    void failuresAreNotKept()
    {
        const QTemporaryDir folder;
        int count = 0;
        const auto voice = withCache(std::make_unique<CountingVoice>(count), std::make_shared<SegmentCache>(pathOf(folder)), "1");
        QCOMPARE(voice->synthesize({" ", 0, true}, {}, {}).error().code(), ErrorCode::EmptyInput);
        QVERIFY(filesIn(folder).isEmpty());
        CancelSource source;
        source.cancel();
        QVERIFY(voice->synthesize({"Hello.", 0, true}, {}, source.token()).error().isCancelled());
    }

    void aVoiceThatIsNotRepeatableIsAlwaysAsked()
    {
        const QTemporaryDir folder;
        int count = 0;
        const auto voice = withCache(std::make_unique<CountingVoice>(count, false), std::make_shared<SegmentCache>(pathOf(folder)), "1");
        QVERIFY(voice->synthesize({"Hello.", 0, true}, {}, {}).has_value());
        QVERIFY(voice->synthesize({"Hello.", 0, true}, {}, {}).has_value());
        QCOMPARE(count, 2);
    }
};

LOQUOR_TEST(tst_segment_cache)
#include "tst_segment_cache.moc"
