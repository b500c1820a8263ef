// Held latents of the avatar sampler: motion at the beginning, both ends of a join.
#include "core/modules/wan/avatar_sampler.h"

#include <ATen/ATen.h>

#include "core/modules/wan/fit_picture.h"
#include "core/modules/wan/schedulers.h"
#include "tests/support/test_main.h"

using namespace loquor;
using modules::AvatarSampling;
using modules::HeldAs;
using modules::sampleChunk;

class tst_avatar_sampler : public QObject
{
    Q_OBJECT

    AvatarSampling m_sampling;
    std::vector<at::Tensor> m_seen; // what the network was shown

private Q_SLOTS:
    void init()
    {
        m_seen.clear();
        m_sampling.timesteps = modules::avatarTimesteps({1000, 750, 500, 250}, 5);
        m_sampling.velocity = [this](std::int64_t, const at::Tensor& x) {
            m_seen.push_back(x.clone());
            return x.sin();
        };
        m_sampling.noise = [](std::int64_t step) { return at::full({1, 2, 5, 3, 3}, static_cast<double>(step + 1)); };
        m_sampling.isCancelled = {};
    }

    void levels()
    {
        QCOMPARE(m_sampling.timesteps.size(), std::size_t(5));
        QCOMPARE(m_sampling.timesteps[1], 937.5f);
        QCOMPARE(m_sampling.timesteps[4], 0.0f);
    }

    void motionIsShownClean()
    {
        const at::Tensor held = at::randn({1, 2, 2, 3, 3});
        const at::Tensor out = sampleChunk(m_sampling, at::randn({1, 2, 5, 3, 3}), held, {{0, 1}, HeldAs::Clean});
        QCOMPARE(m_seen.size(), std::size_t(4));
        for (const at::Tensor& x : m_seen)
            QVERIFY(x.narrow(2, 0, 2).equal(held));
        QVERIFY(out.narrow(2, 0, 2).equal(held));
        QVERIFY(!out.select(2, 2).equal(m_seen[3].select(2, 2)));
    }

    // A join: three latents stand, two are made; anchors come out exactly as they went in.
    void bothEndsOfAJoin()
    {
        const at::Tensor held = at::randn({1, 2, 3, 3, 3}), noise = at::randn({1, 2, 5, 3, 3});
        const at::Tensor out = sampleChunk(m_sampling, noise, held, {{0, 1, 4}, HeldAs::AtLevel});
        QVERIFY(out.select(2, 0).equal(held.select(2, 0)));
        QVERIFY(out.select(2, 1).equal(held.select(2, 1)));
        QVERIFY(out.select(2, 4).equal(held.select(2, 2)));
        QVERIFY(m_seen[0].select(2, 4).allclose(noise.select(2, 4))); // level 1: noise alone
        const at::Tensor second = held.select(2, 2) * (1 - 0.9375) + 0.9375;
        QVERIFY(m_seen[1].select(2, 4).allclose(second));
    }

    void withoutHeldLatents()
    {
        const at::Tensor out = sampleChunk(m_sampling, at::randn({1, 2, 5, 3, 3}), {}, {});
        QVERIFY(out.isfinite().all().item<bool>());
    }

    void stopsBetweenSteps()
    {
        m_sampling.isCancelled = [](std::int64_t step) { return step == 2; };
        QVERIFY(!sampleChunk(m_sampling, at::randn({1, 2, 5, 3, 3}), {}, {}).defined());
        QCOMPARE(m_seen.size(), std::size_t(2));
    }

    void refusesWhatHasNoPlace()
    {
        QVERIFY_EXCEPTION_THROWN(sampleChunk(m_sampling, at::zeros({1, 2, 5, 3, 3}), at::zeros({1, 2, 2, 3, 3}), {{0}, HeldAs::Clean}), std::exception);
        m_sampling.timesteps = {1000};
        QVERIFY_EXCEPTION_THROWN(sampleChunk(m_sampling, at::zeros({1, 2, 5, 3, 3}), {}, {}), std::exception);
        QVERIFY_EXCEPTION_THROWN(modules::fitPicture(at::zeros({4, 4, 4}), 8, 8), std::exception);
    }
};

LOQUOR_TEST(tst_avatar_sampler)
#include "tst_avatar_sampler.moc"
