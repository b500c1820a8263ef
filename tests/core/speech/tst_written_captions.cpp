#include "core/speech/written_captions.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::speech;

namespace {

// Each word between blanks takes `each` seconds.
Timing spoken(const std::string& text, double each = 0.4, double from = 0)
{
    Timing out;
    out.language = "en";
    for (const TextWord& word : captionWords(text)) {
        const double start = from + static_cast<double>(out.words.size()) * each;
        out.words.push_back({text.substr(word.begin, word.end - word.begin), start, start + each,
                             static_cast<std::int32_t>(word.begin), static_cast<std::int32_t>(word.end), 1.f});
    }
    out.durationSeconds = from + static_cast<double>(out.words.size()) * each;
    return out;
}

std::vector<std::size_t> firstsOf(const std::vector<std::string>& captions, const std::string& text)
{
    const auto placed = placedCaptions(captions, text);
    std::vector<std::size_t> out;
    if (placed) {
        for (const WrittenCaption& caption : *placed)
            out.push_back(caption.firstWord);
    }
    return out;
}

using Firsts = std::vector<std::size_t>;
constexpr const char* kLine = "[smile] Well, we met twenty two people at the gate [nod] on Sunday.";

} // namespace

class tst_written_captions : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void words_are_those_that_are_shown()
    {
        const std::string text = kLine;
        const auto words = captionWords(text);
        QCOMPARE(words.size(), std::size_t(11));
        QCOMPARE(text.substr(words[0].begin, words[0].end - words[0].begin), std::string("Well"));
        QCOMPARE(text.substr(words[8].begin, words[8].end - words[8].begin), std::string("gate"));
        QCOMPARE(text.substr(words[9].begin, words[9].end - words[9].begin), std::string("on"));
        // Directions, case and marks are no words.
        QCOMPARE(captionWordsText(text), captionWordsText("well - WE met twenty two people at the gate on Sunday!"));
        QVERIFY(captionWordsText(text) != captionWordsText("Well, we met twenty people at the gate on Sunday."));
    }

    void captions_find_their_place()
    {
        QCOMPARE(firstsOf({"We met 22 people", "at the gate on Sunday"}, kLine), (Firsts{0, 6}));
        QCOMPARE(firstsOf({"Well, we met twenty two people at the gate", "on Sunday."}, kLine), (Firsts{0, 9}));
        // Other words altogether lie between those that were found.
        QCOMPARE(firstsOf({"Hello", "we saw folks", "near the gate on Sunday"}, kLine).size(), std::size_t(3));
        QCOMPARE(firstsOf({"One", "Two", "Three"}, "a b c"), (Firsts{0, 1, 2}));
        const Firsts foreign = firstsOf({"Nous avons rencontré du monde", "à la porte"}, kLine);
        QVERIFY(foreign.size() == 2 && foreign[1] > 0 && foreign[1] < 11);
    }

    void what_cannot_be_is_refused()
    {
        const auto code = [](const std::vector<std::string>& captions, const std::string& text) {
            const auto placed = placedCaptions(captions, text);
            return placed ? ErrorCode::None : placed.error().code();
        };
        QCOMPARE(code({"a", "b", "c"}, "two words"), ErrorCode::InvalidArgument);
        QCOMPARE(code({"a", "  "}, "two words"), ErrorCode::EmptyInput);
        QCOMPARE(code({"a"}, "[smile]"), ErrorCode::EmptyInput);
        QCOMPARE(code({}, "two words"), ErrorCode::EmptyInput);
        QCOMPARE(code({"a\x01"}, "two words"), ErrorCode::InvalidArgument);
        QCOMPARE(code({"a\xff"}, "two words"), ErrorCode::InvalidArgument);
    }

    void times_follow_the_words()
    {
        const auto placed = placedCaptions({"We met 22 people", "at the gate\non Sunday"}, kLine);
        QVERIFY(placed);
        for (const double from : {0.0, 5.0}) { // said again, later and slower
            const double each = from > 0 ? .6 : .4;
            const auto cues = writtenCaptions(spoken(kLine, each, from), kLine, *placed, 30, {});
            QCOMPARE(cues.size(), std::size_t(2));
            QCOMPARE(cues[0].start, from);
            QCOMPARE(cues[1].start, from + 6 * each);
            QVERIFY(cues[0].end <= cues[1].start - .0799 && cues[0].end > cues[1].start - .2);
            QVERIFY(cues[1].end >= from + 11 * each - 1e-9);
            QCOMPARE(cues[1].text, std::string("at the gate\non Sunday"));
            // Each word of the caption is lit while the one it stands for is said.
            QCOMPARE(cues[1].words.size(), std::size_t(5));
            QCOMPARE(cues[1].words[3].start, from + 9 * each);
            QCOMPARE(cues[1].text.substr(cues[1].words[3].begin, 2), std::string("on"));
            QCOMPARE(cues[0].words.size(), std::size_t(4));
        }
    }

    // espeak says "at the" as one word: both captions still get their part of it.
    void a_word_that_is_said_with_the_next_one_is_shared()
    {
        const std::string text = "Stand at the gate";
        Timing timing = spoken(text);
        timing.words[1].textEnd = timing.words[2].textEnd;
        timing.words[1].end = timing.words[2].end;
        timing.words.erase(timing.words.begin() + 2);
        const auto cues = writtenCaptions(timing, text, {{"Stand at", 0}, {"the gate", 2}}, 10, {});
        QCOMPARE(cues.size(), std::size_t(2));
        QVERIFY(cues[1].start > timing.words[1].start && cues[1].start < timing.words[1].end);
    }

    void long_captions_are_wrapped()
    {
        const auto placed = placedCaptions({"We met many, many people that we had never seen before at the gate"}, kLine);
        QVERIFY(placed);
        const auto cues = writtenCaptions(spoken(kLine), kLine, *placed, 30, {});
        QCOMPARE(cues.size(), std::size_t(1));
        const std::size_t line = cues[0].text.find('\n');
        QVERIFY(line != std::string::npos && line <= 42 && cues[0].text.size() - line <= 43);
        for (const CaptionWord& word : cues[0].words)
            QVERIFY(word.start >= cues[0].start && word.end <= cues[0].end && word.end >= word.start);
    }
};

LOQUOR_TEST(tst_written_captions)
#include "tst_written_captions.moc"
