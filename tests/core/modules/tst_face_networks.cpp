// The three face networks on photos, against MediaPipe's own results (numbers in tests/data).
#include "core/modules/face_networks.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <numbers>
#include <sstream>

#include <QTemporaryDir>

#include "core/media/image_loader.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::modules;

namespace {

const std::filesystem::path kData = std::filesystem::path(LOQUOR_DEPS_DIR).parent_path();
const std::filesystem::path kModels = kData / "models" / "portrait";

Image photo(const std::string& name)
{
    const auto loaded = media::loadImage(kData / "media" / "test" / name);
    return loaded ? loaded->image : Image();
}

Image cut(const Image& source, int left, int top, int width, int height)
{
    Image out(width, height, 3);
    for (int y = 0; y < height; ++y)
        std::copy_n(source.row(top + y) + 3 * left, out.stride(), out.row(y));
    return out;
}

// Puts `part`, reduced by a whole factor, into a grey picture.
void paste(Image& target, const Image& part, int factor, int left, int top)
{
    for (int y = 0; y < part.height / factor; ++y)
        for (int x = 0; x < part.width / factor; ++x)
            for (int c = 0; c < 3; ++c) {
                int sum = 0;
                for (int dy = 0; dy < factor; ++dy)
                    for (int dx = 0; dx < factor; ++dx)
                        sum += part.row(y * factor + dy)[(x * factor + dx) * 3 + c];
                target.row(top + y)[(left + x) * 3 + c] = static_cast<std::uint8_t>(sum / (factor * factor));
            }
}

} // namespace

class tst_face_networks : public QObject
{
    Q_OBJECT
    std::unique_ptr<FaceDetector> m_detector;
    std::unique_ptr<FaceMesh> m_mesh;
    std::unique_ptr<PersonSegmenter> m_segmenter;

private Q_SLOTS:
    void initTestCase()
    {
        auto detector = FaceDetector::load(kModels);
        auto mesh = FaceMesh::load(kModels);
        auto segmenter = PersonSegmenter::load(kModels);
        QVERIFY2(detector, detector ? "" : detector.error().text().c_str());
        QVERIFY(mesh && segmenter);
        m_detector = std::move(*detector);
        m_mesh = std::move(*mesh);
        m_segmenter = std::move(*segmenter);
    }

    // The same crop as MediaPipe was given: nothing but the network and its decoding is compared.
    void meshEqualsMediaPipeOnTheSameCrop()
    {
        const Image astronaut = photo("astronaut.png");
        QCOMPARE(astronaut.width, 512);
        const auto result = m_mesh->run(cut(astronaut, 128, 36, 192, 192), {96, 96, 192, 0});
        QVERIFY(result);
        QVERIFY(result->faceScore > 0.99f);
        std::ifstream data(std::string(LOQUOR_TEST_DATA) + "/modules/astronaut_mesh.txt");
        std::size_t point = 0;
        for (std::string line; std::getline(data, line);) {
            if (line.starts_with("#"))
                continue;
            std::istringstream row(line);
            float x = 0, y = 0, z = 0;
            row >> x >> y >> z;
            const MeshPoint& p = result->points[point];
            const float worst = std::max({std::abs(p.x - x), std::abs(p.y - y), std::abs(p.z - z)});
            QVERIFY2(worst < 0.005f, qPrintable(QString("point %1 differs by %2 px").arg(point).arg(worst)));
            ++point;
        }
        QCOMPARE(point, std::size_t(478));
    }

