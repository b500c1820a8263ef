// Config files of networks: public spellings of the fields, and what cannot be built.
#include "core/weights/network_config.h"

#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::weights;

class tst_network_config : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bothFamiliesOfNames()
    {
        const auto original = readWanDitConfig(R"({"dim": 80, "num_heads": 4, "num_layers": 3, "ffn_dim": 144, "in_dim": 36, "model_type": "i2v", "image_dim": null})", "a");
        const auto other = readWanDitConfig(R"({"num_attention_heads": 4, "attention_head_dim": 20, "num_layers": 3, "ffn_dim": 144, "in_channels": 36, "image_dim": 40})", "b");
        QVERIFY(original && other);
        QCOMPARE(original->width, other->width);
        QCOMPARE(original->headWidth(), std::int64_t(20));
        QCOMPARE(original->channelsIn, other->channelsIn);
        QCOMPARE(original->imageWidth, std::int64_t(1280));
        QCOMPARE(other->imageWidth, std::int64_t(40));
        const auto t5 = readUmt5Config(R"({"d_model": 32, "num_heads": 4, "d_kv": 8, "d_ff": 72, "num_layers": 3, "vocab_size": 97, "layer_norm_epsilon": 1e-5})", "c");
        QVERIFY(t5);
        QCOMPARE(t5->epsilon, 1e-5);
        const auto clip = readClipVisionConfig(R"({"vision_config": {"hidden_size": 40, "num_attention_heads": 4, "num_hidden_layers": 4, "image_size": 56, "intermediate_size": 100}})", "d");
        QVERIFY(clip);
        QCOMPARE(clip->feedForward, std::int64_t(100));
        const auto sound = readWav2Vec2Config(R"({"conv_dim": 16, "hidden_size": 48, "num_heads": 4})", "e");
        QVERIFY(sound);
        QCOMPARE(sound->convWidths, std::vector<std::int64_t>(7, 16));
    }

    void refusesWhatCannotBeBuilt_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("says");
        const QString start = R"({"num_layers": 3, "ffn_dim": 144, )";
        QTest::newRow("empty") << "" << "0 bytes";
        QTest::newRow("cut") << start << "not a JSON object";
        QTest::newRow("a list") << "[]" << "not a JSON object";
        QTest::newRow("nothing in it") << "{}" << "does not give all of dim";
        QTest::newRow("heads") << start + R"("dim": 80, "num_heads": 3})" << "dim (80) does not divide by num_heads (3)";
        QTest::newRow("odd heads") << start + R"("dim": 63, "num_heads": 3})" << "the width of a head (21) does not divide by two";
        QTest::newRow("negative") << start + R"("dim": -80, "num_heads": 4})" << "the field \"dim\" is -80, a whole number from 1 to 1000000 is expected";
        QTest::newRow("fraction") << start + R"("dim": 80.5, "num_heads": 4})" << "the field \"dim\" is 80.5";
        QTest::newRow("text") << start + R"("dim": "80", "num_heads": 4})" << "the field \"dim\" is \"80\"";
        QTest::newRow("huge") << start + R"("dim": 18446744073709551615, "num_heads": 4})" << "the field \"dim\"";
        QTest::newRow("zero heads") << start + R"("dim": 80, "num_heads": 0})" << "\"num_heads\" is 0";
        QTest::newRow("layers") << R"({"ffn_dim": 144, "dim": 80, "num_heads": 4, "num_layers": 100000})" << "it has 100000 layers";
        QTest::newRow("patch") << start + R"("dim": 80, "num_heads": 4, "patch_size": [1, 2]})" << "\"patch_size\" is [1,2]";
        QTest::newRow("patch of text") << start + R"("dim": 80, "num_heads": 4, "patch_size": "abc"})" << "\"patch_size\" is \"abc\"";
        QTest::newRow("epsilon") << start + R"("dim": 80, "num_heads": 4, "eps": 0})" << "\"eps\" is 0, a number between 0 and 1";
        QTest::newRow("odd sinusoid") << start + R"("dim": 80, "num_heads": 4, "freq_dim": 255})" << "freq_dim (255) does not divide by two";
    }
    void refusesWhatCannotBeBuilt()
    {
        QFETCH(QString, json);
        QFETCH(QString, says);
        const auto config = readWanDitConfig(json.toStdString(), "folder/config.json");
        QVERIFY(!config);
        QCOMPARE(config.error().code(), ErrorCode::Corrupt);
        const QString text = QString::fromStdString(config.error().text());
        QVERIFY2(text.contains(says) && text.contains("folder/config.json"), qPrintable(text));
    }

    void refusesWhatCannotBeBuiltOfOthers()
    {
        const auto says = [](const auto& config, const char* what) {
            return !config && config.error().code() == ErrorCode::Corrupt && config.error().text().find(what) != std::string::npos;
        };
        QVERIFY(says(readWanDitConfig(R"({"dim": 80, "num_heads": 4, "num_layers": 1, "ffn_dim": 8, "audio_window": 4})", "c", AudioPath::Extra), "is not odd"));
        QVERIFY(says(readWanDitConfig(R"({"dim": 80, "num_heads": 4, "num_layers": 1, "ffn_dim": 8, "output_dim": 8})", "c", AudioPath::InsteadOfText), "width of the audio tokens"));
        QVERIFY(says(readWanVaeConfig(R"({"temperal_downsample": [true]})", "c"), "one entry fewer"));
        QVERIFY(says(readWanVaeConfig(R"({"temperal_downsample": 7})", "c"), "no list"));
        QVERIFY(says(readTinyAutoencoderConfig(R"({"decoder_widths": [1, 2, 3]})", "c"), "decoder_widths"));
        QVERIFY(says(readClipVisionConfig(R"({"image_size": 225})", "c"), "image_size (225) does not divide by patch_size (14)"));
        QVERIFY(says(readClipVisionConfig(R"({"num_attention_heads": 7})", "c"), "does not divide"));
        QVERIFY(says(readUmt5Config(R"({"relative_attention_num_buckets": 30})", "c"), "buckets"));
        QVERIFY(says(readWav2Vec2Config(R"({"conv_kernel": [10, 3]})", "c"), "different lengths"));
        QVERIFY(says(readWav2Vec2Config(R"({"feat_extract_norm": "batch"})", "c"), "feat_extract_norm"));
        QVERIFY(says(readWav2Vec2Config(R"({"conv_bias": 1})", "c"), "true or false"));
    }
};

LOQUOR_TEST(tst_network_config)
#include "tst_network_config.moc"
