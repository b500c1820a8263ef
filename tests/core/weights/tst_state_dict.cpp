// PyTorch files: real ones, and those that want more than to be read.
#include "core/weights/state_dict.h"

#include <cstring>
#include <fstream>

#include <QTemporaryDir>

#include "tests/core/weights/torch_file_builder.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::weights;
using test::Pickle;

namespace {

Result<std::string> bytesOf(const StateDictFile& file, const std::string& name)
{
    std::string out;
    const auto read = file.read(name, [&out](std::span<const std::byte> piece) -> Result<void> {
        out.append(reinterpret_cast<const char*>(piece.data()), piece.size());
        return {};
    });
    if (!read)
        return fail(read.error());
    return out;
}

template<class T>
std::vector<T> valuesOf(const StateDictFile& file, const std::string& name)
{
    const auto bytes = bytesOf(file, name);
    std::vector<T> out(bytes ? bytes->size() / sizeof(T) : 0);
    if (!out.empty())
        std::memcpy(out.data(), bytes->data(), bytes->size());
    return out;
}

std::string floats(std::size_t count)
{
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(i);
    return {reinterpret_cast<const char*>(values.data()), count * sizeof(float)};
}

} // namespace

class tst_state_dict : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    std::filesystem::path file(const char* name) const { return std::filesystem::path(m_dir.path().toStdString()) / name; }
    std::filesystem::path save(const std::string& pickle, const test::ZipEntries& data) const
    {
        test::ZipEntries entries{{"archive/data.pkl", pickle}, {"archive/byteorder", "little"}, {"archive/version", "3\n"}};
        for (const auto& [key, bytes] : data)
            entries.emplace_back("archive/data/" + key, bytes);
        const auto path = file("made.pth");
        return test::writeZip(path, entries) ? path : std::filesystem::path();
    }
    std::string failure(const std::filesystem::path& path) const
    {
        const auto opened = StateDictFile::open(path);
        return opened ? std::string("opened") : opened.error().text();
    }

