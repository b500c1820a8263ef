#include "core/speech/captions.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>

#include <cctype>
#include <fstream>
#include <map>
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

// Each of the words, found in the text one behind the other, .3 s long; `pauses`: seconds in front of some.
Timing spokenAs(const std::string& text, const std::vector<std::string>& words, const std::string& language,
                const std::map<std::size_t, double>& pauses = {})
{
    Timing out;
    out.language = language;
    double at = 0;
    std::size_t place = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        at += pauses.contains(i) ? pauses.at(i) : 0;
        place = text.find(words[i], place);
        out.words.push_back({words[i], at, at + .3, static_cast<std::int32_t>(place),
                             static_cast<std::int32_t>(place + words[i].size()), 1.0f});
        place += words[i].size();
        at += .3;
    }
    out.durationSeconds = at;
    return out;
}

std::vector<std::string> linesOf(const std::vector<CaptionCue>& cues)
{
    std::vector<std::string> out;
    for (const CaptionCue& cue : cues) {
        std::stringstream lines(cue.text);
        for (std::string line; std::getline(lines, line);)
            out.push_back(line);
    }
    return out;
}

// What FFmpeg reads: "start|duration|text" of each caption, text with \\n.
QStringList readByFfmpeg(const std::string& content, const char* name)
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(name);
    std::ofstream(file.toStdString(), std::ios::binary) << content;
    QProcess ffmpeg;
    ffmpeg.start("ffmpeg", {"-v", "error", "-i", file, "-f", "ass", "-"});
    if (!ffmpeg.waitForFinished(60'000) || ffmpeg.exitCode() != 0)
        return {"ffmpeg: " + QString::fromUtf8(ffmpeg.readAllStandardError())};
    QStringList out;
    for (const QString& line : QString::fromUtf8(ffmpeg.readAllStandardOutput()).split('\n')) {
        if (!line.startsWith("Dialogue: "))
            continue;
        const QStringList fields = line.trimmed().split(',');
        out << fields[1] + '|' + fields[2] + '|' + fields.mid(9).join(',');
    }
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

    // The ends of lines and captions: not behind an article or a preposition, not inside a number with its unit.
    void lines_do_not_end_where_it_hurts_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("bad"); // at the end of a line, between |
        QTest::newRow("articles") << "We will walk down to the old harbour and the market near the river in the morning with the children of a friend"
                                  << "en" << "|the|and|of|a|in|to|with|";
        QTest::newRow("numbers") << "The bridge is about 1,250 m long and it carries 40 000 cars on each day of the year 2024 at 60 km an hour or so"
                                 << "en" << "|1,250|40|60|the|of|";
        QTest::newRow("Spanish") << "Mañana por la tarde iremos a la playa con los niños de una amiga que vive en el centro de la ciudad"
                                 << "es" << "|la|los|de|una|en|el|a|con|por|";
        QTest::newRow("titles") << "Yesterday in the evening I met old Dr. Smith and Mrs. Jones at the door of the house"
                                << "en" << "|Dr.|Mrs.|the|at|of|";
    }
    void lines_do_not_end_where_it_hurts()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, language);
        QFETCH(const QString, bad);
        std::vector<std::string> words;
        for (const QString& word : text.split(' '))
            words.push_back(word.toStdString());
        const auto cues = makeCaptions(spokenAs(text.toStdString(), words, language.toStdString()), text.toStdString(), 100);
        QCOMPARE(QString::fromStdString(flat(cues)), text);
        const auto lines = linesOf(cues);
        QVERIFY(lines.size() > 1);
        for (const std::string& line : lines) {
            const QString last = QString::fromStdString(line).split(' ').last();
            QVERIFY2(!bad.contains('|' + last + '|'), line.c_str());
            QVERIFY2(line.find(' ') != std::string::npos, line.c_str());
            QVERIFY2(line.size() <= 44, line.c_str());
        }
    }

    void a_pause_ends_a_caption()
    {
        const std::string text = "I was going to say that this is not the end";
        const std::vector<std::string> words{"I", "was", "going", "to", "say", "that", "this", "is", "not", "the", "end"};
        const auto cues = makeCaptions(spokenAs(text, words, "en", {{6, 1.2}}), text, 20);
        QCOMPARE(cues.size(), std::size_t(2));
        QCOMPARE(cues[0].text, std::string("I was going to say that"));
        QVERIFY(cues[0].end < cues[1].start);
        QCOMPARE(makeCaptions(spokenAs(text, words, "en"), text, 20).size(), std::size_t(1));
    }

    void short_sentences_share_a_caption()
    {
        const std::string text = "Yes. No. It is over there.";
        const auto cues = makeCaptions(spokenAs(text, {"Yes", "No", "It", "is", "over", "there"}, "en"), text, 20);
        QVERIFY(cues.size() < 3);
        for (const CaptionCue& cue : cues)
            QVERIFY2(cue.end - cue.start >= 0.82, cue.text.c_str());
    }

    // Speech without a silence: captions do not touch, and gaps that would flicker are closed.
    void captions_are_apart_but_do_not_flicker()
    {
        std::string text;
        std::vector<std::string> words;
        for (int i = 0; i < 60; ++i) {
            words.push_back("word" + std::to_string(i));
            text += (i ? " " : "") + words.back() + (i % 9 == 8 ? "." : "");
        }
        const auto cues = makeCaptions(spokenAs(text, words, "en", {{20, .4}, {40, 2}}), text, 100);
        for (std::size_t i = 1; i < cues.size(); ++i) {
            const double gap = cues[i].start - cues[i - 1].end;
            QVERIFY2(gap >= 0.0799, qPrintable(QString::number(gap)));
            QVERIFY2(gap < 0.0801 || gap >= 0.5, qPrintable(QString::number(gap)));
        }
    }

    void chinese_breaks_between_words()
    {
        const std::string text = "我们明天早上要去北京大学图书馆学习现代汉语语法然后再到天安门广场参观中国国家博物馆";
        const std::vector<std::string> words{"我们", "明天", "早上", "要", "去", "北京", "大学", "图书馆", "学习", "现代", "汉语", "语法",
                                             "然后", "再", "到", "天安门", "广场", "参观", "中国", "国家", "博物馆"};
        const auto cues = makeCaptions(spokenAs(text, words, "zh"), text, 20);
        std::string all;
        for (const std::string& line : linesOf(cues)) {
            all += line;
            QVERIFY2(line.size() <= 16 * 3, line.c_str());
            for (const char* split : {"我", "明", "图", "图书", "博", "博物", "天", "天安", "广", "参"})
                QVERIFY2(!QString::fromStdString(line).endsWith(split), line.c_str());
        }
        QCOMPARE(all, text);
    }

    void japanese_and_korean_have_their_widths()
    {
        std::string text;
        std::vector<std::string> words;
        for (int i = 0; i < 20; ++i) {
            words.push_back("안녕하세요");
            text += (i ? " " : "") + words.back();
        }
        for (const std::string& line : linesOf(makeCaptions(spokenAs(text, words, "ko"), text, 30))) {
            QVERIFY2(line.size() <= 51 + 3, line.c_str()); // 17 syllables of three bytes, and blanks
            QVERIFY2(line.size() % 16 == 15, line.c_str());  // whole words
        }
        QCOMPARE(captionRules("ja").columns, 32);
        QCOMPARE(captionRules("zh-CN").columns, 32);
        QCOMPARE(captionRules("en-us").columns, 42);
    }

    void what_is_written_is_shown_however_it_is_said()
    {
        const std::string text = "[slow]Our[/slow] [say \"SQL\" as \"sequel\"] is 🙂 fine [nod].";
        const auto cues = makeCaptions(spokenAs(text, {"Our", "SQL", "is", "fine"}, "en"), text, 20);
        QCOMPARE(flat(cues), std::string("Our SQL is 🙂 fine."));
        QCOMPARE(cues[0].words.size(), std::size_t(4));
    }

    // Several spoken words for one that is shown.
    void a_number_is_shown_once()
    {
        const std::string text = "It costs 1,234 dollars now";
        Timing timing = spokenAs(text, {"It", "costs", "1,234", "dollars", "now"}, "en");
        const Word number = timing.words[2];
        timing.words.insert(timing.words.begin() + 3, 3, number);
        const auto cues = makeCaptions(timing, text, 20);
        QCOMPARE(flat(cues), text);
        QCOMPARE(cues[0].words.size(), std::size_t(5));
    }

    void words_have_their_place_and_time_in_the_caption()
    {
        std::string text = "[smile] The quick brown fox jumps over the lazy dog, and then it runs away into the dark wood.";
        const Timing timing = spokenEvenly(text);
        std::size_t count = 0;
        for (const CaptionCue& cue : makeCaptions(timing, text, 100)) {
            for (const CaptionWord& word : cue.words) {
                QCOMPARE(cue.text.substr(word.begin, word.stop - word.begin), timing.words[count].text);
                QVERIFY(word.start >= cue.start && word.end <= cue.end && word.end > word.start);
                ++count;
            }
        }
        QCOMPARE(count, timing.words.size());
    }

    void ten_thousand_words_without_a_mark_take_no_time()
    {
        std::string text;
        for (int i = 0; i < 10'000; ++i)
            text += std::string(i ? " " : "") + "word";
        QElapsedTimer timer;
        timer.start();
        const auto cues = makeCaptions(spokenEvenly(text), text, 4000);
        QVERIFY2(static_cast<double>(timer.elapsed()) < 5000 * loquor::test::slowdown(), qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(flat(cues), text);
    }

    void right_to_left_lines_are_isolated()
    {
        const std::vector<CaptionCue> cues{{0, 1, "שלום ABC!"}, {1, 2, "He said שלום."}, {2, 3, "שלום, he said."}};
        const QString srt = QString::fromStdString(toSrt(cues));
        QVERIFY(srt.contains(QString::fromUtf8("\nHe said שלום.\n")));
        QVERIFY(srt.contains(QString::fromUtf8("\n\u2066שלום, he said.\u2069\n")));
        const std::vector<CaptionCue> hebrew{{0, 1, "שלום לכולם!\nABC"}};
        QCOMPARE(toVtt(hebrew), std::string("WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n\u2067שלום לכולם!\u2069\n\u2067ABC\u2069\n\n"));
    }

    void vtt_words_have_times()
    {
        CaptionCue cue{1, 3, "One & two\nthree", {}};
        cue.words = {{0, 3, 1, 1.5}, {6, 9, 1.5, 2}, {10, 15, 2.25, 3}};
        QCOMPARE(toVtt({cue}, VttWords::Timed), std::string("WEBVTT\n\n00:00:01.000 --> 00:00:03.000\n"
                                                            "One &amp; <00:00:01.500>two\n<00:00:02.250>three\n\n"));
        cue.words[1].start = 1; // no time may stand still or lie outside
        cue.words[2].start = 3;
        QVERIFY(toVtt({cue}, VttWords::Timed).find('>', 60) == std::string::npos);
    }

    // Nothing in a text is syntax for whoever reads the file.
    void ffmpeg_reads_what_was_meant()
    {
        const std::vector<CaptionCue> cues{{0.5, 2.25, "One\ntwo"}, {3, 4, "A <b>bold</b> & <i>"}, {5, 6.5, "C --> D"}, {3661, 3662, "last"}};
        const QStringList srt = readByFfmpeg(toSrt(cues), "a.srt"), vtt = readByFfmpeg(toVtt(cues), "a.vtt");
        QCOMPARE(srt.size(), 4);
        QCOMPARE(srt[0], "0:00:00.50|0:00:02.25|One\\Ntwo");
        QVERIFY2(QString(srt[1]).remove(QChar(0x2060)).endsWith("|A <b>bold</b> & <i>"), qPrintable(srt[1]));
        QVERIFY2(QString(srt[2]).remove(QChar(0x2060)).startsWith("0:00:05.00|0:00:06.50|C --> D"), qPrintable(srt[2]));
        QVERIFY2(srt[3].startsWith("1:01:01.00|1:01:02.00|last"), qPrintable(srt[3]));
        QCOMPARE(vtt.size(), 4);
        QCOMPARE(vtt[0], "0:00:00.50|0:00:02.25|One\\Ntwo");
        QVERIFY2(vtt[1].endsWith("|A <b>bold</b> & <i>"), qPrintable(vtt[1]));
        QVERIFY2(vtt[2].endsWith("|C --> D"), qPrintable(vtt[2]));
    }

    // A picture has no room for more; files and players have.
    void lines_wider_than_the_picture_are_broken()
    {
        CaptionRules rules;
        rules.columns = 20;
        const auto widest = [](const CaptionCue& cue) {
            int out = 0;
            for (const QString& line : QString::fromStdString(cue.text).split(QLatin1Char('\n'))) {
                int columns = 0;
                for (const QChar c : line)
                    columns += c.unicode() >= 0x3000 ? 2 : 1;
                out = std::max(out, columns);
            }
            return out;
        };
        const std::string word = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauten"; // 60 letters
        CaptionCue cue{0, 2, "Die " + word + " baut.", {{0, 3, 0, .5}, {4, 64, .5, 1.5}, {65, 69, 1.5, 2}}};
        breakWideLines(cue, rules, "de");
        QVERIFY2(widest(cue) <= 20, cue.text.c_str());
        QVERIFY2(cue.text.find("-\n") != std::string::npos, cue.text.c_str());
        QString plain = QString::fromStdString(cue.text);
        plain.replace(QStringLiteral("-\n"), QString()).replace(QLatin1Char('\n'), QLatin1Char(' '));
        QCOMPARE(plain, QString::fromStdString("Die " + word + " baut."));
        QCOMPARE(cue.text.substr(cue.words[0].begin, cue.words[0].stop - cue.words[0].begin), std::string("Die"));
        QCOMPARE(cue.text.substr(cue.words[2].begin, cue.words[2].stop - cue.words[2].begin), std::string("baut"));
        QString said = QString::fromStdString(cue.text.substr(cue.words[1].begin, cue.words[1].stop - cue.words[1].begin));
        QCOMPARE(said.remove(QStringLiteral("-\n")), QString::fromStdString(word));

        // Chinese as somebody wrote it, in one line and without a blank: at words, without hyphens.
        CaptionCue chinese{0, 4, "今天我们在北京的大学里学习中文和数学然后一起去吃晚饭", {}};
        breakWideLines(chinese, rules, "zh");
        QVERIFY2(widest(chinese) <= 20, chinese.text.c_str());
        QVERIFY(chinese.text.find('-') == std::string::npos);
        for (const char* together : {"北京", "大学", "学习", "数学", "晚饭"})
            QVERIFY2(chinese.text.find(together) != std::string::npos, together);

        // Lines that fit stay as they were written.
        CaptionCue fits{0, 2, "Two lines\nof a poem", {{0, 3, 0, 1}}};
        const CaptionCue before = fits;
        breakWideLines(fits, rules, "en");
        QVERIFY(fits == before);
        CaptionCue one{0, 2, "one line fits\nbut this line of it is much too wide", {}};
        breakWideLines(one, rules, "en");
        QVERIFY2(one.text.starts_with("one line fits\n") && widest(one) <= 20, one.text.c_str());
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
