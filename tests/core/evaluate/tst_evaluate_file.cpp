// From the file to the verdict: clips are made here, with and without planted faults.
#include "core/evaluate/evaluate_file.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include "core/evaluate/plot.h"
#include "core/evaluate/report.h"
#include "core/media/image_loader.h"
#include "core/media/mp4_writer.h"
#include "core/speech/timing_json.h"
#include "tests/core/evaluate/synthetic_clip.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::evaluate;

namespace {

const std::filesystem::path kData = std::filesystem::path(LOQUOR_DEPS_DIR).parent_path();

FileOptions options()
{
    FileOptions out;
    out.models = kData / "models";
    return out;
}

// A window that wanders over a photo: the head moves, the lips do not.
Image window(const Image& photo, int frame, int size)
{
    Image out(size, size, 3);
    const int left = static_cast<int>(std::lround(16 + 10 * std::sin(0.21 * frame)));
    const int top = static_cast<int>(std::lround(14 + 10 * std::cos(0.21 * frame)));
    for (int y = 0; y < size; ++y)
        std::copy_n(photo.row(top + y) + 3 * left, out.stride(), out.row(y));
    return out;
}

struct ClipPlan
{
    int frames = 75;
    bool face = true;
    int blackFrame = -1, repeatedFrame = -1;
    bool sound = true;
};

bool makeVideo(const std::filesystem::path& file, const ClipPlan& plan)
{
    const auto photo = media::loadImage(kData / "media" / "test" / "astronaut.png");
    if (!photo)
        return false;
    media::Mp4Options format;
    format.width = format.height = 480;
    format.fps = {25, 1};
    format.audioRate = plan.sound ? 16000 : 0;
    auto writer = media::Mp4Writer::create(file, format, platform::IfExists::Replace);
    if (!writer)
        return false;
    const std::vector<float> sound = test::makeSpeech(plan.frames / 25.0, 5);
    Image flat(480, 480, 3);
    for (int i = 0; i < plan.frames; ++i) {
        std::fill(flat.data.begin(), flat.data.end(), static_cast<std::uint8_t>(plan.face ? 0 : 90 + i));
        const bool noPicture = !plan.face || i == plan.blackFrame;
        const Image frame = noPicture ? flat : window(photo->image, i == plan.repeatedFrame ? i - 1 : i, 480);
        if (!writer->addFrame(frame) || (plan.sound && !writer->addAudio(sound.data() + i * 640, 640)))
            return false;
    }
    return writer->finish().has_value();
}

const Flag* find(const Evaluation& e, const char* code)
{
    for (const Flag& f : e.flags)
        if (f.code == code)
            return &f;
    return nullptr;
}

} // namespace