private Q_SLOTS:
    // Written by torch.save of PyTorch 2.15 (tests/data/weights/README.md says how).
    void readsRealFiles_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("a state dict") << "state_dict.pth";
        QTest::newRow("a state dict inside a dict of other things") << "checkpoint.pth";
    }
    void readsRealFiles()
    {
        QFETCH(QString, name);
        const auto opened = StateDictFile::open(std::filesystem::path(LOQUOR_TEST_DATA) / "weights" / name.toStdString());
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        const StateDictFile& f = **opened;
        const TensorList expected = {{"linear.weight", {DType::F32, {2, 3}}}, {"linear.bias", {DType::F32, {2}}}, {"half", {DType::F16, {3}}}, {"brain", {DType::BF16, {3}}}, {"double", {DType::F64, {2}}}, {"counts", {DType::I64, {2}}}, {"flags", {DType::Bool, {3}}}, {"transposed", {DType::F32, {3, 2}}}, {"row", {DType::F32, {3}}}, {"scalar", {DType::F32, {}}}, {"none", {DType::F32, {0, 4}}}, {"parameter", {DType::F32, {2}}}};
        QCOMPARE(f.tensors().size(), expected.size());
        for (const auto& [tensor, info] : expected) {
            QVERIFY2(f.tensors().contains(tensor), tensor.c_str());
            QVERIFY2(f.tensors().at(tensor) == info, tensor.c_str());
        }
        QCOMPARE(valuesOf<float>(f, "linear.weight"), (std::vector<float>{0, 1, 2, 3, 4, 5}));
        QCOMPARE(valuesOf<float>(f, "transposed"), (std::vector<float>{0, 3, 1, 4, 2, 5}));
        QCOMPARE(valuesOf<float>(f, "row"), (std::vector<float>{3, 4, 5}));
        QCOMPARE(valuesOf<float>(f, "scalar"), (std::vector<float>{7}));
        QCOMPARE(valuesOf<float>(f, "parameter"), (std::vector<float>{-1, -2}));
        QCOMPARE(valuesOf<std::uint16_t>(f, "half"), (std::vector<std::uint16_t>{0x3c00, 0x4000, 0x4200}));
        QCOMPARE(valuesOf<std::uint16_t>(f, "brain"), (std::vector<std::uint16_t>{0x3f80, 0x4000, 0x4040}));
        QCOMPARE(valuesOf<double>(f, "double"), (std::vector<double>{0.5, 0.25}));
        QCOMPARE(valuesOf<std::int64_t>(f, "counts"), (std::vector<std::int64_t>{-1, 1LL << 40}));
        QCOMPARE(valuesOf<float>(f, "none").size(), std::size_t(0));
        QVERIFY(!bytesOf(f, "absent"));
    }

    void readsWhatTheBuilderMakes()
    {
        const auto path = save(Pickle().raw("}(").tensor("a", "FloatStorage", "0", 6, {2, 3}, {3, 1}).tensor("b", "FloatStorage", "0", 6, {2}, {1}, 4).text("epoch").integer(7).raw("u").done(),
                               {{"0", floats(6)}});
        const auto opened = StateDictFile::open(path);
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        QCOMPARE((*opened)->tensors().size(), std::size_t(2));
        QCOMPARE(valuesOf<float>(**opened, "b"), (std::vector<float>{4, 5}));
    }

    void runsNothing_data()
    {
        QTest::addColumn<QByteArray>("pickle");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const Pickle& pickle, const char* says) {
            const std::string bytes = pickle.done();
            QTest::newRow(name) << QByteArray(bytes.data(), qsizetype(bytes.size())) << QString(says);
        };
        row("a system call", Pickle().global("os", "system").text("touch x").raw("\x85R"), "it asks for \"os.system\", which is not allowed");
        row("a system call by its other name", Pickle().text("posix").text("system").raw("\x93"), "\"posix.system\"");
        row("eval", Pickle().global("builtins", "eval").text("1").raw("\x85R"), "\"builtins.eval\"");
        row("another function of torch", Pickle().global("torch._utils", "_rebuild_device_tensor_from_numpy"), "_rebuild_device_tensor_from_numpy");
        row("torch.load inside", Pickle().global("torch", "load"), "\"torch.load\"");
        row("an instance", Pickle().raw("(ios\nsystem\n"), "the opcode 105 (INST)");
        row("an object", Pickle().raw("(").global("collections", "OrderedDict").raw("o"), "the opcode 111 (OBJ)");
        row("a new object", Pickle().global("collections", "OrderedDict").raw(")\x81"), "the opcode 129 (NEWOBJ)");
        row("an extension", Pickle().raw("\x82\x01"), "the opcode 130 (EXT1)");
        row("a persistent name", Pickle().raw("Pabc\n"), "the opcode 80 (PERSID)");
        row("an unknown opcode", Pickle().raw("\xff"), "the opcode 255");
        row("a state for something", Pickle().text("a").raw("}b"), "adds to a dict that is not there");
        row("a dict from arguments", Pickle().global("collections", "OrderedDict").raw("]\x85R"), "a dict is made from something");
        row("a call of a text", Pickle().text("a").raw(")R"), "calls something that is no function");
        row("a storage type called", Pickle().global("torch", "FloatStorage").raw(")R"), "\"torch.FloatStorage\" with arguments");
    }
    void runsNothing()
    {
        QFETCH(QByteArray, pickle);
        QFETCH(QString, says);
        const QString text = QString::fromStdString(failure(save(pickle.toStdString(), {})));
        QVERIFY2(text.contains(says) && text.contains("made.pth"), qPrintable(text));
    }

    void refusesDamage_data()
    {
        QTest::addColumn<QByteArray>("pickle");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& bytes, const char* says) { QTest::newRow(name) << QByteArray(bytes.data(), qsizetype(bytes.size())) << QString(says); };
        const auto one = [](const std::string& type, const std::string& key, std::uint64_t elements, const std::vector<std::uint64_t>& shape, const std::vector<std::uint64_t>& strides, std::uint64_t offset = 0) {
            return Pickle().raw("}(").tensor("t", type, key, elements, shape, strides, offset).raw("u").done();
        };
        constexpr std::uint64_t kBig = 1ull << 62;
        row("empty", "", "ends in the middle");
        row("version 1", "\x80\x01}.", "pickle version 1");
        row("cut", one("FloatStorage", "0", 6, {6}, {1}).substr(0, 60), "ends in the middle");
        row("no dict", Pickle().text("a").done(), "it is no dict of tensors");
        row("no tensors", Pickle().raw("}").text("a").integer(1).raw("s").done(), "no tensors by name");
        row("nothing at all", Pickle().done(), "takes more values than there are");
        row("left over", Pickle().raw("}}").done(), "left over");
        row("no mark", Pickle().raw("}t").done(), "never opened");
        row("below a mark", Pickle().raw("}(s").done(), "takes more values");
        row("memo", Pickle().raw("h\x05").done(), "never kept");
        row("key without a value", Pickle().raw("}(").text("a").raw("u").done(), "a key without a value");
        row("more than the storage", one("FloatStorage", "0", 6, {7}, {1}), "more elements than its storage");
        row("repeated elements", one("FloatStorage", "0", 6, {1000}, {0}), "more elements than its storage");
        row("outside by the offset", one("FloatStorage", "0", 6, {6}, {1}, 1), "outside of its storage: it ends at element 6 of 6");
        row("outside by strides", one("FloatStorage", "0", 6, {2, 2}, {5, 1}), "outside of its storage");
        row("overflowing strides", one("FloatStorage", "0", 6, {3, 2}, {kBig, kBig}), "outside of its storage");
        row("overflowing shape", one("FloatStorage", "0", 6, {kBig, kBig}, {1, 1}), "more elements");
        row("negative shape", one("FloatStorage", "0", 6, {~std::uint64_t(0)}, {1}), "impossible shape");
        row("another number of strides", one("FloatStorage", "0", 6, {6}, {1, 1}), "impossible shape");
        row("unknown storage", one("ComplexFloatStorage", "0", 6, {6}, {1}), "\"torch.ComplexFloatStorage\"");
        row("no numbers", one("FloatStorage", "1", 6, {6}, {1}), "numbers of tensor \"t\" are missing (entry archive/data/1)");
        row("way out", one("FloatStorage", "../../0", 6, {6}, {1}), "are missing");
        row("other length", one("DoubleStorage", "0", 6, {6}, {1}), "are 24 bytes, 6 of F64 are expected");
        row("huge storage", one("FloatStorage", "0", kBig, {6}, {1}), "are expected");
        row("a name twice", Pickle().raw("}(").tensor("t", "FloatStorage", "0", 6, {6}, {1}).tensor("t", "FloatStorage", "0", 6, {6}, {1}).raw("u").done(), "twice");
        row("two dicts", Pickle().raw("}(").text("ema").raw("}(").tensor("t", "FloatStorage", "0", 6, {6}, {1}).raw("u").text("net").raw("}(").tensor("t", "FloatStorage", "0", 6, {6}, {1}).raw("uu").done(), "several dicts of tensors: \"ema\", \"net\"");
        row("a dict in itself", Pickle().raw("}q\x01").text("a").raw("h\x01s").done(), "no tensors by name");
        row("nested a million times", Pickle().raw(")" + std::string(1'000'000, '\x85')).done(), "no dict of tensors");
        row("too many values", Pickle().raw(std::string(2'000'001, 'N')).done(), "more than 2000000 values");
    }
    void refusesDamage()
    {
        QFETCH(QByteArray, pickle);
        QFETCH(QString, says);
        const QString text = QString::fromStdString(failure(save(pickle.toStdString(), {{"0", floats(6)}})));
        QVERIFY2(text.contains(says) && text.contains("made.pth"), qPrintable(text.left(400)));
    }

    void refusesOddArchives()
    {
        const std::string pickle = Pickle().raw("}(").tensor("t", "FloatStorage", "0", 6, {6}, {1}).raw("u").done();
        const auto path = file("odd.pth");
        const auto says = [&](const char* what) { return failure(path).find(what) != std::string::npos; };
        QVERIFY(test::writeZip(path, {{"a/data.pkl", pickle}, {"a/data/0", std::string(1 << 20, '\0')}}, true));
        QVERIFY2(says("its entry \"a/data.pkl\" is compressed"), failure(path).c_str());
        QVERIFY(test::writeZip(path, {{"a/data.pkl", pickle}, {"b/data.pkl", pickle}}));
        QVERIFY2(says("more than one data.pkl"), failure(path).c_str());
        QVERIFY(test::writeZip(path, {{"a/x", pickle}}));
        QVERIFY2(says("no data.pkl"), failure(path).c_str());
        QVERIFY(test::writeZip(path, {{"a/data.pkl", pickle}, {"a/constants.pkl", pickle}}));
        QVERIFY2(says("TorchScript"), failure(path).c_str());
        QVERIFY(test::writeZip(path, {{"a/data.pkl", std::string((16 << 20) + 1, 'N')}}));
        QVERIFY2(says("16777217 bytes, 16777216 are allowed"), failure(path).c_str());
        QVERIFY(test::writeZip(path, {{"a/data.pkl", pickle}, {"a/byteorder", "big"}}));
        QCOMPARE(StateDictFile::open(path).error().code(), ErrorCode::Unsupported);
        std::ofstream(path, std::ios::trunc) << "\x80\x02 an old pickle that is no archive";
        QVERIFY2(says("it is no zip archive"), failure(path).c_str());
        std::ofstream(path, std::ios::trunc).flush();
        QVERIFY2(failure(path) != "opened", failure(path).c_str());
        QCOMPARE(StateDictFile::open(file("missing.pth")).error().code(), ErrorCode::NotFound);
        QCOMPARE(StateDictFile::open(file("")).error().code(), ErrorCode::Unreadable);
    }

    void noticesChangedNumbers()
    {
        const auto path = save(Pickle().raw("}(").tensor("t", "FloatStorage", "0", 6, {6}, {1}).raw("u").done(), {{"0", floats(6)}});
        std::fstream changed(path, std::ios::in | std::ios::out | std::ios::binary);
        std::string bytes(std::istreambuf_iterator<char>(changed), {});
        const auto at = bytes.find(floats(6));
        QVERIFY(at != std::string::npos);
        changed.clear();
        changed.seekp(static_cast<std::streamoff>(at) + 5);
        changed.put('x');
        changed.close();
        const auto opened = StateDictFile::open(path);
        QVERIFY(opened);
        const auto read = bytesOf(**opened, "t");
        QVERIFY(!read);
        QCOMPARE(read.error().code(), ErrorCode::Corrupt);
        QVERIFY2(read.error().text().find("archive/data/0") != std::string::npos, read.error().text().c_str());
    }

    void survivesEveryTruncation()
    {
        const auto path = save(Pickle().raw("}(").tensor("t", "FloatStorage", "0", 6, {6}, {1}).raw("u").done(), {{"0", floats(6)}});
        for (auto length = std::filesystem::file_size(path); length-- > 0;) {
            std::filesystem::resize_file(path, length);
            QVERIFY2(!StateDictFile::open(path), std::to_string(length).c_str());
        }
    }
};

LOQUOR_TEST(tst_state_dict)
#include "tst_state_dict.moc"
