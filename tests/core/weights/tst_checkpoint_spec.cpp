// Specs of the networks against the layouts of the published files at full size, and what is said when they differ.
#include "core/weights/checkpoint_spec.h"

#include "core/weights/name_list.h"
#include "core/weights/network_specs.h"
#include "tests/core/weights/layout_file.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::weights;

namespace {

constexpr const char* kFlashTalk = R"({"model_type": "i2v", "patch_size": [1, 2, 2], "text_len": 512, "in_dim": 36, "dim": 5120, "ffn_dim": 13824,
  "freq_dim": 256, "text_dim": 4096, "out_dim": 16, "num_heads": 40, "num_layers": 40, "audio_window": 5, "intermediate_dim": 512,
  "output_dim": 768, "context_tokens": 32, "vae_scale": 4, "norm_input_visual": true, "norm_output_audio": true})";
constexpr const char* kWanI2V = R"({"num_attention_heads": 40, "attention_head_dim": 128, "in_channels": 36, "out_channels": 16, "ffn_dim": 13824,
  "num_layers": 40, "image_dim": 1280})";
constexpr const char* kSwiftVr = R"({"patch_size": [1, 2, 2], "num_attention_heads": 24, "attention_head_dim": 128, "in_channels": 48,
  "out_channels": 48, "text_dim": 4096, "freq_dim": 256, "ffn_dim": 14336, "num_layers": 30, "cross_attn_norm": true, "eps": 1e-06})";
constexpr const char* kFlashHead = R"({"dim": 1536, "in_dim": 32, "ffn_dim": 8960, "out_dim": 16, "text_dim": 4096, "freq_dim": 256, "eps": 1e-06,
  "vae_stride": [4, 8, 8], "patch_size": [1, 2, 2], "num_heads": 12, "num_layers": 30, "has_image_input": false})";
constexpr const char* kFlashHeadLite = R"({"dim": 1536, "in_dim": 256, "ffn_dim": 8960, "out_dim": 128, "text_dim": 4096, "freq_dim": 256, "eps": 1e-06,
  "vae_stride": [8, 32, 32], "patch_size": [1, 2, 2], "num_heads": 12, "num_layers": 30, "has_image_input": false})";
constexpr const char* kWav2Vec2Large = R"({"conv_bias": true, "feat_extract_norm": "layer", "do_stable_layer_norm": true, "hidden_size": 1024,
  "num_attention_heads": 16, "num_hidden_layers": 24, "intermediate_size": 4096})";

CheckpointSpec specOf(const QString& network)
{
    if (network == "flashtalk")
        return wanDitSpec(*readWanDitConfig(kFlashTalk, "config.json", AudioPath::Extra));
    if (network == "flashhead")
        return wanDitSpec(*readWanDitConfig(kFlashHead, "config.json", AudioPath::InsteadOfText));
    if (network == "flashhead-lite")
        return wanDitSpec(*readWanDitConfig(kFlashHeadLite, "config.json", AudioPath::InsteadOfText));
    if (network == "wan-i2v")
        return wanDitSpec(*readWanDitConfig(kWanI2V, "config.json"));
    if (network == "swiftvr")
        return wanDitSpec(*readWanDitConfig(kSwiftVr, "config.json"));
    if (network == "vae")
        return wanVaeSpec({});
    if (network == "taehv")
        return tinyAutoencoderSpec({});
    if (network == "reae")
        return tinyAutoencoderSpec(reaeConfig());
    if (network == "umt5")
        return umt5Spec({});
    if (network == "clip")
        return clipVisionSpec({});
    return wav2vec2Spec(network == "wav2vec2-large" ? *readWav2Vec2Config(kWav2Vec2Large, "config.json") : Wav2Vec2Config{});
}

std::string failure(const CheckpointSpec& spec, const TensorList& list)
{
    const auto bound = bindCheckpoint(spec, list, "weights.safetensors");
    return bound ? std::string("fits") : bound.error().text();
}

} // namespace

