#include "core/comm/messages.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::comm;

namespace {

template<class T>
T throughToRank(const T& message)
{
    auto decoded = decodeToRank(encode(ToRank(message)));
    if (!decoded)
        throw std::runtime_error(decoded.error().text());
    return std::get<T>(std::move(*decoded));
}

template<class T>
T throughFromRank(const T& message)
{
    auto decoded = decodeFromRank(encode(FromRank(message)));
    if (!decoded)
        throw std::runtime_error(decoded.error().text());
    return std::get<T>(std::move(*decoded));
}

} // namespace

class tst_messages : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void render_request_survives()
    {
        StartRender in;
        in.id = 77;
        in.reference = "/tmp/\xff\xfe odd \n name.png"; // not UTF-8
        in.settings.width = 640;
        in.settings.height = 360;
        in.settings.fps = {30000, 1001};
        in.settings.seed = 0xffffffffffffffffull;
        in.settings.background = "#102030";
        in.settings.framing = pipeline::Framing::Fit;
        in.settings.prompt = "calm";
        in.settings.faceIndex = 2;
        in.sampleRate = 22050;
        in.channels = 1;
        in.label = {"AI généré", media::Corner::TopLeft, .05};
        in.trace = "/tmp/\xff trace.json";
        in.captionStyle = media::CaptionStyle{media::CaptionPlace::Top, .08, 0x00ff7f};
        in.output = "/tmp/emoji \xf0\x9f\x98\x80.mp4";
        in.overwrite = true;
        in.preview = true;
        in.metadata["comment"] = "made by a test";
        const StartRender out = throughToRank(in);
        QCOMPARE(out.id, in.id);
        QCOMPARE(out.reference, in.reference);
        QCOMPARE(out.settings.fps, in.settings.fps);
        QCOMPARE(*out.settings.seed, *in.settings.seed);
        QCOMPARE(out.settings.background, in.settings.background);
        QCOMPARE(out.settings.framing, in.settings.framing);
        QCOMPARE(out.settings.faceIndex, 2);
        QCOMPARE(out.output, in.output);
        QVERIFY(out.overwrite && out.preview && !out.audioOnlyMotion);
        QCOMPARE(out.metadata, in.metadata);
        QVERIFY(out.label == in.label);
        QCOMPARE(out.trace, in.trace);
        QVERIFY(out.captionStyle == in.captionStyle);
        in.captionStyle->highlight.reset();
        QVERIFY(throughToRank(in).captionStyle == in.captionStyle);
        in.captionStyle.reset();
        QVERIFY(!throughToRank(in).captionStyle);
    }

    void a_line_carries_its_sound_bit_for_bit()
    {
        SpeechLine in;
        in.job = 3;
        in.id = 0x8000000000000001ull;
        in.number = 4;
        in.isLast = true;
        in.timing.language = "en-us";
        in.timing.source = speech::TimingSource::Synthesis;
        in.timing.words = {{"hello", 0.1, 0.5, 0, 5, 0.9f}};
        in.timing.phonemes = {{"", 0, 0.1, 1, false}, {"ɑː", 0.1, 0.2, 0.5f, true}};
        in.cues = {{"nod", 0.25, 0.5}};
        in.captions = {{0, .4, "Hello,\nyou", {{0, 5, 0, .2}, {7, 10, .2, .4}}}};
        in.audio = {22050, 2, {0.1f, -0.2f, 1e-30f, 1.5f}};
        const SpeechLine out = throughToRank(in);
        QCOMPARE(out.id, in.id);
        QVERIFY(out.isLast);
        QCOMPARE(out.audio.samples, in.audio.samples);
        QCOMPARE(out.audio.channels, 2);
        QCOMPARE(out.timing.phonemes[1].symbol, in.timing.phonemes[1].symbol);
        QCOMPARE(out.timing.phonemes[1].end, 0.2);
        QVERIFY(out.timing.phonemes[1].stressed);
        QCOMPARE(out.timing.words[0].textEnd, 5);
        QCOMPARE(out.cues[0].tag, std::string("nod"));
        QCOMPARE(out.cues[0].strength, 0.5);
        QCOMPARE(out.captions.size(), std::size_t(1));
        QCOMPARE(out.captions[0].text, in.captions[0].text);
        QCOMPARE(out.captions[0].end, .4);
        QCOMPARE(out.captions[0].words.size(), std::size_t(2));
        QCOMPARE(out.captions[0].words[1].stop, std::size_t(10));
    }

    void chunk_brings_its_lips()
    {
        ChunkDone in;
        in.job = 9;
        in.chunk.frames = 3;
        in.lipGap = {0, .125f, .0625f};
        const ChunkDone out = throughFromRank(in);
        QCOMPARE(out.job, in.job);
        QCOMPARE(out.chunk.frames, 3);
        QCOMPARE(out.lipGap, in.lipGap);
    }

    void project_messages_survive()
    {
        MakeLine in;
        in.job = 4;
        in.task = 17;
        in.id = 0xfedcba9876543210ull;
        in.number = 3;
        in.seed = 0xffffffffffffffffull;
        in.prompt = "calm";
        in.boundaryFrom = BoundaryFrom::Given;
        in.firstChunk = 2;
        in.timing.phonemes = {{"a", 0, 0.5, 1, false}};
        in.cues = {{"nod", 0.25, 1}};
        in.contextBefore = 1;
        in.boundary = {std::byte{1}, std::byte{0}, std::byte{255}}; // odd length: sound follows unaligned
        in.audio = {48000, 1, {0.5f, -0.25f, 1e-30f}};
        const MakeLine out = throughToRank(in);
        QCOMPARE(out.id, in.id);
        QCOMPARE(out.seed, in.seed);
        QCOMPARE(out.boundaryFrom, BoundaryFrom::Given);
        QCOMPARE(out.boundary, in.boundary);
        QCOMPARE(out.audio.samples, in.audio.samples);
        QCOMPARE(out.firstChunk, 2);
        QCOMPARE(out.contextBefore, SampleIndex(1));

        in.open = true;
        in.known = 1.25;
        QVERIFY(throughToRank(in).open);
        QCOMPARE(throughToRank(in).known, 1.25);
        const LinePiece piece = throughToRank(LinePiece{4, 17, true, 2.5, in.timing, in.cues, in.audio});
        QCOMPARE(piece.task, std::uint64_t(17));
        QVERIFY(piece.isLast);
        QCOMPARE(piece.known, 2.5);
        QCOMPARE(piece.timing.phonemes.size(), std::size_t(1));
        QCOMPARE(piece.cues.size(), std::size_t(1));
        QCOMPARE(piece.audio.samples, in.audio.samples);

        const MakeJoin join = throughToRank(MakeJoin{4, 18, 3, {std::byte{7}}, {std::byte{8}, std::byte{9}}});
        QCOMPARE(join.left, std::vector<std::byte>{std::byte{7}});
        QCOMPARE(join.right.size(), std::size_t(2));

        StartProject start;
        start.id = 4;
        start.reference = "/tmp/\xff photo.png";
        start.sampleRate = 48000;
        start.channels = 1;
        start.staging = "/tmp/\xfe staging";
        QCOMPARE(throughToRank(start).staging, start.staging);
        QCOMPARE(throughToRank(EndProject{9}).job, JobId(9));

        start.preview = true;
        start.firstIndex = 1'000'000'000'000;
        QCOMPARE(throughToRank(start).firstIndex, start.firstIndex);
        const ChunkBegun begun = throughFromRank(ChunkBegun{4, 17, 33, 1'000'000'000'000});
        QCOMPARE(begun.task, std::uint64_t(17));
        QCOMPARE(begun.frameInLine, FrameIndex(33));
        QCOMPARE(begun.firstIndex, start.firstIndex);
        ChunkMade made;
        made.task = 17;
        made.chunk = {"I", 5, 3, 6, false, 0.25};
        made.indexInLine = 1;
        made.folder = "/tmp/\xfe staging/c1";
        const ChunkMade back = throughFromRank(made);
        QCOMPARE(back.chunk.kind, std::string("I"));
        QCOMPARE(back.folder, made.folder);
        ProjectDone done;
        done.stages["decode"] = {1, 2, 3};
        QCOMPARE(throughFromRank(done).stages.at("decode").cpuSeconds, 2.0);
    }

    void a_line_whose_context_is_all_its_sound_is_refused()
    {
        MakeLine in;
        in.audio = {48000, 1, {0.f, 0.f}};
        in.contextBefore = 1;
        in.contextAfter = 1;
        QVERIFY(!decodeToRank(encode(ToRank(in))));
    }

    void answers_survive()
    {
        FileChecked checked{5, {}, Image(3, 2, 3)};
        checked.report.file = "a.jpg";
        checked.report.kind = "image";
        checked.report.faces.push_back({1, .1f, .2f, .3f, .4f, 88, 1, 2, 3, true, {{{.5f, .6f}}}});
        checked.report.problems = {"none"};
        const auto file = throughFromRank(checked);
        QCOMPARE(file.report.faces[0].eyeDistancePx, 88.f);
        QCOMPARE(file.picture.height, 2);
        QCOMPARE(file.report.faces[0].outline[0][1], .6f);

        RenderDone done;
        done.job = 9;
        done.frames = 100;
        done.stages["decode"] = {1.5, 1.25, 4};
        const auto back = throughFromRank(done);
        QCOMPARE(back.stages.at("decode").cpuSeconds, 1.25);
        QCOMPARE(back.stages.at("decode").count, std::uint64_t(4));

        Error error(ErrorCode::NoFace, "no face\xff here");
        error.addContext("reading");
        const auto failed = throughFromRank(JobFailed{9, error});
        QCOMPARE(failed.error.code(), ErrorCode::NoFace);
        QCOMPARE(failed.error.context().size(), std::size_t(1));

        FrameFetched frame{9, 4, Image(4, 2, 3)};
        frame.image.data[5] = 200;
        QCOMPARE(throughFromRank(frame).image.data[5], std::uint8_t(200));
    }

    void damaged_messages_are_refused_data()
    {
        QTest::addColumn<QByteArray>("header");
        QTest::newRow("no json") << QByteArray("hello");
        QTest::newRow("no type") << QByteArray("{}");
        QTest::newRow("unknown") << QByteArray("{\"type\":\"explode\"}");
        QTest::newRow("missing field") << QByteArray("{\"type\":\"cancel\"}");
        QTest::newRow("wrong type") << QByteArray("{\"type\":\"cancel\",\"job\":\"x\"}");
        QTest::newRow("no sound") << QByteArray(
            "{\"type\":\"line\",\"job\":1,\"id\":1,\"number\":1,\"last\":true,\"continues\":false,\"cues\":[],\"rate\":0,"
            "\"channels\":1,\"timing\":{\"language\":\"\",\"source\":0,\"words\":[],\"phonemes\":[],"
            "\"seconds\":0}}");
    }
    void damaged_messages_are_refused()
    {
        QFETCH(QByteArray, header);
        const auto result = decodeToRank({header.toStdString(), {}});
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::Corrupt);
    }
};

LOQUOR_TEST(tst_messages)
#include "tst_messages.moc"
