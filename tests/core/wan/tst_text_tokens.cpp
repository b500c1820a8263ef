// Prompts: what cleaning makes of them, and their tokens with a model that is trained here.
#include "core/modules/wan/letter_model.h"
#include "core/modules/wan/prompt_text.h"
#include "core/modules/wan/text_tokens.h"

#include <algorithm>
#include <fstream>

#include <QTemporaryDir>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include "tests/support/test_main.h"

using namespace loquor;
using modules::cleanPrompt;
using modules::TextTokenizer;

class tst_text_tokens : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    std::filesystem::path folder() const { return m_dir.path().toStdString(); }
    std::filesystem::path write(const char* name, const std::string& bytes) const
    {
        std::ofstream(folder() / name, std::ios::binary) << bytes;
        return folder() / name;
    }

private Q_SLOTS:
    void initTestCase()
    {
        std::string text;
        const char* words[] = {"person", "talks", "calmly", "looks", "into", "camera", "smiles", "hand", "light", "soft", "the", "a", "with"};
        for (int i = 0; i < 400; ++i) {
            for (int k = 0; k < 7; ++k)
                text += std::string(words[(i * 7 + k * (i % 5 + 1)) % 13]) + (k < 6 ? " " : ".\n");
        }
        const std::filesystem::path input = write("words.txt", text);
        const auto status = sentencepiece::SentencePieceTrainer::Train(
            "--input=" + input.string() + " --model_prefix=" + (folder() / "small").string() +
            " --vocab_size=60 --hard_vocab_limit=false --pad_id=0 --eos_id=1 --unk_id=2 --bos_id=-1 --minloglevel=2");
        QVERIFY2(status.ok(), status.ToString().c_str());
    }

    // Expected values are those of ftfy 6 and html.unescape of Python 3.
    void cleansPrompts_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("clean");
        QTest::newRow("plain") << "A person talks." << "A person talks.";
        QTest::newRow("white space") << "  A\tperson \n\n talks. " << "A person talks.";
        QTest::newRow("wide space") << QString::fromUtf16(u"a\u3000b\u00a0c\u2003d") << "a b c d";
        QTest::newRow("quotes") << QString::fromUtf16(u"\u201cHi\u201d, it\u2019s me") << "\"Hi\", it's me";
        QTest::newRow("ligature") << QString::fromUtf16(u"\ufb01ne o\ufb03ce") << "fine office";
        QTest::newRow("full width") << QString::fromUtf16(u"\uff21\uff22\uff11") << "AB1";
        QTest::newRow("read wrongly") << QString::fromUtf16(u"caf\u00c3\u00a9 \u00e2\u0153\u201d") << QString::fromUtf16(u"caf\u00e9 \u2714");
        QTest::newRow("right already") << QString::fromUtf16(u"caf\u00e9 \u2714") << QString::fromUtf16(u"caf\u00e9 \u2714");
        QTest::newRow("German") << QString::fromUtf16(u"sch\u00f6ne Gr\u00fc\u00dfe") << QString::fromUtf16(u"sch\u00f6ne Gr\u00fc\u00dfe");
        QTest::newRow("composed") << QString::fromUtf16(u"cafe\u0301") << QString::fromUtf16(u"caf\u00e9");
        QTest::newRow("escape") << QString::fromUtf16(u"a\u001b[36;44mblue\u001b[0m b") << "ablue b";
        QTest::newRow("control") << QString::fromUtf16(u"a\u0001b\ufeffc") << "abc";
        QTest::newRow("C1") << QString::fromUtf16(u"tab\u0085next") << QString::fromUtf16(u"tab\u2026next");
        QTest::newRow("HTML") << "a &amp; b &lt;c&gt; &quot;d&quot; &#39;e&#x27; &eacute;" << QString::fromUtf16(u"a & b <c> \"d\" 'e' \u00e9");
        QTest::newRow("HTML twice") << "a &amp;amp; b" << "a & b";
        QTest::newRow("HTML, unknown") << "a &dance; b &#xzz; & c" << "a &dance; b &#xzz; & c";
        QTest::newRow("HTML, no character") << "a&#0;b&#x110000;c" << QString::fromUtf16(u"a\ufffdb\ufffdc");
        QTest::newRow("other scripts") << QString::fromUtf16(u"\u4e00\u4e2a\u4eba \u0433\u043e\u0432\u043e\u0440\u0438\u0442") << QString::fromUtf16(u"\u4e00\u4e2a\u4eba \u0433\u043e\u0432\u043e\u0440\u0438\u0442");
        QTest::newRow("empty") << "" << "";
    }
    void cleansPrompts()
    {
        QFETCH(QString, text);
        QFETCH(QString, clean);
        QCOMPARE(QString::fromStdString(cleanPrompt(text.toStdString())), clean);
    }
    void takesAnyBytes()
    {
        for (int seed = 0; seed < 500; ++seed) {
            std::string bytes;
            unsigned state = 77u + static_cast<unsigned>(seed);
            for (int i = 0; i < seed % 60; ++i) {
                state = state * 1664525u + 1013904223u;
                bytes += static_cast<char>(state >> 24);
            }
            const QByteArray clean = QByteArray::fromStdString(cleanPrompt(bytes));
            QCOMPARE(QString::fromUtf8(clean).toUtf8(), clean); // whole UTF-8, whatever came in
        }
    }

    void makesTokens()
    {
        const auto tokenizer = TextTokenizer::open(folder() / "small.model");
        QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().text().c_str());
        sentencepiece::SentencePieceProcessor other;
        QVERIFY(other.Load((folder() / "small.model").string()).ok());
        const std::string text = "The  person talks\ncalmly with a light hand.";
        const auto tokens = (*tokenizer)->encode(text, 40);
        std::vector<int> expected;
        QVERIFY(other.Encode("The person talks calmly with a light hand.", &expected).ok());
        expected.push_back(1);
        QCOMPARE(tokens.count, expected.size());
        QCOMPARE(tokens.ids.size(), std::size_t(40));
        QVERIFY(std::equal(expected.begin(), expected.end(), tokens.ids.begin()));
        QVERIFY(std::all_of(tokens.ids.begin() + static_cast<std::ptrdiff_t>(tokens.count), tokens.ids.end(), [](std::int64_t id) { return id == 0; }));
        QCOMPARE(std::count(tokens.mask.begin(), tokens.mask.end(), 1), static_cast<std::ptrdiff_t>(tokens.count));
        QCOMPARE(tokens.mask[tokens.count - 1], std::int64_t(1));
        QCOMPARE(tokens.mask[tokens.count], std::int64_t(0));

        const auto cut = (*tokenizer)->encode(text, 5);
        QCOMPARE(cut.count, std::size_t(5));
        QCOMPARE(cut.ids.back(), std::int64_t(1)); // the end is kept
        QVERIFY(std::equal(cut.ids.begin(), cut.ids.begin() + 4, tokens.ids.begin()));
        const auto empty = (*tokenizer)->encode("", 3);
        QCOMPARE(empty.ids, (std::vector<std::int64_t>{1, 0, 0}));
    }

    void letterModelReadsAnything()
    {
        const auto tokenizer = TextTokenizer::open(write("letters.model", modules::letterModel()));
        QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().text().c_str());
        const auto tokens = (*tokenizer)->encode("Hi!", 8);
        QCOMPARE(tokens.count, std::size_t(5)); // the beginning of a word, three letters, the end
        QCOMPARE(tokens.ids[4], std::int64_t(1));
        QVERIFY(*std::max_element(tokens.ids.begin(), tokens.ids.end()) < (*tokenizer)->vocabulary());
        QVERIFY((*tokenizer)->encode("\xe4\xb8\x80", 8).count >= 2);
    }

    void namesWhatCannotBeRead_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("not a model");
        QTest::newRow("zeros") << QByteArray(1000, '\0');
        QTest::newRow("cut") << QByteArray::fromStdString(modules::letterModel().substr(0, 333));
    }
    void namesWhatCannotBeRead()
    {
        QFETCH(QByteArray, bytes);
        const auto file = write("bad.model", bytes.toStdString());
        const auto tokenizer = TextTokenizer::open(file);
        QVERIFY(!tokenizer);
        QCOMPARE(tokenizer.error().code(), ErrorCode::Corrupt);
        QVERIFY2(tokenizer.error().text().find("bad.model") != std::string::npos, tokenizer.error().text().c_str());
        QCOMPARE(TextTokenizer::open(folder() / "none.model").error().code(), ErrorCode::NotFound);
    }
};

LOQUOR_TEST(tst_text_tokens)
#include "tst_text_tokens.moc"
