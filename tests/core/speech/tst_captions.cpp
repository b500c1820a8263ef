#include "core/speech/captions.h"
#include "tests/support/test_main.h"

#include <sstream>

using namespace loquor::speech;

namespace {

// Every word of the text, .3 s each, in order.
Timing spokenEvenly(const std::string& text, double each = 0.3)
{
    Timing out;
    std::size_t at = 0;
    bool inTag = false;
    while (at < text.size()) {
        if (text[at] == '[')
            inTag = true;
        if (text[at] == ']')
            inTag = false;
        const bool letter = !inTag && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
        if (!letter) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0)
            ++at;
        const double start = static_cast<double>(out.words.size()) * each;
        out.words.push_back({text.substr(begin, at - begin), start, start + each, static_cast<std::int32_t>(begin),
                             static_cast<std::int32_t>(at), 1.0f});
    }
    out.durationSeconds = static_cast<double>(out.words.size()) * each;
    return out;
}

std::string flat(const std::vector<CaptionCue>& cues)
{
    std::string out;
    for (const CaptionCue& cue : cues) {
        for (const char c : cue.text)
            out += c == '\n' ? ' ' : c;
        out += ' ';
    }
    out.pop_back();
    return out;
}

} // namespace

class tst_captions : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void a_sentence_is_a_caption_and_directions_are_not_shown()
    {
        const std::string text = "[smile] Hello there, [nod] my friend. How are you?";
        const auto cues = makeCaptions(spokenEvenly(text), text, 10);
        QCOMPARE(cues.size(), std::size_t(2));
        QCOMPARE(cues[0].text, std::string("Hello there, my friend."));
        QCOMPARE(cues[1].text, std::string("How are you?"));
        QCOMPARE(cues[0].start, 0.0);
    }

    void long_text_is_cut_and_wrapped_without_losing_a_word()
    {
        std::string text;
        for (int i = 0; i < 120; ++i)
            text += std::string(i ? " " : "") + (i % 3 ? "word" : "something") + (i % 11 == 10 ? "," : "");
        const auto cues = makeCaptions(spokenEvenly(text), text, 100);
        QVERIFY(cues.size() > 4);
        QCOMPARE(flat(cues), text);
        for (std::size_t i = 0; i < cues.size(); ++i) {
            std::stringstream lines(cues[i].text);
            int count = 0;
            for (std::string line; std::getline(lines, line); ++count)
                QVERIFY2(line.size() <= 42, line.c_str());
            QVERIFY2(count <= 2, cues[i].text.c_str());
            QVERIFY(cues[i].end - cues[i].start <= 7.01);
            QVERIFY(cues[i].end > cues[i].start);
            if (i > 0)
                QVERIFY(cues[i].start >= cues[i - 1].end);
        }
    }

    void full_width_characters_count_as_two()
    {
        std::string text;
        Timing timing;
        for (int i = 0; i < 60; ++i) {
            const auto begin = static_cast<std::int32_t>(text.size());
            text += "\xe5\xa5\xbd"; // 好
            timing.words.push_back({"", i * 0.1, i * 0.1 + 0.1, begin, begin + 3, 1.0f});
        }
        for (const CaptionCue& cue : makeCaptions(timing, text, 10)) {
            std::stringstream lines(cue.text);
            for (std::string line; std::getline(lines, line);)
                QVERIFY(line.size() <= 21 * 3);
        }
    }

    void a_short_caption_stays_long_enough_to_read()
    {
        const std::string text = "Yes.";
        const auto cues = makeCaptions(spokenEvenly(text, 0.2), text, 5);
        QCOMPARE(cues.size(), std::size_t(1));
        QVERIFY(cues[0].end >= 0.8);
        QVERIFY(makeCaptions(spokenEvenly(text, 0.2), text, 0.5)[0].end <= 0.5);
    }

    void files_have_the_form_players_read()
    {
        const std::vector<CaptionCue> cues{{0.5, 2.25, "One\ntwo"}, {3661.0015, 3662, "A < B & C"}};
        QCOMPARE(toSrt(cues), std::string("1\n00:00:00,500 --> 00:00:02,250\nOne\ntwo\n\n"
                                          "2\n01:01:01,002 --> 01:01:02,000\nA < B & C\n\n"));
        QCOMPARE(toVtt(cues), std::string("WEBVTT\n\n00:00:00.500 --> 00:00:02.250\nOne\ntwo\n\n"
                                          "01:01:01.002 --> 01:01:02.000\nA &lt; B &amp; C\n\n"));
    }

    void spans_outside_the_text_are_ignored()
    {
        Timing timing;
        timing.words = {{"x", 0, 1, 5, 9, 1.f}, {"y", 1, 2, -3, 2, 1.f}};
        QVERIFY(makeCaptions(timing, "abc", 3).empty());
    }
};

LOQUOR_TEST(tst_captions)
#include "tst_captions.moc"
