// What streams promise: any pieces give the numbers of the whole, and memory does not grow.
#include <fstream>
#include <random>

#include <malloc.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "core/modules/wan/tiny_autoencoder.h"
#include "core/modules/wan/wan_vae.h"
#include "core/platform/atomic_file.h"
#include "core/platform/memory.h"
#include "core/weights/checkpoint.h"
#include "core/weights/network_specs.h"
#include "tests/support/test_main.h"

using namespace loquor;
using modules::Parameters;
using modules::StreamMemory;

namespace {

std::filesystem::path goldenFolder(const char* name)
{
    return std::filesystem::path(LOQUOR_TEST_DATA) / "golden" / name;
}

// Config text and weights of a reference case.
template<class Read, class Spec>
auto load(const char* name, Read read, Spec spec)
{
    const auto text = platform::readTextFile(goldenFolder(name) / "config.json");
    const auto config = read(*text, "config.json");
    return std::pair(*config, *Parameters::load(*weights::Checkpoint::open(goldenFolder(name) / "weights.safetensors"), spec(*config)));
}

double distance(const at::Tensor& a, const at::Tensor& b)
{
    return a.sizes() == b.sizes() ? (a - b).abs().max().item<double>() : 1e9;
}

} // namespace

class tst_autoencoders : public QObject
{
    Q_OBJECT

    std::unique_ptr<modules::WanVae> m_vae;
    std::unique_ptr<modules::TinyAutoencoder> m_tiny;
    std::mt19937 m_random{7};

    std::int64_t between(int least, int most) { return std::uniform_int_distribution<std::int64_t>(least, most)(m_random); }

private Q_SLOTS:
    void initTestCase()
    {
        at::set_num_threads(1);
        const auto vae = load("wan21-vae-a", weights::readWanVaeConfig, weights::wanVaeSpec);
        m_vae = std::make_unique<modules::WanVae>(vae.first, vae.second);
        const auto tiny = load("taehv-a", [](const std::string& text, const std::string& file) { return weights::readTinyAutoencoderConfig(text, file); }, weights::tinyAutoencoderSpec);
        m_tiny = std::make_unique<modules::TinyAutoencoder>(tiny.first, tiny.second);
    }

    void vaePiecesOfAnyLength()
    {
        for (int round = 0; round < 3; ++round) {
            const std::int64_t count = between(2, 6), height = 2 * between(1, 3), width = between(1, 5);
            const at::Tensor latents = at::randn({2, 16, count, height, width});
            const at::Tensor whole = m_vae->decode(latents);
            QCOMPARE(whole.size(2), 4 * count - 3);
            StreamMemory memory;
            for (std::int64_t i = 0, at = 0; i < count; ++i) {
                const at::Tensor piece = m_vae->decodeNext(latents.narrow(2, i, 1), memory);
                QVERIFY(distance(piece, whole.narrow(2, at, piece.size(2))) == 0);
                at += piece.size(2);
            }
            // Videos of a batch do not see each other.
            QVERIFY(distance(m_vae->decode(latents.narrow(0, 1, 1)), whole.narrow(0, 1, 1)) < 2e-5);
            const std::int64_t frames = between(1, 14);
            const at::Tensor video = at::rand({1, 3, frames, 8 * height, 8 * width}) * 2 - 1;
            const at::Tensor encoded = m_vae->encode(video);
            QCOMPARE(encoded.size(2), 1 + (frames - 1) / 4);
            QVERIFY(distance(m_vae->encode(video.narrow(2, 0, 1 + (frames - 1) / 4 * 4)), encoded) == 0);
        }
    }

    void tinyPiecesOfAnyLength()
    {
        for (int round = 0; round < 4; ++round) {
            const std::int64_t count = between(1, 9), frames = between(1, 21);
            const at::Tensor latents = at::randn({2, count, 16, between(1, 4), between(1, 4)});
            const at::Tensor whole = m_tiny->decode(latents);
            QCOMPARE(whole.size(1), 4 * count - 3);
            StreamMemory memory, encoder;
            std::vector<at::Tensor> pieces;
            for (std::int64_t at = 0, length = 0; at < count; at += length) {
                length = std::min(between(1, 4), count - at);
                pieces.push_back(m_tiny->decodeNext(latents.narrow(1, at, length), memory));
            }
            QVERIFY(distance(at::cat(pieces, 1), whole) < 2e-5);
            const at::Tensor video = at::rand({1, frames, 3, 16, 24});
            pieces.clear();
            for (std::int64_t at = 0, length = 0; at < frames; at += length) {
                length = std::min(between(1, 7), frames - at);
                pieces.push_back(m_tiny->encodeNext(video.narrow(1, at, length), encoder));
            }
            if (frames % 4 != 0)
                pieces.push_back(m_tiny->encodeRest(encoder));
            QVERIFY(distance(at::cat(pieces, 1), m_tiny->encode(video)) < 2e-5);
        }
    }

    void memoryDoesNotGrow()
    {
        const at::Tensor latent = at::randn({1, 16, 1, 4, 4});
        StreamMemory vae, tiny;
        std::vector<std::uint64_t> after;
        for (int i = 0; i < 40; ++i) {
            m_vae->decodeNext(latent, vae);
            m_tiny->decodeNext(latent.transpose(1, 2), tiny);
            after.push_back(vae.bytes() + tiny.bytes());
        }
        QVERIFY(after[2] > 0);
        QCOMPARE(after[39], after[2]);
        const std::uint64_t before = vae.bytes();
        vae.clear();
        QCOMPARE(vae.bytes(), std::uint64_t(0));
        QCOMPARE(m_vae->decodeNext(latent, vae).size(2), std::int64_t(1)); // the beginning again
        QVERIFY(vae.bytes() < before);
    }

    // What the process needs at most, of a short stream and of a long one.
    void peakDoesNotGrow()
    {
        // Blocks of small pictures as the program treats those of large ones: given back at once, without holes.
        ::mallopt(M_MMAP_THRESHOLD, 1 << 16);
        ::mallopt(M_TRIM_THRESHOLD, 0);
        const at::Tensor latent = at::randn({1, 16, 1, 8, 8});
        const auto peakOf = [&](int latents) {
            StreamMemory vae, tiny;
            std::ofstream("/proc/self/clear_refs") << "5"; // the peak is counted anew
            for (int i = 0; i < latents; ++i) {
                m_vae->decodeNext(latent, vae);
                m_tiny->decodeNext(latent.transpose(1, 2), tiny);
            }
            return platform::memoryUse().peakRssBytes;
        };
        peakOf(3); // pages that are needed once
        const std::uint64_t few = peakOf(10), many = peakOf(200);
        QVERIFY(few > 0);
        QVERIFY2(many < few + (4u << 20), qPrintable(QString("%1 MB after 10 latents, %2 MB after 200").arg(few >> 20).arg(many >> 20)));
    }

    void wrongShapesThrow()
    {
        StreamMemory memory;
        QVERIFY_EXCEPTION_THROWN(m_vae->decodeNext(at::zeros({1, 16, 2, 4, 4}), memory), std::exception);
        QVERIFY_EXCEPTION_THROWN(m_vae->decodeNext(at::zeros({1, 15, 1, 4, 4}), memory), std::exception);
        QVERIFY_EXCEPTION_THROWN(m_vae->encodeNext(at::zeros({1, 3, 4, 32, 32}), memory), std::exception); // begins with one
        QVERIFY_EXCEPTION_THROWN(m_tiny->decode(at::zeros({1, 1, 3, 4, 4})), std::exception);
    }
};

LOQUOR_TEST(tst_autoencoders)
#include "tst_autoencoders.moc"
