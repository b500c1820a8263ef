// The operator list against reference outputs of the TFLite runtime, and damaged network files.
#include "core/modules/graph.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>

#include <ATen/ops/empty.h>
#include <QTemporaryDir>

#include "tests/core/weights/safetensors_builder.h"
#include "tests/support/test_main.h"

using namespace loquor;
using modules::Graph;

namespace {

const std::filesystem::path kModels = std::filesystem::path(LOQUOR_DEPS_DIR).parent_path() / "models" / "portrait";

template<class Formula>
at::Tensor makeInput(int size, Formula formula)
{
    at::Tensor input = at::empty({1, 3, size, size}, at::TensorOptions(at::kFloat));
    auto* data = input.mutable_data_ptr<float>();
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < size; ++y)
            for (int x = 0; x < size; ++x)
                *data++ = static_cast<float>(formula(x, y, c));
    return input;
}

double wave(int x, int y, int c)
{
    return 0.5 + 0.25 * std::sin(0.05 * x + 0.9 * c) + 0.25 * std::cos(0.07 * y - 0.03 * x * c);
}

// A head and shoulders of soft ellipses.
double person(int px, int py, int c)
{
    const double x = px / 256.0;
    const double y = py / 256.0;
    const auto inside = [](double dx, double dy) { return 1 / (1 + std::exp(40 * (std::hypot(dx, dy) - 1))); };
    const double head = inside((x - 0.5) / 0.16, (y - 0.35) / 0.22);
    const double body = inside((x - 0.5) / 0.38, (y - 1.05) / 0.5);
    constexpr double colours[3][3] = {{0.25, 0.85, 0.15}, {0.35, 0.65, 0.2}, {0.45, 0.5, 0.3}};
    double v = colours[c][0] + 0.1 * std::sin(6 * x + c);
    v = v * (1 - body) + colours[c][2] * body;
    return v * (1 - head) + colours[c][1] * head;
}

at::Tensor inputOf(const std::string& network)
{
    if (network == "face_detector")
        return makeInput(128, [](int x, int y, int c) { return 2 * wave(x, y, c) - 1; });
    if (network == "person_segmenter")
        return makeInput(256, person);
    return makeInput(192, wave);
}

} // namespace

class tst_graph : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    std::filesystem::path file(const char* name) const
    {
        return std::filesystem::path(m_dir.path().toStdString()) / name;
    }

