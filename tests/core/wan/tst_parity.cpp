// The networks against numbers of their published implementations (tests/data/golden), and that the comparison
// would notice a difference.
#include "app/parity/golden_case.h"

#include <fstream>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <QTemporaryDir>

#include "tests/core/weights/safetensors_builder.h"
#include "tests/support/test_main.h"

using namespace loquor;

class tst_parity : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    std::filesystem::path folder() const { return m_dir.path().toStdString(); }
    // A case without networks: what is in it is compared by the test itself.
    void writeCase(const std::string& config) const
    {
        std::ofstream(folder() / "config.json", std::ios::trunc) << config;
        test::writeSafetensors(folder() / "io.safetensors", {{"x", {2}, {1, 100}}});
    }

private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }

    void equalsTheReferences_data()
    {
        QTest::addColumn<int>("atLeast"); // tensors compared
        QTest::newRow("clip-vit-a") << 9;
        QTest::newRow("color-prep-a") << 19;
        QTest::newRow("flashhead-a") << 41;
        QTest::newRow("flashhead-lite-dit-a") << 12;
        QTest::newRow("flashtalk-a") << 52;
        QTest::newRow("loudness-a") << 12;
        QTest::newRow("schedulers-a") << 70;
        QTest::newRow("swiftvr-dit-a") << 21;
        QTest::newRow("swiftvr-pipe-a") << 45;
        QTest::newRow("taehv-a") << 40;
        QTest::newRow("umt5-a") << 14;
        QTest::newRow("wan-dit-i2v-a") << 18;
        QTest::newRow("wan-dit-t2v-a") << 17;
        QTest::newRow("wan-dit-ti2v-a") << 17;
        QTest::newRow("wan21-vae-a") << 85;
        QTest::newRow("wav2vec2-base-a") << 17;
        QTest::newRow("wav2vec2-large-a") << 17;
    }
    void equalsTheReferences()
    {
        QFETCH(int, atLeast);
        const auto rows = parity::runCase(std::filesystem::path(LOQUOR_TEST_DATA) / "golden" / QTest::currentDataTag());
        QVERIFY2(rows, rows ? "" : rows.error().text().c_str());
        QVERIFY2(int(rows->size()) >= atLeast, qPrintable(QString::number(rows->size())));
        for (const parity::Row& row : *rows)
            QVERIFY2(!row.isMiss(), qPrintable(QString("%1: %2 %3 of what is allowed").arg(row.tensor.c_str(), row.fault.c_str()).arg(row.share)));
    }

    void noticesDifferences()
    {
        writeCase(R"({"kind": "schedulers", "runs": [], "tolerance": {"abs": 1e-3, "rel": 1e-4}})");
        const auto opened = parity::GoldenCase::open(folder());
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        parity::GoldenCase& golden = **opened;
        const parity::Tolerance tolerance = golden.tolerance();
        golden.compare("x", at::tensor({1.0005f, 100.005f}), tolerance);
        golden.compare("x", at::tensor({1.002f, 100.0f}), tolerance);
        golden.compare("x", at::tensor({1.0f, 100.02f}), tolerance);
        golden.compare("x", at::tensor({1.0f, std::numeric_limits<float>::quiet_NaN()}), tolerance);
        golden.compare("x", at::tensor({std::numeric_limits<float>::infinity(), 100.0f}), tolerance);
        golden.compare("x", at::tensor({1.0f, 100.0f, 0.0f}), tolerance);
        golden.compare("x", at::tensor({1.0f, 100.0f}), parity::Tolerance{});
        golden.compare("x", at::tensor({1.0f, 100.0001f}), parity::Tolerance{});
        std::vector<bool> misses;
        for (const parity::Row& row : golden.rows())
            misses.push_back(row.isMiss());
        QCOMPARE(misses, (std::vector<bool>{false, true, true, true, true, true, false, true}));
        QVERIFY_EXCEPTION_THROWN(golden.io("y"), parity::GoldenCase::MissingReference);
    }

    // What is never compared is a miss: a case cannot pass by looking away.
    void noticesWhatIsLeftOut()
    {
        writeCase(R"({"kind": "schedulers", "runs": [], "tolerance": {}})");
        const auto rows = parity::runCase(folder());
        QVERIFY(rows);
        QCOMPARE(rows->size(), std::size_t(1));
        QVERIFY(rows->front().isMiss());
        QCOMPARE(rows->front().tensor, std::string("x"));
    }

    void saysWhatCannotBeCompared_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("says");
        QTest::newRow("kind") << R"({"kind": "dance"})" << "of the kind \"dance\", which cannot be compared. Kinds: ";
        QTest::newRow("no kind") << "{}" << "a JSON object with \"kind\" is expected";
        QTest::newRow("no JSON") << "{" << "a JSON object with \"kind\" is expected";
        QTest::newRow("no runs") << R"({"kind": "schedulers"})" << "config.json";
        QTest::newRow("no input") << R"({"kind": "schedulers", "tolerance": {"sigma_abs": 1, "timestep_abs": 1}, "runs": [{"kind": "euler", "name": "e", "steps": 2, "shift": 3}]})" << "no tensor \"e.sigmas\"";
        QTest::newRow("no weights") << R"({"kind": "taehv"})" << "weights.safetensors";
    }
    void saysWhatCannotBeCompared()
    {
        QFETCH(QString, config);
        QFETCH(QString, says);
        writeCase(config.toStdString());
        const auto rows = parity::runCase(folder());
        QVERIFY(!rows);
        QVERIFY2(rows.error().text().find(says.toStdString()) != std::string::npos, rows.error().text().c_str());
        QVERIFY(!parity::runCase(folder() / "nowhere"));
    }
};

LOQUOR_TEST(tst_parity)
#include "tst_parity.moc"
