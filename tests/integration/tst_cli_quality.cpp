#include "core/media/image_writer.h"
#include "core/media/mp4_writer.h"
#include "core/media/probe.h"
#include "core/media/video_reader.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <array>
#include <cmath>

using namespace loquor;
using namespace loquor::test;

namespace {

constexpr double kSeconds = 20;
constexpr int kSize = 480;

// Mean colour and contrast of a part of the picture.
struct Look
{
    std::array<double, 3> mean{};
    double contrast = 0; // standard deviation of the luma
};

Look lookOf(const Image& image, int x0, int y0, int x1, int y1)
{
    Look out;
    double luma = 0, squares = 0;
    for (int y = y0; y < y1; ++y) {
        for (int x = x0; x < x1; ++x) {
            const std::uint8_t* pixel = image.row(y) + 3 * x;
            for (std::size_t c = 0; c < 3; ++c)
                out.mean[c] += pixel[c];
            const double value = .2126 * pixel[0] + .7152 * pixel[1] + .0722 * pixel[2];
            luma += value;
            squares += value * value;
        }
    }
    const double count = double(x1 - x0) * (y1 - y0);
    for (double& value : out.mean)
        value /= count;
    out.contrast = std::sqrt(std::max(0.0, squares / count - luma / count * luma / count));
    return out;
}

double colourDistance(const Look& a, const Look& b)
{
    double out = 0;
    for (std::size_t c = 0; c < 3; ++c)
        out = std::max(out, std::abs(a.mean[c] - b.mean[c]));
    return out;
}

double meanDifference(const Image& a, const Image& b, int x0, int y0, int x1, int y1)
{
    double sum = 0;
    for (int y = y0; y < y1; ++y) {
        for (int x = 3 * x0; x < 3 * x1; ++x)
            sum += std::abs(int(a.row(y)[x]) - int(b.row(y)[x]));
    }
    return sum / (3.0 * (x1 - x0) * (y1 - y0));
}

} // namespace

// What one real clip of twenty seconds looks like from its first frame to its last: made once by the command
// line, read frame by frame and measured by loquor-evaluate.
class tst_cli_quality : public QObject
{
    Q_OBJECT
    CliRunner m_cli;
    QString m_photo = CliRunner::media("astronaut.png"), m_video;
    Image m_first;
    std::vector<Look> m_whole, m_skin; // of each frame
    std::vector<double> m_moved;       // each frame against the first, in the corner that shows only background
    QJsonObject m_measured;