class tst_evaluate_file : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    std::filesystem::path m_clip;
    std::unique_ptr<Evaluation> m_result;

    std::filesystem::path file(const char* name) const
    {
        return std::filesystem::path(m_dir.path().toStdString()) / name;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_clip = file("Gesicht äöü.mp4");
        QVERIFY(makeVideo(m_clip, {75, true, 30, 50, true}));
        FileOptions o = options();
        o.reference = kData / "media" / "test" / "astronaut.png";
        double last = -1;
        o.progress = [&](double part) { last = part; };
        auto result = evaluateFile(m_clip, o);
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        QVERIFY(last > 0.8 && last <= 1);
        m_result = std::make_unique<Evaluation>(std::move(*result));
    }

    void measuresTheContainerExactly()
    {
        const Evaluation& e = *m_result;
        QCOMPARE(e.facts.width, 480);
        QCOMPARE(e.facts.height, 480);
        QCOMPARE(e.facts.videoCodec, std::string("h264"));
        QCOMPARE(e.facts.averageRate, std::string("25/1"));
        QCOMPARE(e.container.frames, std::size_t(75));
        QVERIFY(std::abs(e.container.videoSeconds - 3) < 1e-9);
        QVERIFY(std::abs(e.container.audioSeconds - 3) < 0.04);
        QCOMPARE(*e.container.startDifferenceMs, 0.0);
        QVERIFY(!e.container.variableRate);
        QVERIFY(!e.hasFlag("AV_LENGTH") && !e.hasFlag("AV_START"));
    }

    void findsTheFace()
    {
        const Evaluation& e = *m_result;
        QVERIFY(e.face.foundFraction > 0.98);
        QVERIFY2(std::abs(e.face.eyeDistance - 61) < 4, qPrintable(QString::number(e.face.eyeDistance)));
        QVERIFY(e.metric("lip_range") && *e.metric("lip_range") < 0.03);
        QVERIFY(*e.metric("head_shift_p95") > 0.1);
    }

    void findsThePlantedFaults()
    {
        const Evaluation& e = *m_result;
        const Flag* black = find(e, "BLACK");
        QVERIFY(black && black->hard && std::abs(*black->time - 1.2) < 1e-6);
        const Flag* repeated = find(e, "DUP_FRAME");
        QVERIFY(repeated && std::abs(*repeated->time - 2.0) < 1e-6);
        QVERIFY(find(e, "LIPS_STILL"));
        QCOMPARE(e.scorecard.verdict, std::string("FAIL"));
    }

    void knowsThePerson()
    {
        QVERIFY(m_result->metric("id_ref_p50"));
        QVERIFY2(*m_result->metric("id_ref_p50") < 0.3, qPrintable(QString::number(*m_result->metric("id_ref_p50"))));
        QVERIFY(!m_result->hasFlag("IDENTITY_REF"));
        QVERIFY(std::abs(*m_result->metric("sharp_vs_ref") - 1) < 0.4);
        QVERIFY(*m_result->metric("face_dE_ref") < 3);
    }

    void writesReports()
    {
        const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(toJson(*m_result))).object();
        for (const char* key : {"version", "video", "container", "sanity", "face", "seams", "drop_suspects", "metrics", "blinks", "flags", "scorecard"})
            QVERIFY2(json.contains(key), key);
        QCOMPARE(json["video"].toString(), QString::fromUtf8("Gesicht äöü.mp4"));
        QCOMPARE(json["container"].toObject()["frames"].toInt(), 75);
        QCOMPARE(json["container"].toObject()["fps"].toString(), QStringLiteral("25/1"));
        QCOMPARE(json["container"].toObject()["r_fps"].toString(), QStringLiteral("25/1"));
        QCOMPARE(json["sanity"].toObject()["black_or_flat_frames"].toInt(), 1);
        QCOMPARE(json["scorecard"].toObject()["rows"].toArray().size(), 37);
        QVERIFY(json["metrics"].toObject()["lip_open_p5"].isDouble());
        const std::string text = toText(*m_result);
        QVERIFY(text.find("FLAG BLACK: 1 black or flat frame(s), first at 1.20 s") != std::string::npos);
        QVERIFY(text.find("75 frames") != std::string::npos);
        const Image picture = plot(*m_result);
        QCOMPARE(picture.width, 1600);
        QVERIFY(picture.height > 1000 && picture.channels == 3);
        QVERIFY(std::count(picture.data.begin(), picture.data.end(), std::uint8_t(255)) > picture.width * picture.height);
    }

    // 136: the score against the reference over time, for whoever shows it on a timeline.
    void case_136_identity_over_time_is_reported()
    {
        Evaluation e = *m_result;
        e.curves.identityTimes = {0.04, 1.24};
        e.curves.identityDistance = {0.21, 0.33333};
        const auto identityOf = [](const Evaluation& evaluation) {
            return QJsonDocument::fromJson(QByteArray::fromStdString(toJson(evaluation))).object()["identity"].toObject();
        };
        const QJsonObject identity = identityOf(e);
        QCOMPARE(identity["t"].toArray().size(), 2);
        QCOMPARE(identity["t"].toArray()[1].toDouble(), 1.24);
        QCOMPARE(identity["distance"].toArray()[1].toDouble(), 0.3333);
        e.curves = {};
        QVERIFY(identityOf(e).isEmpty()); // no reference, no score
    }

    void readsTimingAndTheWantedGap()
    {
        speech::TimingDocument document;
        document.timing.language = "en-us";
        document.timing.source = speech::TimingSource::Synthesis;
        document.timing.durationSeconds = 3;
        for (int i = 0; i < 30; ++i)
            document.timing.phonemes.push_back({i % 3 == 0 ? "p" : "ɑː", i / 10.0, (i + 1) / 10.0, 1, false});
        document.gap.emplace().rate = 25;
        for (int i = 0; i < 75; ++i)
            document.gap->values.push_back(static_cast<float>(i % 7));
        std::ofstream(file("timing.json")) << speech::writeTimingJson(document);
        FileOptions o = options();
        o.timing = file("timing.json");
        const auto e = evaluateFile(m_clip, o);
        QVERIFY2(e, e ? "" : e.error().text().c_str());
        QCOMPARE(*e->metric("bilabials"), 10.0);
        QVERIFY(e->metric("closure_hit") && e->metric("closure_chance"));
        QVERIFY(e->metric("gap_r") && std::abs(*e->metric("gap_r")) < 0.6); // these lips follow nothing
        QVERIFY(e->metric("gap_offset"));
    }

    void cutsTheAnalysisShort()
    {
        FileOptions o = options();
        o.maxSeconds = 1;
        const auto e = evaluateFile(m_clip, o);
        QVERIFY(e);
        QCOMPARE(e->container.frames, std::size_t(75));
        QCOMPARE(e->container.framesAnalysed, std::size_t(25));
        QVERIFY(std::abs(e->container.videoSeconds - 3) < 1e-9);
        QVERIFY(!e->hasFlag("AV_LENGTH"));
    }

    void theRegionChoosesTheFace()
    {
        FileOptions o = options();
        o.maxSeconds = 1;
        o.region = Box{0, 300, 100, 100}; // no face there
        const auto e = evaluateFile(m_clip, o);
        QVERIFY(e);
        QVERIFY(e->hasFlag("NO_FACE"));
    }

    // Field case 61: no face is said, not crashed on.
    void case_061_noFaceAndNoSound()
    {
        const auto path = file("flat.mp4");
        QVERIFY(makeVideo(path, {12, false, -1, -1, false}));
        const auto e = evaluateFile(path, options());
        QVERIFY2(e, e ? "" : e.error().text().c_str());
        QVERIFY(e->hasFlag("NO_FACE") && e->hasFlag("NO_AUDIO"));
        QCOMPARE(e->scorecard.verdict, std::string("FAIL"));
        QCOMPARE(e->scorecard.total, std::size_t(0));
        QVERIFY(plot(*e).width > 0);
        QVERIFY(!toText(*e).empty());
        QVERIFY(QJsonDocument::fromJson(QByteArray::fromStdString(toJson(*e))).isObject());
    }

    void refusesWhatIsNoVideo()
    {
        QCOMPARE(evaluateFile(file("missing.mp4"), options()).error().code(), ErrorCode::NotFound);
        std::ofstream(file("text.mp4")) << "this is no video, whatever its name says";
        QVERIFY(!evaluateFile(file("text.mp4"), options()));
        const auto sound = evaluateFile(kData / "media" / "test" / "jfk.wav", options());
        QVERIFY(!sound);
        QCOMPARE(sound.error().code(), ErrorCode::Unsupported);
        FileOptions noModels = options();
        noModels.models = file("nothing");
        QCOMPARE(evaluateFile(m_clip, noModels).error().code(), ErrorCode::NotFound);
        FileOptions badTiming = options();
        badTiming.timing = file("text.mp4");
        QVERIFY(!evaluateFile(m_clip, badTiming));
        FileOptions badReference = options();
        badReference.reference = file("missing.png");
        QCOMPARE(evaluateFile(m_clip, badReference).error().code(), ErrorCode::NotFound);
    }

    void cancels()
    {
        CancelSource cancel;
        cancel.cancel();
        const auto e = evaluateFile(m_clip, options(), cancel.token());
        QVERIFY(!e && e.error().isCancelled());
    }

    // The program: exit status, JSON on stdout and nothing else, the plot.
    void theProgram()
    {
        const QString program = QString(LOQUOR_BIN_DIR) + "/loquor-evaluate";
        const auto run = [&](const QStringList& arguments, QByteArray* out = nullptr) {
            QProcess process;
            process.start(program, arguments);
            if (!process.waitForFinished(60000))
                return -1;
            if (out)
                *out = process.readAllStandardOutput();
            return process.exitCode();
        };
        const QString clip = QString::fromStdString(m_clip.string());
        const QString png = QString::fromStdString(file("curves.png").string());
        QByteArray out;
        QCOMPARE(run({clip, "--json", "--max-seconds", "1.5", "--plot", png}, &out), 1);
        QVERIFY(QJsonDocument::fromJson(out).isObject());
        QVERIFY(QFile(png).size() > 10000);
        QCOMPARE(run({QString::fromStdString(file("missing.mp4").string())}), 2);
        QCOMPARE(run({}), 2);
        QCOMPARE(run({clip, "--roi", "1,2,3"}), 2);
        QCOMPARE(run({"--help"}, &out), 0);
        QVERIFY(out.contains("Exit status"));
    }
};

LOQUOR_TEST(tst_evaluate_file)
#include "tst_evaluate_file.moc"
