#include "core/weights/safetensors.h"

#include <cstring>
#include <filesystem>

#include <QTemporaryDir>

#include "tests/core/weights/safetensors_builder.h"
#include "tests/support/test_main.h"

using namespace loquor;
using weights::DType;
using weights::SafetensorsFile;

namespace {

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets)
{
    return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}";
}

const std::string kSixteen(16, 'x');

} // namespace

class tst_safetensors : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    std::filesystem::path file(const char* name) const
    {
        return std::filesystem::path(m_dir.path().toStdString()) / name;
    }

private Q_SLOTS:
    void readsTensorsAndMetadata()
    {
        const auto path = file("good.safetensors");
        test::writeSafetensors(path, {{"a.weight", {2, 3}, {1, 2, 3, 4, 5, 6}}, {"scalar", {}, {7}}, {"none", {0, 4}, {}}},
                               {{"format", "x"}, {"ops", "one\ntwo"}});
        const auto opened = SafetensorsFile::open(path);
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        const SafetensorsFile& f = **opened;
        QCOMPARE(f.tensors().size(), std::size_t(3));
        QCOMPARE(f.metadata().at("ops"), std::string("one\ntwo"));
        const auto a = f.tensor("a.weight");
        QVERIFY(a);
        QCOMPARE(a->dtype, DType::F32);
        QCOMPARE(a->shape, (std::vector<std::int64_t>{2, 3}));
        float values[6];
        QCOMPARE(a->data.size(), sizeof values);
        std::memcpy(values, a->data.data(), sizeof values);
        QCOMPARE(values[5], 6.0f);
        QCOMPARE(f.tensor("scalar")->data.size(), std::size_t(4));
        QCOMPARE(f.tensor("none")->data.size(), std::size_t(0));
        const auto missing = f.tensor("b");
        QVERIFY(!missing);
        QCOMPARE(missing.error().code(), ErrorCode::NotFound);
        QVERIFY(missing.error().text().find("\"b\"") != std::string::npos);
    }

    void knowsTheTypes_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("size");
        // clang-format off
        for (const auto& [name, size] : {std::pair("F64", 8), {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"F8_E4M3", 1},
                                         {"F8_E5M2", 1}, {"I64", 8}, {"I32", 4}, {"I16", 2}, {"I8", 1}, {"U8", 1}, {"BOOL", 1}})
            QTest::newRow(name) << QString(name) << size;
        // clang-format on
    }
    void knowsTheTypes()
    {
        QFETCH(QString, name);
        QFETCH(int, size);
        const auto path = file("type.safetensors");
        test::writeRawSafetensors(path, "{" + entry("t", name.toStdString(), "[16]", "[0," + std::to_string(16 * size) + "]") + "}",
                                  std::string(static_cast<std::size_t>(16 * size), '\0'));
        const auto opened = SafetensorsFile::open(path);
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        const DType type = (*opened)->tensor("t")->dtype;
        QCOMPARE(QString(weights::toString(type)), name);
        QCOMPARE(weights::sizeOf(type), static_cast<std::size_t>(size));
    }

    void refusesDamage_data()
    {
        QTest::addColumn<QString>("header");
        QTest::addColumn<int>("dataLength");
        QTest::addColumn<int>("claimed");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& header, int length, const char* says, int claimed = -1) {
            QTest::newRow(name) << QString::fromStdString(header) << length << claimed << QString(says);
        };
        const std::string good = entry("t", "F32", "[2,2]", "[0,16]");
        row("header longer than the file", "{" + good + "}", 16, "longer than the file", 4000);
        row("header of four gigabytes", "{}", 0, "longer than the file", 0x7fffffff);
        row("not JSON", "{" + good, 16, "not JSON");
        row("empty header", "", 0, "not JSON");
        row("not an object", "[1,2]", 0, "not a JSON object");
        row("name twice", "{" + good + "," + good + "}", 16, "names \"t\" twice");
        row("key twice in a tensor", "{\"t\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", 16, "twice");
        row("no shape", "{\"t\":{\"dtype\":\"F32\",\"data_offsets\":[0,16]}}", 16, "needs exactly");
        row("surplus key", "{\"t\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16],\"x\":1}}", 16, "needs exactly");
        row("dtype is a number", "{\"t\":{\"dtype\":4,\"shape\":[4],\"data_offsets\":[0,16]}}", 16, "no text");
        row("negative dimension", "{" + entry("t", "F32", "[-4]", "[0,16]") + "}", 16, "impossible shape");
        row("fraction as dimension", "{" + entry("t", "F32", "[4.0]", "[0,16]") + "}", 16, "impossible shape");
        row("overflow", "{" + entry("t", "F32", "[4294967296,4294967296]", "[0,16]") + "}", 16, "impossible shape");
        row("overflow to the right length", "{" + entry("t", "F32", "[4611686018427387904,4]", "[0,0]") + "}", 0, "impossible shape");
        row("shape is text", "{" + entry("t", "F32", "\"4\"", "[0,16]") + "}", 16, "no list");
        row("wrong length", "{" + entry("t", "F32", "[3]", "[0,16]") + "}", 16, "tensor \"t\" has a length that does not fit its shape: 16 bytes, F32 [3] needs 12");
        row("end before begin", "{" + entry("t", "F32", "[0]", "[16,0]") + "}", 16, "outside");
        row("outside of the file", "{" + entry("t", "F32", "[8]", "[0,32]") + "}", 16, "tensor \"t\" lies outside of the file: it ends at byte 32 of the data, which has 16");
        row("negative offset", "{" + entry("t", "F32", "[4]", "[-16,0]") + "}", 16, "outside");
        row("three offsets", "{" + entry("t", "F32", "[4]", "[0,16,16]") + "}", 16, "outside");
        row("truncated", "{" + good + "}", 15, "outside");
        row("bytes left over", "{" + good + "}", 17, "its tensors need 16");
        row("hole", "{" + entry("a", "U8", "[4]", "[0,4]") + "," + entry("b", "U8", "[4]", "[8,12]") + "}", 12, "follows a hole");
        row("overlap", "{" + entry("a", "U8", "[8]", "[0,8]") + "," + entry("b", "U8", "[8]", "[4,12]") + "}", 12, "overlaps");
        row("metadata is a list", "{\"__metadata__\":[]," + good + "}", 16, "metadata");
        row("metadata holds a number", "{\"__metadata__\":{\"a\":1}," + good + "}", 16, "metadata");
    }
    void refusesDamage()
    {
        QFETCH(QString, header);
        QFETCH(int, dataLength);
        QFETCH(int, claimed);
        QFETCH(QString, says);
        const auto path = file("bad.safetensors");
        test::writeRawSafetensors(path, header.toStdString(), std::string(static_cast<std::size_t>(dataLength), 'x'), claimed);
        const auto opened = SafetensorsFile::open(path);
        QVERIFY(!opened);
        QCOMPARE(opened.error().code(), ErrorCode::Corrupt);
        QVERIFY2(opened.error().text().find(says.toStdString()) != std::string::npos, opened.error().text().c_str());
        QVERIFY(opened.error().text().find("bad.safetensors") != std::string::npos);
    }

    void refusesEveryTruncation()
    {
        const auto path = file("cut.safetensors");
        test::writeSafetensors(path, {{"a", {2}, {1, 2}}, {"b", {3}, {3, 4, 5}}}, {{"k", "v"}});
        const auto size = std::filesystem::file_size(path);
        QVERIFY(SafetensorsFile::open(path));
        for (auto length = size; length-- > 0;) {
            std::filesystem::resize_file(path, length);
            const auto opened = SafetensorsFile::open(path);
            QVERIFY2(!opened, ("accepted with " + std::to_string(length) + " bytes").c_str());
            QCOMPARE(opened.error().code(), ErrorCode::Corrupt);
        }
    }

    void otherFailures()
    {
        const auto missing = SafetensorsFile::open(file("missing"));
        QVERIFY(!missing);
        QCOMPARE(missing.error().code(), ErrorCode::NotFound);
        const auto folder = SafetensorsFile::open(file(""));
        QVERIFY(!folder);
        QCOMPARE(folder.error().code(), ErrorCode::Unreadable);
        const auto path = file("unknown.safetensors");
        test::writeRawSafetensors(path, "{" + entry("t", "F4", "[16]", "[0,16]") + "}", kSixteen);
        const auto unknown = SafetensorsFile::open(path);
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().code(), ErrorCode::Unsupported);
    }
};

LOQUOR_TEST(tst_safetensors)
#include "tst_safetensors.moc"
