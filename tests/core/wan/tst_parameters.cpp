// Weights as tensors: views of the file, conversions, parts, and what loading costs.
#include "core/modules/wan/parameters.h"

#include <fstream>

#include <ATen/ATen.h>
#include <QTemporaryDir>

#include "core/weights/checkpoint.h"
#include "tests/core/weights/safetensors_builder.h"
#include "tests/support/test_main.h"

using namespace loquor;
using modules::Parameters;

namespace {

std::string entry(const std::string& name, std::int64_t begin, std::int64_t end)
{
    return "\"" + name + "\":{\"dtype\":\"F32\",\"shape\":[16384,4096],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

// Private memory of this process in bytes.
std::uint64_t privateBytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word == "RssAnon:") {
            std::uint64_t kilobytes = 0;
            status >> kilobytes;
            return kilobytes * 1024;
        }
    }
    return 0;
}

} // namespace

class tst_parameters : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    std::filesystem::path file(const char* name) const { return std::filesystem::path(m_dir.path().toStdString()) / name; }

private Q_SLOTS:
    void joinsCutsAndConverts()
    {
        test::writeSafetensors(file("w.safetensors"), {{"q", {1, 2}, {1, 2}}, {"k", {1, 2}, {3, 4}}, {"tall", {3}, {7, 8, 9}}, {"flat", {2}, {5, 6}}});
        const weights::Spelling parts{"parts", [](const weights::TensorSpec& t) {
                                          if (t.name == "qk")
                                              return std::vector<weights::FileTensor>{{"q", {1, 2}}, {"k", {1, 2}}};
                                          return std::vector<weights::FileTensor>{{t.name, t.name == "flat" ? weights::Shape{2} : t.shape}};
                                      }};
        const weights::CheckpointSpec spec{"the tested network", {{"qk", {2, 2}}, {"tall", {2}, weights::Presence::Required, weights::Rows::LastOfMore}, {"flat", {1, 2}}, {"absent", {1}, weights::Presence::Optional}}, {parts}, {}, {}};
        const auto checkpoint = *weights::Checkpoint::open(file("w.safetensors"));
        auto loaded = Parameters::load(checkpoint, spec);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        Parameters& p = *loaded;
        QVERIFY(p["qk"].equal(at::tensor({1.0f, 2.0f, 3.0f, 4.0f}).view({2, 2})));
        QVERIFY(p["tall"].equal(at::tensor({8.0f, 9.0f})));
        QCOMPARE(p["flat"].dim(), std::int64_t(2));
        QVERIFY(!p.contains("absent"));
        QVERIFY_EXCEPTION_THROWN(p["absent"], std::exception);
        const Parameters before = p;
        QCOMPARE(p.scale("^(tall|flat)$", 2), 2);
        QVERIFY(p["tall"].equal(at::tensor({16.0f, 18.0f})));
        QVERIFY(before["tall"].equal(at::tensor({8.0f, 9.0f})));
        const auto half = Parameters::load(checkpoint, spec, {"cpu", modules::Precision::BFloat16});
        QVERIFY(half && (*half)["flat"].scalar_type() == at::kBFloat16);
        const auto nowhere = Parameters::load(checkpoint, spec, {"cuda:93", modules::Precision::Float32});
        QVERIFY(!nowhere);
        QCOMPARE(nowhere.error().code(), ErrorCode::Unsupported);
        QVERIFY2(nowhere.error().text().find("cuda:93") != std::string::npos, nowhere.error().text().c_str());
    }

    // Two gigabytes are loaded without being read.
    void loadingCostsNothing()
    {
        constexpr std::int64_t kRows = 1 << 14, kColumns = 1 << 12; // 256 MB
        std::string header = "{";
        weights::CheckpointSpec spec{"a large network", {}, {weights::ownSpelling("own")}, {}, {}};
        for (std::int64_t i = 0; i < 8; ++i) {
            const std::string name = "block." + std::to_string(i);
            header += (i > 0 ? "," : "") + entry(name, i * kRows * kColumns * 4, (i + 1) * kRows * kColumns * 4);
            spec.tensors.push_back({name, {kRows, kColumns}});
        }
        header += '}';
        header.append((8 - header.size() % 8) % 8, ' ');
        test::writeRawSafetensors(file("large.safetensors"), header, "");
        std::filesystem::resize_file(file("large.safetensors"), 8 + header.size() + 8ull * kRows * kColumns * 4);
        const std::uint64_t before = privateBytes();
        const auto loaded = Parameters::load(*weights::Checkpoint::open(file("large.safetensors")), spec);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        QVERIFY(before > 0);
        QVERIFY2(privateBytes() < before + (50u << 20), qPrintable(QString::number(privateBytes() - before)));
        QCOMPARE((*loaded)["block.7"][kRows - 1][kColumns - 1].item<float>(), 0.0f);
    }
};

LOQUOR_TEST(tst_parameters)
#include "tst_parameters.moc"