    double metric(const char* name) const { return m_measured["metrics"].toObject()[name].toDouble(NAN); }
    QStringList flags() const
    {
        QStringList out;
        for (const auto& flag : m_measured["flags"].toArray())
            out.append(flag.toObject()["code"].toString());
        return out;
    }
    void readFrames()
    {
        auto reader = media::VideoReader::open(m_video.toStdString());
        QVERIFY(reader);
        for (;;) {
            auto frame = reader->next();
            QVERIFY(frame);
            if (!*frame)
                break;
            const Image& image = (*frame)->image;
            if (m_whole.empty())
                m_first = image;
            m_whole.push_back(lookOf(image, 0, 0, kSize, kSize));
            m_skin.push_back(lookOf(image, 190, 90, 230, 110)); // forehead
            m_moved.push_back(meanDifference(image, m_first, 400, 0, kSize, 60));
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        AudioBlock audio = CliRunner::reading();
        audio.samples.resize(static_cast<std::size_t>(kSeconds * audio.sampleRate));
        m_video = m_cli.path("long.mp4");
        const CliResult made = m_cli.run({"render", "-r", m_photo, "-a", m_cli.writeWav("long.wav", audio), "-o", m_video,
                                          "--size", QString("%1x%1").arg(kSize), "--seed", "1", "-q"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        readFrames();
        const CliResult measured = m_cli.run({"evaluate", m_video, "--reference", m_photo, "--json"});
        QVERIFY2(measured.exitCode == 0 || measured.exitCode == 1, qPrintable(measured.errors)); // flags are looked at below
        m_measured = QJsonDocument::fromJson(measured.output.toUtf8()).object();
        QCOMPARE(m_whole.size(), std::size_t(kSeconds * 25));
    }

    // 125: no flash anywhere, so none where chunks meet. 139: nor a black picture.
    void case_125_139_no_flash_and_no_black()
    {
        for (std::size_t i = 1; i < m_whole.size(); ++i) {
            QVERIFY2(colourDistance(m_whole[i], m_whole[i - 1]) < 1.5, qPrintable(QString("frame %1").arg(i)));
            QVERIFY(m_whole[i].contrast > 20);
        }
        QVERIFY2(!flags().contains("BLACK"), qPrintable(flags().join(' ')));
    }

    // 127: the colours are those of the photo, whatever way they went through networks and codecs.
    void case_127_colours_are_those_of_the_photo()
    {
        const Image photo = loadPhoto(m_photo);
        const QString whole = m_cli.path("whole.mp4"); // all of the photo in its own size
        const CliResult made = m_cli.run({"render", "-r", m_photo, "-a", m_cli.speech(.4), "-o", whole, "--framing", "fit",
                                          "--size", QString("%1x%2").arg(photo.width).arg(photo.height)});
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        auto reader = media::VideoReader::open(whole.toStdString());
        QVERIFY(reader);
        const auto frame = reader->next();
        QVERIFY(frame && *frame);
        for (const auto& [x, y] : {std::pair{20, 20}, {440, 20}, {20, 400}, {440, 430}, {200, 330}}) {
            const double apart = colourDistance(lookOf((*frame)->image, x, y, x + 60, y + 60),
                                                lookOf(photo, x, y, x + 60, y + 60));
            QVERIFY2(apart < 1.5, qPrintable(QString("at %1, %2: %3").arg(x).arg(y).arg(apart)));
        }
        QVERIFY2(metric("face_dE_ref") < 2.5, qPrintable(QString::number(metric("face_dE_ref"))));
    }

    // 128: colour does not move along the clip. 130: the end is not darker than the middle.
    void case_128_130_colour_stays_to_the_end()
    {
        const auto meanOver = [this](std::size_t from, std::size_t to) {
            Look out;
            for (std::size_t i = from; i < to; ++i) {
                for (std::size_t c = 0; c < 3; ++c)
                    out.mean[c] += m_whole[i].mean[c] / static_cast<double>(to - from);
            }
            return out;
        };
        const std::size_t count = m_whole.size();
        const Look begin = meanOver(0, 25), middle = meanOver(count / 2 - 25, count / 2 + 25),
                   end = meanOver(count - 25, count);
        QVERIFY(colourDistance(begin, end) < 1);
        QVERIFY(colourDistance(middle, end) < 1);
        QVERIFY2(metric("bg_dE_end") < .3, qPrintable(QString::number(metric("bg_dE_end"))));
        QVERIFY2(metric("face_dE_end") < 1, qPrintable(QString::number(metric("face_dE_end"))));
        QVERIFY(!flags().contains("COLOUR_DRIFT"));
    }

    // 131, 133: neither colour nor contrast jumps from one window to the next.
    void case_131_133_windows_look_alike()
    {
        constexpr std::size_t kWindow = 50;
        double lowest = 1e9, highest = 0;
        for (std::size_t i = 0; i + kWindow <= m_whole.size(); i += kWindow) {
            double contrast = 0;
            for (std::size_t k = i; k < i + kWindow; ++k)
                contrast += m_whole[k].contrast / kWindow;
            lowest = std::min(lowest, contrast);
            highest = std::max(highest, contrast);
        }
        QVERIFY2(highest - lowest < 1.5, qPrintable(QString("%1 .. %2").arg(lowest).arg(highest)));
        double step = 0;
        for (std::size_t i = 1; i < m_skin.size(); ++i)
            step = std::max(step, colourDistance(m_skin[i], m_skin[i - 1]));
        QVERIFY2(step < 6, qPrintable(QString::number(step))); // hair of a nodding head
    }

    // 134, 136: the same person from beginning to end, measured against the reference.
    void case_134_136_identity_stays()
    {
        QVERIFY2(metric("id_ref_p50") < .4, qPrintable(QString::number(metric("id_ref_p50"))));
        QVERIFY2(metric("id_ref_p95") < .45, qPrintable(QString::number(metric("id_ref_p95"))));
        QVERIFY2(metric("id_end_vs_start") < .25, qPrintable(QString::number(metric("id_end_vs_start"))));
        QVERIFY2(metric("id_ref_slope_per_min") < .08, qPrintable(QString::number(metric("id_ref_slope_per_min"))));
        QVERIFY(!flags().contains("IDENTITY_REF"));
        const QJsonArray distances = m_measured["identity"].toObject()["distance"].toArray();
        QVERIFY(distances.size() >= 3);
        for (const QJsonValue& distance : distances)
            QVERIFY2(distance.toDouble() < .6, qPrintable(QString::number(distance.toDouble())));
    }

    // 137, 145: nothing outside the person changes, ever; skin keeps its texture.
    void case_137_145_only_the_person_moves()
    {
        for (std::size_t i = 0; i < m_moved.size(); ++i)
            QVERIFY2(m_moved[i] < 1.5, qPrintable(QString("frame %1: %2").arg(i).arg(m_moved[i])));
        QVERIFY2(metric("bg_psnr_p5") > 48, qPrintable(QString::number(metric("bg_psnr_p5"))));
        const double sharpness = metric("sharp_end_ratio");
        QVERIFY2(sharpness > .85 && sharpness < 1.15, qPrintable(QString::number(sharpness)));
    }

    // 140: no mosaic, no noise. 143: no patch edge that jumps.
    void case_140_143_no_fault_is_found()
    {
        QCOMPARE(m_measured["sanity"].toObject()["noise_frames"].toInt(-1), 0);
        QCOMPARE(m_measured["sanity"].toObject()["black_or_flat_frames"].toInt(-1), 0);
        for (const auto& flag : m_measured["flags"].toArray())
            QVERIFY2(!flag.toObject()["hard"].toBool(), qPrintable(flag.toObject()["msg"].toString()));
        QVERIFY2(metric("face_boil") < .1, qPrintable(QString::number(metric("face_boil"))));
    }

    // 142: a clip shorter than the speech: the video has the length of the speech and its background rests.
    void case_142_a_short_clip_carries_a_long_speech()
    {
        const Image face = loadPhoto(m_photo);
        media::Mp4Options options;
        options.width = face.width;
        options.height = face.height;
        options.fps = {25, 1};
        const QString clip = m_cli.path("short.mp4"), video = m_cli.path("carried.mp4");
        auto writer = media::Mp4Writer::create(clip.toStdString(), options, platform::IfExists::Replace);
        QVERIFY(writer);
        for (int i = 0; i < 12; ++i)
            QVERIFY(writer->addFrame(face));
        QVERIFY(writer->finish());
        const CliResult result = m_cli.run({"render", "-r", clip, "-a", m_cli.speech(4), "-o", video, "--size", "256x256"});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        auto reader = media::VideoReader::open(video.toStdString());
        QVERIFY(reader);
        Image first;
        int frames = 0;
        for (;; ++frames) {
            auto frame = reader->next();
            QVERIFY(frame);
            if (!*frame)
                break;
            if (first.data.empty())
                first = (*frame)->image;
            QVERIFY(meanDifference((*frame)->image, first, 216, 0, 256, 30) < 1.5);
        }
        QCOMPARE(frames, 100);
    }

    // 74, 76: frames without a face, at the beginning, in the middle and at the end, spoil nothing.
    void case_074_076_faceless_frames_of_a_clip()
    {
        const Image face = loadPhoto(m_photo);
        media::Mp4Options options;
        options.width = face.width;
        options.height = face.height;
        options.fps = {10, 1};
        const QString clip = m_cli.path("gaps.mp4"), video = m_cli.path("gaps-out.mp4");
        auto writer = media::Mp4Writer::create(clip.toStdString(), options, platform::IfExists::Replace);
        QVERIFY(writer);
        for (int i = 0; i < 30; ++i)
            QVERIFY(writer->addFrame(i / 5 % 2 == 0 ? Image(face.width, face.height, 3) : face));
        QVERIFY(writer->finish());
        const CliResult result = m_cli.run(m_cli.renderArguments(clip, m_cli.speech(4), video));
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        auto reader = media::VideoReader::open(video.toStdString());
        QVERIFY(reader);
        for (int i = 0; i < 100; ++i) {
            auto frame = reader->next();
            QVERIFY(frame && *frame);
            const Look look = lookOf((*frame)->image, 0, 0, 192, 108);
            QVERIFY2(look.mean[0] > 40 && look.contrast > 20, qPrintable(QString("frame %1").arg(i)));
        }
    }

    // 8: the video says which engine made it, with what seed.
    void case_008_the_video_names_its_engine()
    {
        const auto facts = media::probeMedia(m_video.toStdString(), media::ProbeDepth::Headers);
        QVERIFY(facts && facts->tags.contains("comment"));
        const QString comment = QString::fromStdString(facts->tags.at("comment"));
        QVERIFY2(comment.startsWith("AI generated. Made with Loquor, pack portrait 1, seed "), qPrintable(comment));
    }
};

LOQUOR_TEST(tst_cli_quality)
#include "tst_cli_quality.moc"
