// Windows of SwiftVR at real sizes, and what a transformer refuses.
#include "core/modules/wan/wan_transformer.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "core/platform/atomic_file.h"
#include "core/weights/checkpoint.h"
#include "core/weights/network_specs.h"
#include "tests/support/test_main.h"

using namespace loquor;
using modules::windowStarts;

using Starts = std::vector<std::int64_t>;

class tst_wan_transformer : public QObject
{
    Q_OBJECT

    std::unique_ptr<modules::WanTransformer> m_network; // image and text to video

private Q_SLOTS:
    void initTestCase()
    {
        at::set_num_threads(1);
        const auto folder = std::filesystem::path(LOQUOR_TEST_DATA) / "golden" / "wan-dit-i2v-a";
        const auto config = weights::readWanDitConfig(*platform::readTextFile(folder / "config.json"), "config.json");
        QVERIFY(config);
        const auto parameters = modules::Parameters::load(*weights::Checkpoint::open(folder / "weights.safetensors"), weights::wanDitSpec(*config));
        QVERIFY(parameters);
        m_network = std::make_unique<modules::WanTransformer>(*config, *parameters);
    }

    // As SwiftVR itself computes them.
    void windowsOfRealSizes()
    {
        QCOMPARE(windowStarts(16, 16, false), (Starts{0}));
        QCOMPARE(windowStarts(16, 16, true), (Starts{0}));
        QCOMPARE(windowStarts(17, 16, false), (Starts{0, 1}));
        QCOMPARE(windowStarts(33, 16, false), (Starts{0, 16, 17}));
        QCOMPARE(windowStarts(33, 16, true), (Starts{0, 8, 17}));
        QCOMPARE(windowStarts(60, 16, false), (Starts{0, 16, 32, 44}));
        QCOMPARE(windowStarts(60, 16, true), (Starts{0, 8, 24, 40, 44}));
        QCOMPARE(windowStarts(68, 16, false), (Starts{0, 16, 32, 48, 52}));
        QCOMPARE(windowStarts(68, 16, true), (Starts{0, 8, 24, 40, 52}));
        QCOMPARE(windowStarts(120, 16, false), (Starts{0, 16, 32, 48, 64, 80, 96, 104}));
        QCOMPARE(windowStarts(120, 16, true), (Starts{0, 8, 24, 40, 56, 72, 88, 104}));
        QCOMPARE(windowStarts(28, 16, true), (Starts{0, 12})); // 8 is covered by its neighbours
        QCOMPARE(windowStarts(5, 16, true), (Starts{0}));
    }

    // One window around everything is plain attention.
    void oneWindowIsNone()
    {
        const at::Tensor x = at::randn({2, 36, 2, 4, 6}), text = at::randn({2, 5, 24}), image = at::randn({2, 257, 40});
        const auto modulation = m_network->modulation(at::tensor({500.0, 20.0}));
        const auto context = m_network->context(text, image);
        const auto plain = m_network->grid(2, 4, 6), windowed = m_network->grid(2, 4, 6, modules::AttentionWindow{2, 3});
        const at::Tensor a = m_network->velocity(x, *plain, *modulation, context.get(), nullptr);
        const at::Tensor b = m_network->velocity(x, *windowed, *modulation, context.get(), nullptr);
        QVERIFY((a - b).abs().max().item<double>() < 1e-5);
        QVERIFY((a[0] - a[1]).abs().max().item<double>() > 1e-2);
        const auto smaller = m_network->grid(2, 4, 6, modules::AttentionWindow{1, 2});
        QVERIFY((m_network->velocity(x, *smaller, *modulation, context.get(), nullptr) - a).abs().max().item<double>() > 1e-3);
    }

    void refusesWhatDoesNotFit()
    {
        const at::Tensor text = at::zeros({1, 5, 24}), image = at::zeros({1, 257, 40});
        QVERIFY_EXCEPTION_THROWN(m_network->grid(2, 5, 6), std::exception);
        QVERIFY_EXCEPTION_THROWN(m_network->context(text, {}), std::exception);
        QVERIFY_EXCEPTION_THROWN(m_network->context(at::zeros({1, 513, 24}), image), std::exception);
        QVERIFY_EXCEPTION_THROWN(m_network->audio(at::zeros({1, 33, 5, 4, 12})), std::exception);
        const auto grid = m_network->grid(2, 4, 6);
        const auto modulation = m_network->modulation(at::tensor({500.0}));
        QVERIFY_EXCEPTION_THROWN(m_network->velocity(at::zeros({1, 36, 2, 4, 6}), *grid, *modulation, nullptr, nullptr), std::exception);
        const auto context = m_network->context(text, image);
        QVERIFY_EXCEPTION_THROWN(m_network->velocity(at::zeros({1, 36, 3, 4, 6}), *grid, *modulation, context.get(), nullptr), std::exception);
    }

    // Half precision is meant for GPUs; here it shows that every part takes it.
    void halfPrecisionStaysClose()
    {
        const auto folder = std::filesystem::path(LOQUOR_TEST_DATA) / "golden" / "wan-dit-i2v-a";
        const auto config = weights::readWanDitConfig(*platform::readTextFile(folder / "config.json"), "config.json");
        const auto parameters = modules::Parameters::load(*weights::Checkpoint::open(folder / "weights.safetensors"), weights::wanDitSpec(*config), {"cpu", modules::Precision::BFloat16});
        QVERIFY(parameters);
        const modules::WanTransformer half(*config, *parameters);
        const at::Tensor x = at::randn({1, 36, 2, 4, 6}), text = at::randn({1, 5, 24}), image = at::randn({1, 257, 40});
        const auto run = [&](const modules::WanTransformer& network) {
            const auto context = network.context(text, image);
            return network.velocity(x, *network.grid(2, 4, 6), *network.modulation(at::tensor({500.0})), context.get(), nullptr).flatten();
        };
        const at::Tensor a = run(*m_network), b = run(half);
        QVERIFY(b.scalar_type() == at::kFloat);
        const double cosine = (a.dot(b) / (a.norm() * b.norm())).item<double>();
        QVERIFY2(cosine >= 0.999, qPrintable(QString::number(cosine, 'g', 8)));
    }
};

LOQUOR_TEST(tst_wan_transformer)
#include "tst_wan_transformer.moc"
