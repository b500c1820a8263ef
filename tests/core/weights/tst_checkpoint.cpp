// Weights in several files, and writing and importing them.
#include "core/weights/checkpoint.h"

#include <cstring>
#include <fstream>

#include <QTemporaryDir>

#include "core/weights/import.h"
#include "core/weights/safetensors_writer.h"
#include "tests/core/weights/safetensors_builder.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::weights;

namespace {

constexpr const char* kIndex = R"({"metadata": {"total_size": 20}, "weight_map": {"a.weight": "model-00001-of-00002.safetensors",
  "a.bias": "model-00001-of-00002.safetensors", "b.weight": "model-00002-of-00002.safetensors"}})";

std::string messageOf(const auto& result)
{
    return result ? std::string("fine") : result.error().text();
}

} // namespace

class tst_checkpoint : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    std::filesystem::path folder() const { return m_dir.path().toStdString(); }
    std::filesystem::path index() const { return folder() / "model.safetensors.index.json"; }
    void writeIndex(const std::string& text) const { std::ofstream(index(), std::ios::trunc) << text; }
    void writeShards() const
    {
        test::writeSafetensors(folder() / "model-00001-of-00002.safetensors", {{"a.weight", {2}, {1, 2}}, {"a.bias", {1}, {3}}});
        test::writeSafetensors(folder() / "model-00002-of-00002.safetensors", {{"b.weight", {2}, {4, 5}}});
        writeIndex(kIndex);
    }