class tst_checkpoint_spec : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fitsTheFullSizeLayouts_data()
    {
        QTest::addColumn<QString>("network");
        QTest::addColumn<QString>("layout");
        QTest::addColumn<int>("inFile"); // tensors in the file
        QTest::addColumn<int>("bound");  // that the network has
        QTest::addColumn<QString>("spelling");
        const QString wan = "the original Wan code";
        QTest::newRow("FlashTalk 14B") << "flashtalk" << "flashtalk-14b" << 1633 << 1633 << wan;
        QTest::newRow("FlashHead Pro") << "flashhead" << "flashhead-1.3b-pro" << 843 << 831 << wan; // 12 are never used
        QTest::newRow("FlashHead Lite") << "flashhead-lite" << "flashhead-1.3b-lite" << 843 << 831 << wan;
        QTest::newRow("Wan I2V 14B of diffusers") << "wan-i2v" << "wan21-i2v-14b-diffusers" << 1303 << 1303 << "diffusers";
        QTest::newRow("SwiftVR") << "swiftvr" << "swiftvr-dit" << 825 << 825 << "diffusers";
        QTest::newRow("ReAE") << "reae" << "swiftvr-reae" << 128 << 128 << "SwiftVR";
        QTest::newRow("TAEHV") << "taehv" << "taew2_1" << 128 << 128 << "TAEHV";
        QTest::newRow("Wan VAE") << "vae" << "wan21-vae" << 194 << 194 << wan;
        QTest::newRow("UMT5") << "umt5" << "umt5-xxl" << 242 << 242 << wan;
        QTest::newRow("UMT5 of transformers") << "umt5" << "umt5-xxl-hf" << 242 << 242 << "transformers";
        QTest::newRow("CLIP") << "clip" << "clip-vit-h-visual" << 392 << 391 << "open-clip as Wan has it"; // without the head
        QTest::newRow("CLIP of transformers") << "clip" << "clip-vit-h-visual-hf" << 519 << 391 << "transformers";
        QTest::newRow("wav2vec2 base") << "wav2vec2-base" << "wav2vec2-base" << 211 << 211 << "transformers";
        QTest::newRow("wav2vec2 large") << "wav2vec2-large" << "wav2vec2-large-xlsr" << 422 << 422 << "transformers";
    }
    void fitsTheFullSizeLayouts()
    {
        QFETCH(QString, network);
        QFETCH(QString, layout);
        QFETCH(int, inFile);
        QFETCH(int, bound);
        const TensorList list = test::readLayout(layout.toStdString());
        QCOMPARE(int(list.size()), inFile);
        const auto binding = bindCheckpoint(specOf(network), list, "weights.safetensors");
        QVERIFY2(binding, binding ? "" : binding.error().text().c_str());
        QCOMPARE(int(binding->tensors.size()), bound);
        QTEST(QString::fromStdString(binding->spelling), "spelling");
    }

    // Which tensor goes where, not only that the shapes are there.
    void namesOfDiffusers_data()
    {
        QTest::addColumn<QString>("network");
        QTest::addColumn<QString>("names");
        QTest::addColumn<int>("count");
        QTest::newRow("transformer") << "wan-i2v" << "names-wan21-i2v-dit.txt" << 1303;
        QTest::newRow("VAE") << "vae" << "names-wan21-vae.txt" << 194;
    }
    void namesOfDiffusers()
    {
        QFETCH(QString, network);
        QFETCH(QString, names);
        const CheckpointSpec spec = specOf(network);
        std::map<std::string, std::string> expected;
        for (const auto& [original, other] : test::readPairs(names.toStdString()))
            expected[original] = other;
        QTEST(int(expected.size()), "count");
        QCOMPARE(spec.tensors.size(), expected.size());
        for (const TensorSpec& tensor : spec.tensors) {
            const auto spelt = spec.spellings[1].spell(tensor);
            QCOMPARE(spelt.size(), std::size_t(1));
            QCOMPARE(spelt[0].name, expected[tensor.name]);
        }
    }

    void joinsWhatOthersHaveInParts()
    {
        const auto binding = bindCheckpoint(specOf("clip"), test::readLayout("clip-vit-h-visual-hf"), "f");
        QVERIFY(binding);
        QCOMPARE(binding->prefix, std::string("vision_model."));
        const BoundTensor& qkv = binding->tensors.at("visual.transformer.3.attn.to_qkv.weight");
        QCOMPARE(qkv.parts.size(), std::size_t(3));
        QCOMPARE(qkv.parts[1], std::string("vision_model.encoder.layers.3.self_attn.k_proj.weight"));
        QCOMPARE(qkv.shape, (Shape{3840, 1280}));
    }

    void acceptsPublicVariants()
    {
        // The newer spelling of a weight norm, a prefix, and tensors of other heads.
        TensorList list;
        for (const auto& [original, info] : test::readLayout("wav2vec2-base")) {
            std::string name = original;
            if (const auto at = name.find("weight_"); at != std::string::npos)
                name.replace(at, 8, name.ends_with('g') ? "parametrizations.weight.original0" : "parametrizations.weight.original1");
            list["wav2vec2." + name] = info;
        }
        list["lm_head.weight"] = {DType::F32, {32, 768}};
        list["quantizer.codevectors"] = {DType::F32, {1, 640, 128}};
        QCOMPARE(failure(specOf("wav2vec2-base"), list), std::string("fits"));
        // A decoder that could grow frames more often than it does.
        list = test::readLayout("taew2_1");
        list["decoder.7.conv.weight"].shape = {512, 256, 1, 1};
        QCOMPARE(failure(specOf("taehv"), list), std::string("fits"));
        list["decoder.7.conv.weight"].shape = {128, 256, 1, 1};
        QVERIFY(failure(specOf("taehv"), list) != "fits");
        list = test::readLayout("umt5-xxl-hf");
        list["encoder.embed_tokens.weight"] = list["shared.weight"];
        QCOMPARE(failure(specOf("umt5"), list), std::string("fits"));
    }

    // One message names all that is wrong.
    void saysEverything()
    {
        TensorList list = test::readLayout("flashtalk-14b");
        for (int i = 0; i < 40; ++i)
            list.erase("blocks." + std::to_string(i) + ".norm_x.weight");
        list.erase("head.head.bias");
        list["blocks.7.ffn.0.weight"].shape = {13824, 5121};
        list["audio_proj.norm.bias"].shape = {};
        list["blocks.3.modulation"].dtype = DType::I8;
        list["blocks.40.modulation"] = {DType::BF16, {1, 6, 5120}};
        list["blocks.41.modulation"] = {DType::BF16, {1, 6, 5120}};
        list["lora.up"] = {DType::BF16, {4}};
        const std::string text = failure(specOf("flashtalk"), list);
        for (const char* part : {"weights.safetensors does not hold the weights of the FlashTalk transformer (1633 tensors",
                                 "41 missing: blocks.{0-39}.norm_x.weight, head.head.bias",
                                 "2 of another shape: blocks.7.ffn.0.weight is [13824, 5121] instead of [13824, 5120], audio_proj.norm.bias is [] instead of [768]",
                                 "1 of a type that is no floating-point number: blocks.3.modulation is I8",
                                 "3 unexpected: blocks.{40-41}.modulation, lora.up"})
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }

    void anotherNetworkIsNotTaken()
    {
        const auto bound = bindCheckpoint(specOf("vae"), test::readLayout("umt5-xxl"), "t5.safetensors");
        QVERIFY(!bound);
        QCOMPARE(bound.error().code(), ErrorCode::Corrupt);
        QVERIFY2(bound.error().text().find("194 missing") != std::string::npos, bound.error().text().c_str());
        QVERIFY2(bound.error().text().find("242 unexpected: blocks.{0-23}.attn.k.weight") != std::string::npos, bound.error().text().c_str());
        QVERIFY(!bindCheckpoint(specOf("vae"), {}, "empty"));
    }

    void listsOfNames()
    {
        QCOMPARE(listNames({}), std::string());
        QCOMPARE(listNames({"a", "b.1.c", "b.3.c", "b.2.c", "b.7.c", "b.1.d", "x2.y"}), std::string("a, b.{1-3, 7}.c, b.1.d, x2.y"));
        QCOMPARE(listNames({"1", "2", "a.99999999999.b"}), std::string("{1-2}, a.99999999999.b"));
    }
};

LOQUOR_TEST(tst_checkpoint_spec)
#include "tst_checkpoint_spec.moc"
