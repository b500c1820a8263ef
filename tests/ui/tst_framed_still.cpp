// The photo in the preview is cut as the video will be.
#include <QComboBox>
#include <QImage>

#include "core/media/face_framing.h"
#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/preview/framed_still.h"
#include "ui/preview/preview_panel.h"
#include "ui/preview/preview_widget.h"

using namespace loquor;
using namespace loquor::ui;
using loquor::test::StudioFixture;

namespace {

// Red says where a column of the photo went, green where a row.
QImage ramp(int width, int height)
{
    QImage out(width, height, QImage::Format_RGB32);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            out.setPixel(x, y, qRgb(255 * x / width, 255 * y / height, 60));
    return out;
}

session::CheckReport reportWith(const session::FaceInfo& face, int width, int height)
{
    session::CheckReport out;
    out.kind = "image";
    out.usable = true;
    out.width = width;
    out.height = height;
    out.faces = {face};
    return out;
}

project::Output output(int width, int height, project::Framing framing = project::Framing::Fill)
{
    project::Output out;
    out.width = width;
    out.height = height;
    out.framing = framing;
    return out;
}

} // namespace

class tst_framed_still : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itIsCutByTheRuleOfTheEngine_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::newRow("16:9") << 1280 << 720;
        QTest::newRow("9:16") << 720 << 1280;
        QTest::newRow("1:1") << 720 << 720;
        QTest::newRow("4:5") << 1080 << 1350;
    }
    void itIsCutByTheRuleOfTheEngine()
    {
        QFETCH(int, width);
        QFETCH(int, height);
        session::FaceInfo face = test::faceAt(1, .4f, .2f, .2f);
        face.eyeDistancePx = 180; // of the file, which has twice the pixels
        const QImage still = framedStill(ramp(1000, 800), reportWith(face, 2000, 1600), 0, output(width, height));
        QVERIFY(std::abs(still.width() * height - still.height() * width) <= 2 * std::max(width, height));
        const auto extent = media::extentOfOutline(face.outline, 0, 0, 0, 90, 1000, 800);
        const auto cut = media::cutAroundFace(extent, 1000, 800, still.width(), still.height());
        QCOMPARE(cut.invented, 0.0);
        for (const QPoint& point : {QPoint(20, 20), QPoint(still.width() / 2, still.height() / 2),
                                    QPoint(still.width() - 20, still.height() - 20)}) {
            const QColor seen = still.pixelColor(point);
            QVERIFY(std::abs(seen.red() - 255 * (cut.x0 + point.x() / cut.scale) / 1000) < 4);
            QVERIFY(std::abs(seen.green() - 255 * (cut.y0 + point.y() / cut.scale) / 800) < 4);
        }
    }

    void allOfThePhotoWhenItIsToFit()
    {
        const QImage still = framedStill(ramp(400, 800), reportWith(test::faceAt(1, .4f, .2f, .2f), 400, 800), 0,
                                         output(1280, 720, project::Framing::Fit));
        QCOMPARE(still.size(), QSize(1280, 720));
        QCOMPARE(still.pixelColor(10, 360), QColor(Qt::black));
        QVERIFY(still.pixelColor(640, 715).green() > 240);
        QVERIFY(still.pixelColor(640, 4).green() < 8);
    }

    void withoutAFaceItIsShownAsItIs()
    {
        const QImage photo = ramp(300, 200);
        QCOMPARE(framedStill(photo, {}, 0, output(1280, 720)), photo);
        QVERIFY(framedStill({}, {}, 0, output(1280, 720)).isNull());
    }

    void theStudioFollowsTheShapeOfTheVideo()
    {
        StudioFixture s;
        s.drop({s.qpath("face.jpg")});
        PreviewWidget& picture = s.window->previewPanel().picture();
        const auto shape = [&] { return static_cast<double>(picture.still().width()) / picture.still().height(); };
        QVERIFY2(std::abs(shape() - 16.0 / 9) < .02, qPrintable(QString::number(shape())));
        s.window->model().edit(EditKind::Size, QStringLiteral("t"), [](project::Document& document) {
            document.output.width = 720;
            document.output.height = 1280;
        });
        QVERIFY2(std::abs(shape() - 9.0 / 16) < .02, qPrintable(QString::number(shape())));
    }
};

LOQUOR_TEST(tst_framed_still)
#include "tst_framed_still.moc"
