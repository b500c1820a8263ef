// SwiftVR as a stream: frames wait for their chunk, as many come out as went in, the face is blended in.
#include "core/modules/wan/swift_vr.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "app/parity/golden_case.h"
#include "core/weights/network_specs.h"
#include "tests/support/test_main.h"

using namespace loquor;
using modules::FaceFirstStream;
using modules::FaceWindow;
using modules::SwiftVr;
using modules::SwiftVrStream;

class tst_swift_vr : public QObject
{
    Q_OBJECT
    std::unique_ptr<parity::GoldenCase> m_golden;
    std::shared_ptr<const SwiftVr> m_network;
    at::Tensor m_frames; // [1, 65, 3, 15, 11]

    Result<void> open()
    {
        LQ_TRY(m_golden, parity::GoldenCase::open(std::filesystem::path(LOQUOR_TEST_DATA) / "golden" / "swiftvr-pipe-a"));
        const nlohmann::json& config = m_golden->config();
        SwiftVr::Networks networks;
        LQ_TRY(networks.restorer, weights::readWanDitConfig(config.at("dit").dump(), m_golden->configFile()));
        LQ_TRY(networks.autoencoder, weights::readTinyAutoencoderConfig(config.at("reae").dump(), m_golden->configFile(), weights::reaeConfig()));
        LQ_TRY(const auto restorer, m_golden->load("transformer.safetensors", weights::wanDitSpec(networks.restorer)));
        LQ_TRY(const auto codec, m_golden->load("weights.safetensors", weights::tinyAutoencoderSpec(networks.autoencoder)));
        m_network = std::make_shared<const SwiftVr>(networks, restorer, codec, m_golden->io("prompt_emb"), modules::AttentionWindow{1, 1});
        m_frames = m_golden->io("frames_u8").permute({0, 3, 1, 2}).unsqueeze(0);
        return {};
    }
    at::Tensor all(std::int64_t count, std::int64_t piece) const
    {
        SwiftVrStream stream(m_network, 32, 32);
        std::vector<at::Tensor> out;
        for (std::int64_t at = 0; at < count; at += piece)
            out.push_back(stream.push(m_frames.narrow(1, at, std::min(piece, count - at))));
        out.push_back(stream.finish());
        return at::cat(out, 1);
    }

private Q_SLOTS:
    void initTestCase()
    {
        at::set_num_threads(1);
        const auto opened = open();
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
    }

    void asManyComeOutAsWentIn_data()
    {
        QTest::addColumn<int>("count");
        for (const int count : {1, 2, 5, 24, 27, 28, 29, 31, 52, 53, 60})
            QTest::addRow("%d", count) << count;
    }
    void asManyComeOutAsWentIn()
    {
        QFETCH(int, count);
        const at::Tensor whole = all(count, count);
        QCOMPARE(whole.sizes().vec(), (std::vector<std::int64_t>{1, count, 3, 32, 32}));
        QVERIFY(whole.isfinite().all().item<bool>());
        QVERIFY(whole.equal(all(count, 7))); // chunks do not depend on how the frames came
    }

    void nothingGivesNothing()
    {
        SwiftVrStream stream(m_network, 32, 32);
        QCOMPARE(stream.finish().size(1), std::int64_t(0));
    }

    void fillsUpToWholeLatents()
    {
        const at::Tensor input = SwiftVr::enlarge(m_frames.narrow(1, 0, 2), 60, 44);
        QCOMPARE(input.sizes().vec(), (std::vector<std::int64_t>{1, 2, 3, 64, 64}));
        QVERIFY(input.narrow(3, 60, 4).eq(0).all().item<bool>());
        QVERIFY(input.max().item<double>() <= 1);
    }

    // Outside of the window the picture is that of the whole; inside it comes from the second pass.
    void theFaceIsBlendedIn()
    {
        const FaceWindow face{8, 4, 16, 24};
        FaceFirstStream stream(m_network, 32, 32, face);
        const at::Tensor first = stream.push(m_frames.narrow(1, 0, 30)), rest = stream.finish();
        const at::Tensor blended = at::cat({first, rest}, 1), whole = all(30, 30);
        QCOMPARE(blended.sizes().vec(), whole.sizes().vec());
        at::Tensor outside = at::ones({32, 32}, at::kBool);
        outside.narrow(0, face.top, face.height).narrow(1, face.left, face.width).fill_(false);
        QVERIFY(blended.masked_select(outside).equal(whole.masked_select(outside)));
        const auto middle = [&](const at::Tensor& x) { return x.narrow(3, face.top + 4, face.height - 8).narrow(4, face.left + 6, face.width - 12); };
        QVERIFY((middle(blended) - middle(whole)).abs().max().item<double>() > 1e-3);
        const at::Tensor edge = modules::softEdge(face.height, face.width);
        QCOMPARE(edge[8][12].item<float>(), 1.0f);
        QVERIFY(edge[0].max().item<float>() < 0.2f && edge.min().item<float>() >= 0);
        QVERIFY_EXCEPTION_THROWN(FaceFirstStream(m_network, 32, 32, FaceWindow{20, 0, 16, 16}), std::exception);
    }
};

LOQUOR_TEST(tst_swift_vr)
#include "tst_swift_vr.moc"
