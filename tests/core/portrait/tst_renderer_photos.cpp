// The renderer on the photos of the set-up folder.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "core/portrait/portrait_builder.h"
#include "core/portrait/renderer.h"
#include "tests/support/portrait_fixture.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::portrait;

namespace {

constexpr int kWidth = 640, kHeight = 360;

PortraitModelPtr portraitOf(const std::string& name)
{
    static std::map<std::string, PortraitModelPtr> made;
    auto& model = made[name];
    if (!model) {
        const auto fixture = test::loadPortraitFixture(name);
        model = buildPortrait(test::observe(fixture, kWidth, kHeight), CancelToken()).value();
    }
    return model;
}

double psnr(const Image& a, const Image& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i) {
        const double d = double(a.data[i]) - double(b.data[i]);
        sum += d * d;
    }
    return 10 * std::log10(255. * 255. / std::max(1e-9, sum / double(a.data.size())));
}

// Speech-like poses with head motion.
std::vector<Motion> poses()
{
    std::vector<Motion> all;
    auto add = [&](std::initializer_list<std::pair<Param, float>> values) {
        Motion m;
        for (const auto& [p, v] : values)
            m[p] = v;
        all.push_back(m);
    };
    add({{Param::Jaw, 1.f}});
    add({{Param::Jaw, .35f}, {Param::Pucker, 1.f}, {Param::Funnel, .3f}, {Param::Yaw, 3.f}});
    add({{Param::Jaw, .2f}, {Param::Close, 1.f}, {Param::Press, 1.f}, {Param::Pitch, 3.f}});
    add({{Param::Jaw, .25f}, {Param::Tuck, 1.f}, {Param::Roll, 3.f}});
    add({{Param::BlinkL, 1.f}, {Param::BlinkR, 1.f}, {Param::Yaw, -5.f}, {Param::Breath, 1.f}});
    add({{Param::SmileL, 1.f}, {Param::SmileR, 1.f}, {Param::GazeX, .5f}, {Param::Roll, -4.f}});
    add({{Param::Jaw, .6f}, {Param::Funnel, 1.f}, {Param::BrowInL, 1.f}, {Param::BrowInR, 1.f}});
    return all;
}

} // namespace

class tst_renderer_photos : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void restIsThePhoto_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"hopper", "man_suit", "man_closed"})
            QTest::newRow(name) << name;
    }
    void restIsThePhoto()
    {
        QFETCH(QString, name);
        const auto model = portraitOf(name.toStdString());
        Image frame;
        Renderer(model).render({}, frame);
        const double quality = psnr(frame, model->canvas);
        QVERIFY2(quality > 45, qPrintable(QString::number(quality)));
    }

    void photos_data()
    {
        QTest::addColumn<QString>("name");
        for (const std::string& name : test::portraitFixtureNames())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    // Away from the person nothing changes, whatever the person does.
    void photos()
    {
        QFETCH(QString, name);
        const auto model = portraitOf(name.toStdString());
        const int reach = static_cast<int>(.2f * model->u);
        std::vector<char> near(std::size_t(kWidth) * kHeight, 0);
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x)
                if (model->layer.row(y)[4 * x + 3] > 0)
                    for (int dy = -reach; dy <= reach; dy += 2) {
                        const int row = std::clamp(y + dy, 0, kHeight - 1);
                        const int from = std::max(0, x - reach), to = std::min(kWidth, x + reach);
                        std::fill(near.begin() + row * kWidth + from,
                                  near.begin() + row * kWidth + to, 1);
                    }
        Renderer renderer(model);
        Image rest, frame;
        renderer.render({}, rest);
        for (const Motion& motion : poses()) {
            renderer.render(motion, frame);
            int outside = 0, inside = 0;
            for (std::size_t i = 0; i < near.size(); ++i) {
                const bool same =
                    std::memcmp(frame.data.data() + 3 * i, rest.data.data() + 3 * i, 3) == 0;
                (near[i] ? inside : outside) += !same;
            }
            QCOMPARE(outside, 0);
            QVERIFY(inside > 500);
        }
    }

    void case_080_noBlackPatchOnTheFace_data() { photos_data(); }
    void case_080_noBlackPatchOnTheFace()
    {
        QFETCH(QString, name);
        const auto model = portraitOf(name.toStdString());
        Renderer renderer(model);
        Image frame;
        // Cheeks, chin, nose and the closed mouth stay as bright as skin.
        const float u = model->u;
        for (const Motion& motion : poses()) {
            renderer.render(motion, frame);
            double sum = 0, rest = 0;
            for (int y = int(model->M0[1] - .6f * u); y < int(model->M0[1] + .35f * u); ++y)
                for (int x = int(model->M0[0] - .45f * u); x < int(model->M0[0] + .45f * u); ++x) {
                    const int cy = std::clamp(y, 0, kHeight - 1);
                    sum += frame.row(cy)[3 * x + 1];
                    rest += model->canvas.row(cy)[3 * x + 1];
                }
            QVERIFY2(sum > .8 * rest && sum < 1.15 * rest,
                     qPrintable(QString::number(sum / rest)));
        }
    }
};

LOQUOR_TEST(tst_renderer_photos)
#include "tst_renderer_photos.moc"