private Q_SLOTS:
    void init()
    {
        for (const auto& entry : std::filesystem::directory_iterator(folder()))
            std::filesystem::remove_all(entry);
    }

    void readsShards()
    {
        writeShards();
        for (const auto& path : {index(), folder()}) {
            const auto opened = Checkpoint::open(path);
            QVERIFY2(opened, messageOf(opened).c_str());
            QCOMPARE((*opened)->fileCount(), std::size_t(2));
            QCOMPARE((*opened)->list(), (TensorList{{"a.weight", {DType::F32, {2}}}, {"a.bias", {DType::F32, {1}}}, {"b.weight", {DType::F32, {2}}}}));
            float value = 0;
            std::memcpy(&value, (*opened)->tensor("b.weight")->data.data(), sizeof value);
            QCOMPARE(value, 4.0f);
            const auto missing = (*opened)->tensor("c");
            QVERIFY(!missing && missing.error().text().find("\"c\"") != std::string::npos);
        }
        std::filesystem::remove(index());
        const auto several = Checkpoint::open(folder());
        QCOMPARE(several.error().code(), ErrorCode::InvalidArgument);
        QVERIFY2(messageOf(several).find("model-00001-of-00002.safetensors, model-00002-of-00002.safetensors") != std::string::npos, messageOf(several).c_str());
        QVERIFY(Checkpoint::open(folder() / "model-00002-of-00002.safetensors"));
    }

    void namesMissingFiles()
    {
        writeShards();
        std::filesystem::remove(folder() / "model-00001-of-00002.safetensors");
        auto opened = Checkpoint::open(folder());
        QCOMPARE(opened.error().code(), ErrorCode::NotFound);
        QVERIFY2(messageOf(opened).find("1 file is missing: model-00001-of-00002.safetensors (2 tensors, such as \"a.bias\")") != std::string::npos, messageOf(opened).c_str());
        std::filesystem::remove(folder() / "model-00002-of-00002.safetensors");
        opened = Checkpoint::open(folder());
        QVERIFY2(messageOf(opened).find("2 files are missing") != std::string::npos, messageOf(opened).c_str());
        std::filesystem::remove(index());
        QCOMPARE(Checkpoint::open(folder()).error().code(), ErrorCode::NotFound);
        QCOMPARE(Checkpoint::open(folder() / "nowhere").error().code(), ErrorCode::NotFound);
    }

    void refusesBadIndices_data()
    {
        QTest::addColumn<QString>("index");
        QTest::addColumn<QString>("says");
        const QString first = "model-00001-of-00002.safetensors", second = "model-00002-of-00002.safetensors";
        const auto map = [](const QString& rows) { return QString(R"({"weight_map": {%1}})").arg(rows); };
        QTest::newRow("empty") << "" << "0 bytes";
        QTest::newRow("cut") << "{\"weight_map\": {\"a" << "not JSON";
        QTest::newRow("no map") << "{}" << "no \"weight_map\"";
        QTest::newRow("empty map") << map("") << "no \"weight_map\"";
        QTest::newRow("list") << R"({"weight_map": []})" << "no \"weight_map\"";
        QTest::newRow("number") << map("\"a.weight\": 1") << "\"a.weight\" is no text";
        QTest::newRow("way up") << map("\"a.weight\": \"../model.safetensors\"") << "\"../model.safetensors\", a file outside of its folder";
        QTest::newRow("way up inside") << map("\"a.weight\": \"x/../../model.safetensors\"") << "outside of its folder";
        QTest::newRow("absolute") << map("\"a.weight\": \"/etc/passwd\"") << "\"/etc/passwd\", a file outside of its folder";
        QTest::newRow("nothing") << map("\"a.weight\": \"\"") << "outside of its folder";
        QTest::newRow("zero byte") << map("\"a.weight\": \"a\\u0000b\"") << "outside of its folder";
        QTest::newRow("name twice") << map("\"a.weight\": \"" + first + "\", \"a.weight\": \"" + second + "\"") << "names \"a.weight\" twice";
        QTest::newRow("wrong file") << map("\"a.weight\": \"" + first + "\", \"a.bias\": \"" + second + "\"") << "\"a.bias\" into " + second + ", but it lies in " + first;
        QTest::newRow("nowhere") << map("\"a.weight\": \"" + first + "\", \"z\": \"" + first + "\"") << "\"z\" into " + first + ", which does not hold it";
    }
    void refusesBadIndices()
    {
        QFETCH(QString, index);
        QFETCH(QString, says);
        writeShards();
        writeIndex(index.toStdString());
        const auto opened = Checkpoint::open(folder());
        QVERIFY(!opened);
        QCOMPARE(opened.error().code(), ErrorCode::Corrupt);
        QVERIFY2(messageOf(opened).find(says.toStdString()) != std::string::npos, messageOf(opened).c_str());
        QVERIFY(messageOf(opened).find("model.safetensors.index.json") != std::string::npos);
    }

    void refusesOneNameInTwoFiles()
    {
        writeShards();
        test::writeSafetensors(folder() / "model-00002-of-00002.safetensors", {{"b.weight", {2}, {4, 5}}, {"a.bias", {1}, {9}}});
        const auto opened = Checkpoint::open(folder());
        QVERIFY(!opened);
        QVERIFY2(messageOf(opened).find("model-00002-of-00002.safetensors holds tensor \"a.bias\", which another file") != std::string::npos, messageOf(opened).c_str());
    }

    void writesWhatItReads()
    {
        const auto path = folder() / "written.safetensors";
        auto writer = SafetensorsWriter::create(path, {{"b", {DType::BF16, {2, 1}}}, {"a \"quoted\"", {DType::F32, {}}}, {"none", {DType::I64, {0}}}}, {{"made by", "a test"}}, platform::IfExists::Refuse);
        QVERIFY2(writer, messageOf(writer).c_str());
        const std::array<std::byte, 8> data{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}, std::byte{6}, std::byte{7}, std::byte{8}};
        QVERIFY((*writer)->write(std::span(data).first(5)));
        QVERIFY(!(*writer)->finish()); // three are missing
        QVERIFY(!(*writer)->write(data));
        QVERIFY((*writer)->write(std::span(data).subspan(5)));
        QVERIFY(!std::filesystem::exists(path));
        QVERIFY((*writer)->finish());
        const auto read = SafetensorsFile::open(path);
        QVERIFY2(read, messageOf(read).c_str());
        QCOMPARE((*read)->metadata().at("made by"), std::string("a test"));
        QCOMPARE((*read)->tensor("b")->shape, (Shape{2, 1}));
        QVERIFY((*read)->tensor("a \"quoted\"")->data[3] == std::byte{8});
        QCOMPARE(reinterpret_cast<std::uintptr_t>((*read)->tensor("b")->data.data()) % 8, std::uintptr_t(0));
        // Names and shapes that cannot be.
        using List = std::vector<std::pair<std::string, TensorInfo>>;
        for (const List& bad : {List{{"", {DType::F32, {}}}}, List{{"a", {DType::F32, {}}}, {"a", {DType::F32, {}}}}, List{{"a", {DType::F32, {-1}}}}, List{{"a", {DType::Unknown, {}}}}, List{{"__metadata__", {DType::F32, {}}}}})
            QCOMPARE(SafetensorsWriter::create(folder() / "bad", bad, {}, platform::IfExists::Refuse).error().code(), ErrorCode::InvalidArgument);
    }

    // From a PyTorch file and from shards to one file that holds what the network needs and no more.
    void imports()
    {
        CheckpointSpec spec{"the tested network", {{"linear.weight", {2, 3}}, {"transposed", {3, 2}}, {"half", {3}}}, {ownSpelling("PyTorch")}, {}, {"linear.bias", "brain", "double", "counts", "flags", "row", "scalar", "none", "parameter"}};
        const auto source = std::filesystem::path(LOQUOR_TEST_DATA) / "weights" / "state_dict.pth";
        const auto target = folder() / "imported.safetensors";
        double part = 0;
        ImportOptions options{platform::IfExists::Refuse, [&part](double p) { part = p; }};
        const auto done = importWeights(source, spec, target, options, {});
        QVERIFY2(done, messageOf(done).c_str());
        QCOMPARE(part, 1.0);
        const auto read = SafetensorsFile::open(target);
        QVERIFY2(read, messageOf(read).c_str());
        QCOMPARE((*read)->tensors().size(), std::size_t(3));
        std::array<float, 6> values{};
        std::memcpy(values.data(), (*read)->tensor("transposed")->data.data(), sizeof values);
        QCOMPARE(values, (std::array<float, 6>{0, 3, 1, 4, 2, 5}));
        QCOMPARE(importWeights(source, spec, target, options, {}).error().code(), ErrorCode::AlreadyExists);
        QCOMPARE(importWeights(target, spec, target, {platform::IfExists::Replace, {}}, {}).error().code(), ErrorCode::InvalidArgument);

        spec.tensors.push_back({"another", {1}});
        const auto lacking = importWeights(source, spec, folder() / "no.safetensors", options, {});
        QVERIFY(!lacking && !std::filesystem::exists(folder() / "no.safetensors"));
        QVERIFY2(messageOf(lacking).find("1 missing: another") != std::string::npos, messageOf(lacking).c_str());

        writeShards();
        const CheckpointSpec two{"two", {{"a.weight", {2}}, {"b.weight", {2}}}, {ownSpelling("own")}, {}, {"a.bias"}};
        QVERIFY(importWeights(index(), two, folder() / "two.safetensors", options, {}));
        QCOMPARE(listTensors(folder() / "two.safetensors")->size(), std::size_t(2));
        CancelSource cancel;
        cancel.cancel();
        QCOMPARE(importWeights(index(), two, folder() / "three.safetensors", options, cancel.token()).error().code(), ErrorCode::Cancelled);
        QVERIFY(!std::filesystem::exists(folder() / "three.safetensors"));
    }
};

LOQUOR_TEST(tst_checkpoint)
#include "tst_checkpoint.moc"
