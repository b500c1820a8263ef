// Folders of published weights at full size: headers and holes, so that 38 GB need no disk.
#include "core/weights/published.h"

#include <chrono>
#include <fstream>

#include <QTemporaryDir>

#include "core/weights/import.h"
#include "core/weights/safetensors.h"
#include "tests/core/weights/layout_file.h"
#include "tests/core/weights/safetensors_builder.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::weights;

namespace {

// Every tensor of the list as zeros that take no room.
void writeHollow(const std::filesystem::path& path, const TensorList& list)
{
    std::string header = "{";
    std::uint64_t at = 0;
    for (const auto& [name, info] : list) {
        const std::uint64_t end = at + *denseBytes(info.shape, info.dtype);
        header += (header.size() > 1 ? ",\"" : "\"") + name + "\":{\"dtype\":\"" + toString(info.dtype) + "\",\"shape\":" + toString(info.shape) +
                  ",\"data_offsets\":[" + std::to_string(at) + "," + std::to_string(end) + "]}";
        at = end;
    }
    header += "}";
    test::writeRawSafetensors(path, header, "");
    std::filesystem::resize_file(path, 8 + header.size() + at);
}

constexpr const char* kFlashTalk = R"({"dim": 5120, "ffn_dim": 13824, "num_heads": 40, "num_layers": 40, "in_dim": 36, "model_type": "i2v"})";

} // namespace

class tst_published : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    std::filesystem::path folder() const { return m_dir.path().toStdString(); }

private Q_SLOTS:
    void init()
    {
        for (const auto& entry : std::filesystem::directory_iterator(folder()))
            std::filesystem::remove_all(entry);
    }

    // A folder as it is published: the transformer, and what else it needs in folders and files beside it.
    void judgesThirtyEightGigabytesInSeconds()
    {
        const auto begin = std::chrono::steady_clock::now();
        std::ofstream(folder() / "config.json") << kFlashTalk;
        writeHollow(folder() / "diffusion_pytorch_model.safetensors", test::readLayout("flashtalk-14b"));
        std::filesystem::create_directories(folder() / "vae");
        writeHollow(folder() / "vae" / "Wan2.1_VAE.safetensors", test::readLayout("wan21-vae"));
        std::filesystem::create_directories(folder() / "wav2vec2");
        writeHollow(folder() / "wav2vec2" / "model.safetensors", test::readLayout("wav2vec2-base"));
        const auto reports = verifyWeights(folder());
        QVERIFY2(reports, reports ? "" : reports.error().text().c_str());
        QCOMPARE(reports->size(), std::size_t(3));
        QVERIFY2((*reports)[0].problem.empty(), (*reports)[0].problem.c_str());
        QCOMPARE((*reports)[0].network, std::string("flashtalk-14b"));
        QCOMPARE((*reports)[0].tensors, std::size_t(1633));
        QVERIFY((*reports)[0].bytes > 37'000'000'000u);
        QCOMPARE((*reports)[1].network, std::string("wan21"));
        QCOMPARE((*reports)[2].network, std::string("wav2vec2"));
        QVERIFY((*reports)[1].problem.empty() && (*reports)[2].problem.empty());
        QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
    }

    void saysWhatIsWrong()
    {
        TensorList list = test::readLayout("taew2_1");
        list.erase("decoder.22.bias");
        writeHollow(folder() / "taew2_1.safetensors", list);
        const auto reports = verifyWeights(folder());
        QVERIFY(reports);
        QCOMPARE(reports->front().network, std::string("taehv"));
        QVERIFY2(reports->front().problem.find("1 missing: decoder.22.bias") != std::string::npos, reports->front().problem.c_str());
        const auto asVae = verifyWeights(folder(), "wan21");
        QVERIFY(asVae && !asVae->front().problem.empty());
        const auto asTalk = verifyWeights(folder(), "flashtalk-14b");
        QVERIFY(asTalk);
        QVERIFY2(asTalk->front().problem.find("config.json is missing") != std::string::npos, asTalk->front().problem.c_str());
        QCOMPARE(verifyWeights(folder(), "dance").error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(verifyWeights(folder() / "nowhere").error().code(), ErrorCode::NotFound);
        std::ofstream(folder() / "taew2_1.safetensors", std::ios::trunc).flush();
        QVERIFY(verifyWeights(folder())->front().problem.find("0 bytes") != std::string::npos);
        std::filesystem::remove(folder() / "taew2_1.safetensors");
        QCOMPARE(verifyWeights(folder()).error().code(), ErrorCode::NotFound);
    }

    // A config beside the weights counts when it is the network's own, not when it is another's.
    void configsOfOthersAreLeftAlone()
    {
        const auto source = std::filesystem::path(LOQUOR_TEST_DATA) / "golden" / "wan21-vae-a" / "weights.safetensors";
        std::filesystem::copy_file(source, folder() / "vae.safetensors");
        const PublishedNetwork& vae = **publishedNetwork("wan21");
        std::ofstream(folder() / "config.json") << R"({"_class_name": "AutoencoderKLWan", "base_dim": 4})";
        QCOMPARE(verifyWeights(folder())->front().problem, std::string());
        QVERIFY(configFor(vae, folder() / "vae.safetensors"));
        const auto done = importWeights(folder(), *specFor(vae, folder()), folder() / "model.safetensors", {}, {});
        QVERIFY2(done, done ? "" : done.error().text().c_str());
        QCOMPARE((*SafetensorsFile::open(folder() / "model.safetensors"))->tensors().size(), std::size_t(194));
        std::filesystem::remove(folder() / "model.safetensors");
        std::ofstream(folder() / "config.json", std::ios::trunc) << R"({"model_type": "i2v", "base_dim": 4, "dim": 5120, "num_heads": 40, "num_layers": 40, "ffn_dim": 13824})";
        QVERIFY(!configFor(vae, folder() / "vae.safetensors"));
        QVERIFY(verifyWeights(folder())->front().problem.find("instead of [96, 3, 3, 3, 3]") != std::string::npos);
    }
};

LOQUOR_TEST(tst_published)
#include "tst_published.moc"