    // Whole photos: the crops differ by resampling, so does the result, by a pixel or so.
    void landmarksOfPhotos_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("expected");
        std::ifstream data(std::string(LOQUOR_TEST_DATA) + "/modules/photo_landmarks.txt");
        for (std::string line; std::getline(data, line);) {
            if (line.starts_with("#"))
                continue;
            const auto space = line.find(' ');
            const std::string name = line.substr(0, space);
            QTest::newRow(name.c_str()) << QString::fromStdString(name) << QString::fromStdString(line.substr(space));
        }
    }
    void landmarksOfPhotos()
    {
        QFETCH(QString, name);
        QFETCH(QString, expected);
        const Image image = photo(name.toStdString());
        QVERIFY(!image.isEmpty());
        const auto faces = m_detector->detect(image);
        QVERIFY2(faces, faces ? "" : faces.error().text().c_str());
        QCOMPARE(faces->size(), std::size_t(1));
        QVERIFY((*faces)[0].score > 0.8f);
        const auto first = m_mesh->run(image, FaceMesh::regionFromDetection((*faces)[0]));
        QVERIFY(first);
        const auto result = m_mesh->run(image, FaceMesh::regionFromMesh(*first));
        QVERIFY(result);
        std::istringstream numbers(expected.toStdString());
        double sum = 0;
        int count = 0;
        for (std::size_t i = 0; i < 478; i += 3, ++count) {
            double x = 0, y = 0;
            numbers >> x >> y;
            sum += std::hypot(result->points[i].x - x, result->points[i].y - y);
        }
        QVERIFY(numbers);
        const auto& p = result->points;
        const double eyes = std::hypot(p[33].x - p[263].x, p[33].y - p[263].y);
        const double error = sum / count / eyes * 150;
        QVERIFY2(error <= 2, qPrintable(QString("%1 px at 150 px between the eyes").arg(error)));
    }

    void findsATurnedFace()
    {
        const Image astronaut = photo("astronaut.png");
        Image quarter(512, 512, 3); // a quarter turn clockwise
        for (int y = 0; y < 512; ++y)
            for (int x = 0; x < 512; ++x)
                std::copy_n(astronaut.row(511 - x) + 3 * y, 3, quarter.row(y) + 3 * x);
        const auto upright = m_detector->detect(astronaut);
        QVERIFY(upright && upright->size() == 1);
        MeshRegion region = FaceMesh::regionFromDetection((*upright)[0]);
        const auto expected = m_mesh->run(astronaut, region);
        region = {512 - region.centerY, region.centerX, region.side,
                  region.rotation + static_cast<float>(std::numbers::pi / 2)};
        const auto turned = m_mesh->run(quarter, region);
        QVERIFY(expected && turned);
        for (std::size_t i = 0; i < 478; ++i) {
            QVERIFY(std::abs(turned->points[i].x - (512 - expected->points[i].y)) < 0.1f);
            QVERIFY(std::abs(turned->points[i].y - expected->points[i].x) < 0.1f);
        }
        const MeshRegion before = FaceMesh::regionFromMesh(*expected);
        const MeshRegion after = FaceMesh::regionFromMesh(*turned);
        QVERIFY(std::abs(after.rotation - before.rotation - std::numbers::pi / 2) < 0.01);
        QVERIFY(std::abs(after.side - before.side) < 0.5f);
        QVERIFY(std::abs(after.centerX - (512 - before.centerY)) < 0.5f && std::abs(after.centerY - before.centerX) < 0.5f);
    }

    // Field case: a small face in a full-body clip must be found.
    void case_079_smallFaces()
    {
        Image wide(1600, 900, 3);
        std::fill(wide.data.begin(), wide.data.end(), std::uint8_t(120));
        const Image face = cut(photo("astronaut.png"), 100, 0, 256, 256);
        paste(wide, face, 2, 1300, 500);
        const auto faces = m_detector->detect(wide);
        QVERIFY(faces);
        QCOMPARE(faces->size(), std::size_t(1));
        const DetectedFace& found = (*faces)[0];
        QVERIFY(std::abs(found.x + found.width / 2 - (1300 + 125.0f / 2)) < 12);
        QVERIFY(std::abs(found.y + found.height / 2 - (500 + 130.0f / 2)) < 12);
        QVERIFY(found.width > 30 && found.width < 70);
    }

    // Field case: several faces are all found, the biggest first.
    void case_067_severalFaces()
    {
        Image group(600, 300, 3);
        std::fill(group.data.begin(), group.data.end(), std::uint8_t(90));
        const Image face = cut(photo("astronaut.png"), 100, 0, 256, 256);
        paste(group, face, 2, 20, 90);
        paste(group, face, 1, 300, 20);
        const auto faces = m_detector->detect(group);
        QVERIFY(faces);
        QCOMPARE(faces->size(), std::size_t(2));
        QVERIFY((*faces)[0].width > 1.5f * (*faces)[1].width);
        QVERIFY((*faces)[1].x < 150);
        // Left and right of the key points are the image's.
        for (const DetectedFace& f : *faces)
            QVERIFY(f.keyPoints[0][0] < f.keyPoints[1][0] && f.keyPoints[4][0] < f.keyPoints[5][0] &&
                    f.keyPoints[2][1] < f.keyPoints[3][1]);
    }

    void noFaceIsNoError()
    {
        Image flat(640, 480, 3);
        std::fill(flat.data.begin(), flat.data.end(), std::uint8_t(128));
        const auto faces = m_detector->detect(flat);
        QVERIFY(faces);
        QVERIFY(faces->empty());
        const auto cat = m_detector->detect(photo("chelsea.png"));
        QVERIFY(cat);
        const auto one = m_detector->detect(Image(1, 1, 3));
        QVERIFY(one);
        const auto mesh = m_mesh->run(flat, {320, 240, 200, 0});
        QVERIFY(mesh);
        QVERIFY(mesh->faceScore < 0.5f);
    }

    void refusesWhatIsNoPicture()
    {
        for (const Image& bad : {Image(), Image(8, 8, 1), Image(8, 8, 4)}) {
            QCOMPARE(m_detector->detect(bad).error().code(), ErrorCode::InvalidArgument);
            QCOMPARE(m_segmenter->run(bad).error().code(), ErrorCode::InvalidArgument);
            QCOMPARE(m_mesh->run(bad, {4, 4, 8, 0}).error().code(), ErrorCode::InvalidArgument);
        }
        const Image good(8, 8, 3);
        QCOMPARE(m_mesh->run(good, {4, 4, 0, 0}).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(m_mesh->run(good, {4, 4, NAN, 0}).error().code(), ErrorCode::InvalidArgument);
    }

    void missingModelsSayWhatToDo()
    {
        QTemporaryDir empty;
        const auto mesh = FaceMesh::load(empty.path().toStdString());
        QVERIFY(!mesh);
        QCOMPARE(mesh.error().code(), ErrorCode::NotFound);
        QVERIFY(mesh.error().text().find("setup.sh") != std::string::npos);
    }

    void segmentsThePerson()
    {
        const auto mask = m_segmenter->run(photo("hopper.jpg"));
        QVERIFY(mask);
        QCOMPARE(mask->width, 256);
        QCOMPARE(mask->height, 256);
        QCOMPARE(mask->channels, 1);
        QVERIFY(mask->row(100)[130] > 250); // face
        QVERIFY(mask->row(230)[128] > 250); // chest
        QVERIFY(mask->row(12)[12] < 5 && mask->row(12)[243] < 5);
        const auto person = std::count_if(mask->data.begin(), mask->data.end(), [](auto v) { return v > 127; });
        QVERIFY(std::abs(static_cast<double>(person) / 65536 - 0.525) < 0.06);
    }

    // CPU time, so that other work on the machine does not count; figures are in core/modules/DESIGN.md.
    void fastEnough()
    {
        const Image image = photo("hopper.jpg");
        double best = 1e9;
        for (int i = 0; i < 3; ++i) {
            const std::clock_t start = std::clock();
            const auto faces = m_detector->detect(image);
            QVERIFY(faces && !faces->empty());
            const auto first = m_mesh->run(image, FaceMesh::regionFromDetection((*faces)[0]));
            QVERIFY(first && m_mesh->run(image, FaceMesh::regionFromMesh(*first)) && m_segmenter->run(image));
            best = std::min(best, 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        }
        QVERIFY2(best <= 300, qPrintable(QString("%1 ms").arg(best)));
    }
};

LOQUOR_TEST(tst_face_networks)
#include "tst_face_networks.moc"
