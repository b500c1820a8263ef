#include "core/session/run_captions.h"

#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;

namespace {

constexpr int kRate = 1000;

// A piece of "One two three." or "Four five." that lasts a second; `first` to `last` of its words are said in it.
SpokenLine piece(int number, bool continues, double start, int first, int last, bool isLast = false)
{
    const std::string text = number == 1 ? "One two three." : "Four five.";
    SpokenLine out;
    out.number = number;
    out.continues = continues;
    out.isLast = isLast;
    out.text = text;
    out.textBegin = number == 1 ? 0 : 15;
    out.audio = {kRate, 1, std::vector<float>(kRate)};
    out.timing.language = "en";
    std::size_t begin = 0;
    for (int word = 0; begin < text.size(); ++word) {
        const std::size_t end = std::min(text.find_first_of(" .", begin), text.size());
        if (word >= first && word <= last)
            out.timing.words.push_back({text.substr(begin, end - begin), start + .1 * word, start + .1 * word + .09,
                                        static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), 1});
        begin = end + 1;
    }
    return out;
}

} // namespace

class tst_runcaptions : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void pieces_go_on_at_once_where_nothing_is_drawn()
    {
        RunCaptions captions(kRate, std::nullopt);
        captions.add(piece(1, false, 0, 0, 1));
        const auto first = captions.next();
        QVERIFY(first && first->audio.frames() == kRate && first->captions.empty());
        QVERIFY(!captions.next());
        QVERIFY(captions.all().empty());
        captions.add(piece(1, true, .6, 2, 2));
        captions.add(piece(2, false, 2, 0, 1, true));
        QVERIFY(captions.next() && captions.next() && !captions.next());
        QCOMPARE(captions.all().size(), std::size_t(2));
        QCOMPARE(QString::fromStdString(captions.all()[0].text), "One two three.");
        QVERIFY(std::abs(captions.all()[0].start) < 1e-9);
        QVERIFY(captions.all()[0].end <= 2);
        QCOMPARE(QString::fromStdString(captions.all()[1].text), "Four five.");
        QVERIFY(std::abs(captions.all()[1].start - 2) < 1e-9);
        QVERIFY(captions.all()[1].end <= 3);
    }

    void drawn_lines_wait_until_they_are_whole()
    {
        RunCaptions captions(kRate, media::CaptionRoom{20, 2});
        captions.add(piece(1, false, 0, 0, 1));
        captions.add(piece(1, true, .6, 2, 2));
        QVERIFY(!captions.next());
        captions.add(piece(2, false, 2, 0, 1)); // now the first line is known as a whole
        const auto first = captions.next(), second = captions.next();
        QVERIFY(first && second && !captions.next());
        QCOMPARE(first->audio.frames(), std::int64_t{kRate});
        QCOMPARE(first->captions.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(first->captions[0].text), "One two three.");
        QCOMPARE(first->captions[0].words.size(), std::size_t(3));
        QVERIFY(std::abs(first->captions[0].words[2].start - .8) < 1e-9);
        QVERIFY(second->captions.empty());
        captions.add(piece(2, true, 3, 9, 9, true)); // silence ends the run
        const auto third = captions.next();
        QVERIFY(third && third->captions.size() == 1 && captions.next() && !captions.next());
        QVERIFY(std::abs(third->captions[0].start - 2) < 1e-9);
    }

    void lines_without_words_have_none()
    {
        for (const auto& room : {std::optional<media::CaptionRoom>(), std::optional<media::CaptionRoom>(media::CaptionRoom{})}) {
            RunCaptions captions(kRate, room);
            captions.add(piece(1, false, 0, 9, 9));
            captions.add(piece(2, false, 1, 9, 9, true));
            QVERIFY(captions.next() && captions.next() && !captions.next());
            QVERIFY(captions.all().empty());
        }
    }
};

LOQUOR_TEST(tst_runcaptions)
#include "tst_runcaptions.moc"