private Q_SLOTS:
    void equalsTheTfliteRuntime()
    {
        std::ifstream data(std::string(LOQUOR_TEST_DATA) + "/modules/network_outputs.txt");
        std::map<std::string, std::vector<at::Tensor>> outputs;
        int compared = 0;
        for (std::string line; std::getline(data, line);) {
            if (line.empty() || line[0] == '#')
                continue;
            std::istringstream row(line);
            std::string network;
            std::size_t index = 0;
            std::int64_t first = 0, step = 0, count = 0;
            row >> network >> index >> first >> step >> count;
            if (!outputs.contains(network)) {
                const auto graph = Graph::load(kModels / (network + ".safetensors"));
                QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
                outputs[network] = (*graph)->run(inputOf(network));
            }
            QVERIFY(index < outputs[network].size());
            at::Tensor value = outputs[network][index];
            value = (value.dim() == 4 ? value.permute({0, 2, 3, 1}) : value).contiguous();
            const auto* got = value.const_data_ptr<float>();
            double worst = 0;
            for (std::int64_t i = 0; i < count; ++i) {
                double expected = 0;
                row >> expected;
                QVERIFY(row && first + i * step < value.numel());
                worst = std::max(worst, std::abs(got[first + i * step] - expected));
            }
            double magnitude = 0;
            row >> magnitude;
            QVERIFY2(worst <= 5e-6 * magnitude + 1e-4, (network + " differs by " + std::to_string(worst) + " of " +
                                                        std::to_string(magnitude))
                                                           .c_str());
            ++compared;
        }
        QCOMPARE(compared, 5);
    }

    void loadsQuickly()
    {
        const std::clock_t start = std::clock(); // CPU time
        for (const char* name : {"face_detector", "face_mesh", "person_segmenter"})
            QVERIFY(Graph::load(kModels / (std::string(name) + ".safetensors")));
        const double ms = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        QVERIFY2(ms < 100, qPrintable(QString("%1 ms").arg(ms)));
    }

    void runsASmallGraph()
    {
        // A 2x2 mean with stride 2 and uneven padding, then a slope for what is negative.
        const auto path = file("small.safetensors");
        // clang-format off
        test::writeSafetensors(path, {{"w", {1, 1, 2, 2}, {0.25f, 0.25f, 0.25f, 0.25f}}, {"b", {1}, {-1}}, {"s", {1}, {0.5f}}},
                               {{"format", "loquor-graph 1"}, {"inputs", "0"}, {"outputs", "1"},
                                {"ops", "conv out=1 in=0 weight=w bias=b stride=2,2 pad=0,0,1,1 groups=1 act=prelu slope=s"}});
        // clang-format on
        const auto graph = Graph::load(path);
        QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
        at::Tensor input = at::empty({1, 1, 3, 3}, at::TensorOptions(at::kFloat));
        for (int i = 0; i < 9; ++i)
            input.mutable_data_ptr<float>()[i] = static_cast<float>(i);
        const at::Tensor out = (*graph)->run(input)[0].contiguous();
        QCOMPARE(out.numel(), std::int64_t(4));
        const auto* v = out.const_data_ptr<float>();
        QCOMPARE(v[0], 1.0f);   // (0+1+3+4)/4 - 1
        QCOMPARE(v[1], 0.75f);  // (2+5)/4 - 1
        QCOMPARE(v[2], 2.25f);  // (6+7)/4 - 1
        QCOMPARE(v[3], 1.0f);   // 8/4 - 1
    }

    void refusesBrokenLists_data()
    {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<QString>("says");
        const QString good = "conv out=1 in=0 weight=w bias=b stride=1,1 pad=0,0,0,0 groups=1";
        QTest::newRow("empty") << "" << "output is never made";
        QTest::newRow("unknown operator") << "magic out=1 in=0" << "operator magic";
        QTest::newRow("unknown option") << good + " colour=3" << "option colour";
        QTest::newRow("no equals sign") << good + " groups" << "option groups";
        QTest::newRow("unknown weight") << "conv out=1 in=0 weight=x stride=1,1 pad=0,0,0,0" << "\"x\"";
        QTest::newRow("value not made") << "add out=1 in=0,5" << "nothing made";
        QTest::newRow("made twice") << good + "\n" + good << "twice";
        QTest::newRow("text for a number") << "mean out=one in=0" << "option out=one";
        QTest::newRow("list cut") << "conv out=1 in=0 weight=w stride=1,,1 pad=0,0,0,0" << "option stride";
        QTest::newRow("no stride") << "conv out=1 in=0 weight=w pad=0,0,0,0" << "lacks an option";
        QTest::newRow("no weight") << "conv out=1 in=0 stride=1,1 pad=0,0,0,0" << "lacks an option";
        QTest::newRow("slope missing") << good + " act=prelu" << "lacks an option";
        QTest::newRow("huge number") << "mean out=1 in=99999999" << "option in";
        QTest::newRow("activation where none belongs") << "mean out=1 in=0 act=relu" << "lacks an option";
    }
    void refusesBrokenLists()
    {
        QFETCH(QString, ops);
        QFETCH(QString, says);
        const auto path = file("broken.safetensors");
        test::writeSafetensors(path, {{"w", {1, 1, 1, 1}, {1}}, {"b", {1}, {0}}},
                               {{"format", "loquor-graph 1"}, {"inputs", "0"}, {"outputs", "1"}, {"ops", ops.toStdString()}});
        const auto graph = Graph::load(path);
        QVERIFY(!graph);
        QVERIFY2(graph.error().text().find(says.toStdString()) != std::string::npos, graph.error().text().c_str());
    }

    void refusesOtherFiles()
    {
        const auto path = file("plain.safetensors");
        test::writeSafetensors(path, {{"w", {1}, {1}}});
        const auto graph = Graph::load(path);
        QVERIFY(!graph);
        QCOMPARE(graph.error().code(), ErrorCode::Corrupt);
        QVERIFY(!Graph::load(file("missing.safetensors")));
    }
};

LOQUOR_TEST(tst_graph)
#include "tst_graph.moc"
