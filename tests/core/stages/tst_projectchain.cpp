#include "core/portrait/portrait_builder.h"
#include "core/stages/project_chain.h"
#include "tests/core/portrait/synthetic_portrait.h"
#include "tests/core/stages/spoiler.h"
#include "tests/core/stages/task_fixtures.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>

using namespace loquor;
using namespace loquor::stages;
using pipeline::ChunkSpec;
using test::Planted;
using test::Spoiler;

namespace {

// All that came of one task.
struct Made
{
    std::vector<std::vector<std::uint8_t>> frames;
    std::vector<portrait::Motion> motion;
    std::vector<std::vector<std::byte>> boundaries; // one for each chunk
    SampleIndex samples = 0;
    friend bool operator==(const Made&, const Made&) = default;
};

class Collector : public pipeline::Sink<FrameGroup>
{
public:
    const char* name() const override { return "collect"; }
    std::size_t memoryEstimate() const override { return 0; }
    Result<void> consume(const ChunkSpec& chunk, FrameGroup in, const CancelToken&) override
    {
        Made& made = tasks[chunk.task];
        for (const FramePtr& frame : in.frames) {
            if (frame->index != chunk.firstFrame + m_inChunk++)
                return fail(ErrorCode::Internal, "frames are out of order");
            made.frames.push_back(frame->image.data);
        }
        made.motion.insert(made.motion.end(), in.motion.begin(), in.motion.end());
        made.samples += in.audio.frames();
        if (!in.boundary.empty())
            made.boundaries.push_back(std::move(in.boundary));
        return {};
    }
    Result<void> endChunk(const ChunkSpec& chunk) override
    {
        if (m_inChunk == chunk.frames)
            ++wholeChunks[chunk.task];
        m_inChunk = 0;
        return {};
    }
    Result<void> endRun() override { return {}; }

    std::map<std::uint64_t, Made> tasks;
    std::map<std::uint64_t, int> wholeChunks;

private:
    FrameIndex m_inChunk = 0;
};

struct Outcome
{
    std::map<std::uint64_t, Made> tasks;
    std::map<std::uint64_t, int> wholeChunks;
    std::map<std::uint64_t, std::string> faults;
};

using Tasks = std::vector<std::variant<LineTask, JoinTask>>;

const ReferenceContext& reference()
{
    static const ReferenceContext context = [] {
        ReferenceContext out;
        out.model = portrait::makeSyntheticPortrait({160, 96});
        return out;
    }();
    return context;
}

enum class Executor { Streaming = 1,
                      Batch };

std::shared_ptr<TaskQueue> queueOf(pipeline::ChunkNumbers numbers, Rational fps)
{
    return std::make_shared<TaskQueue>(RunShape{fps, made::kRate, 1, numbers, {6, 2, 2, pipeline::JoinAt::Lines}});
}

Outcome runQueue(const std::shared_ptr<TaskQueue>& queue, std::shared_ptr<FrameStage> behindDecode, Executor executor)
{
    Outcome out;
    auto faults = std::make_shared<TaskFaults>(
        [&](const ChunkSpec& chunk, const Error& error) { out.faults[chunk.task] = error.text(); });
    auto collector = std::make_shared<Collector>();
    const auto& model = *reference().model;
    auto painter = std::make_shared<FramePainter>(reference(), Image(), model.width, model.height, 1);
    pipeline::Pipeline chain;
    auto frames = addProjectStages(chain, queue, faults, {}, painter, model.width, model.height,
                                   std::move(behindDecode));
    chain.into<FrameGroup>(frames, collector, {2, 0, std::chrono::microseconds{0}});
    const auto result = executor == Executor::Streaming ? chain.run({}) : chain.runBatch({3, 0, {}}, {});
    if (!result)
        out.faults[0] = result.error().text();
    out.tasks = collector->tasks;
    out.wholeChunks = collector->wholeChunks;
    return out;
}

Outcome runTasks(const Tasks& tasks, pipeline::ChunkNumbers numbers = {8, 25}, Rational fps = {25, 1},
                 std::shared_ptr<FrameStage> behindDecode = nullptr, Executor executor = Executor::Streaming)
{
    auto queue = queueOf(numbers, fps);
    std::map<std::uint64_t, std::string> refused;
    for (const auto& task : tasks)
        std::visit([&](const auto& one) {
            if (auto added = queue->add(one); !added)
                refused[one.task] = added.error().text();
        },
                   task);
    queue->close();
    Outcome out = runQueue(queue, std::move(behindDecode), executor);
    out.faults.merge(refused);
    return out;
}

// The lines as somebody says them who pauses behind every `samples`.
Outcome runInPieces(const std::vector<LineTask>& lines, std::size_t samples, pipeline::ChunkNumbers numbers, Rational fps)
{
    auto queue = queueOf(numbers, fps);
    std::map<std::uint64_t, std::string> refused;
    std::thread speaker([&] {
        for (const LineTask& line : lines) {
            auto pieces = made::inPieces(line, samples);
            auto done = queue->add(std::move(pieces.first));
            for (LinePiece& piece : pieces.second) {
                std::this_thread::sleep_for(std::chrono::milliseconds(3));
                if (done)
                    done = queue->extend(std::move(piece));
            }
            if (!done)
                refused[line.task] = done.error().text();
        }
        queue->close();
    });
    Outcome out = runQueue(queue, nullptr, Executor::Streaming);
    speaker.join();
    out.faults.merge(refused);
    return out;
}

LineTask following(LineTask task)
{
    task.start = LineStart::Before;
    return task;
}

LineTask given(LineTask task, std::vector<std::byte> boundary, int firstChunk = 0)
{
    task.start = LineStart::Given;
    task.boundary = std::move(boundary);
    task.firstChunk = firstChunk;
    return task;
}

} // namespace

class tst_projectchain : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Standing test: chunked = unchunked, here for lines that carry each other on; bits, not tolerances.
    void chunkedIsUnchunked_data()
    {
        QTest::addColumn<QString>("fps");
        QTest::addColumn<bool>("phonemes");
        QTest::newRow("phonemes") << "25" << true;
        QTest::newRow("sound alone") << "25" << false;
        QTest::newRow("29.97") << "29.97" << true;
    }
    void chunkedIsUnchunked()
    {
        QFETCH(QString, fps);
        QFETCH(bool, phonemes);
        const Rational rate = *Rational::parse(fps.toStdString());
        const Tasks tasks{made::line(1, 45, phonemes, rate), following(made::line(2, 20, phonemes, rate)),
                          following(made::line(3, 33, phonemes, rate))};
        const auto whole = runTasks(tasks, {1000, 1000}, rate), small = runTasks(tasks, {3, 7}, rate);
        QVERIFY2(whole.faults.empty(), whole.faults.empty() ? "" : whole.faults.begin()->second.c_str());
        QVERIFY(small.faults.empty());
        for (std::uint64_t task = 1; task <= 3; ++task) {
            const Made &a = whole.tasks.at(task), &b = small.tasks.at(task);
            QVERIFY(a.frames.size() >= 20 && a.frames == b.frames);
            QVERIFY(a.motion == b.motion);
            QCOMPARE(a.samples, b.samples);
            QCOMPARE(a.boundaries.size(), std::size_t(1));
            const auto one = parseBoundary(a.boundaries[0]), other = parseBoundary(b.boundaries.back());
            QVERIFY(one && other);
            QVERIFY(one->state == other->state && one->goesOn == other->goesOn);
            QVERIFY(one->frames == a.motion && one->goesOn.size() == 2);
        }
    }

    // Lines that are made while they are said have the chunks of whole ones: bits, boundaries and all.
    void linesInPiecesAreWholeLines_data()
    {
        QTest::addColumn<int>("samples");
        QTest::addColumn<QString>("fps");
        QTest::addColumn<bool>("phonemes");
        QTest::newRow("small pieces") << 1111 << "25" << true;
        QTest::newRow("seconds") << 17'000 << "25" << true;
        QTest::newRow("sound alone") << 7000 << "25" << false;
        QTest::newRow("29.97") << 9000 << "29.97" << true;
        QTest::newRow("60") << 5000 << "60" << true;
    }
    void linesInPiecesAreWholeLines()
    {
        QFETCH(int, samples);
        QFETCH(QString, fps);
        QFETCH(bool, phonemes);
        const Rational rate = *Rational::parse(fps.toStdString());
        const std::vector<LineTask> lines{made::line(1, 95, phonemes, rate), following(made::line(2, 61, phonemes, rate)),
                                          following(made::line(3, 5, phonemes, rate))};
        const pipeline::ChunkNumbers numbers{8, 25};
        const auto whole = runTasks({lines.begin(), lines.end()}, numbers, rate);
        const auto pieces = runInPieces(lines, static_cast<std::size_t>(samples), numbers, rate);
        QVERIFY2(pieces.faults.empty(), pieces.faults.empty() ? "" : pieces.faults.begin()->second.c_str());
        QCOMPARE(whole.tasks.size(), std::size_t(3));
        QVERIFY(pieces.wholeChunks == whole.wholeChunks);
        QVERIFY(pieces.tasks == whole.tasks);
    }

    // Standing test: streaming = batch.
    void batchIsStreaming()
    {
        const Tasks tasks{made::line(1, 45), following(made::line(2, 20)), following(made::line(3, 33, false))};
        const auto streamed = runTasks(tasks), batch = runTasks(tasks, {8, 25}, {25, 1}, nullptr, Executor::Batch);
        QVERIFY(streamed.faults.empty() && batch.faults.empty());
        QCOMPARE(batch.tasks.size(), std::size_t(3));
        QVERIFY(batch.tasks == streamed.tasks);
        QVERIFY(batch.wholeChunks == streamed.wholeChunks);
    }

    // 17: a line's sound is shorter than its frames: what is missing is silence, nothing changes its shape.
    void case_017_sound_shorter_than_its_line_is_silence()
    {
        LineTask line = made::line(1, 45), padded = line;
        line.audio.samples.resize(line.audio.samples.size() - 500);
        line.frames = 60;
        padded.audio.samples.resize(line.audio.samples.size());
        padded.audio.samples.resize(static_cast<std::size_t>(firstSampleOf(60, made::kRate, {25, 1})), 0.f);
        const auto one = runTasks({line}), other = runTasks({padded});
        QVERIFY2(one.faults.empty(), one.faults.empty() ? "" : one.faults.begin()->second.c_str());
        QCOMPARE(one.tasks.at(1).frames.size(), std::size_t(60));
        QVERIFY(one.tasks.at(1).motion == other.tasks.at(1).motion);
        QVERIFY(one.tasks.at(1).frames == other.tasks.at(1).frames);
    }

    // Carrying on = starting from the bytes; what was made before does not matter.
    void carryingOnIsStartingFromBytes()
    {
        const auto chained = runTasks({made::line(1, 45), following(made::line(2, 30)), following(made::line(3, 30))});
        const auto first = runTasks({made::line(1, 45)});
        QVERIFY(first.tasks.at(1) == chained.tasks.at(1));
        const auto second = runTasks({made::line(3, 30), given(made::line(2, 30), first.tasks.at(1).boundaries.back())});
        QVERIFY(second.tasks.at(2) == chained.tasks.at(2));
        const auto third = runTasks({made::line(1, 12), given(made::line(2, 30), first.tasks.at(1).boundaries.back()),
                                     following(made::line(3, 30))});
        QVERIFY(third.tasks.at(3) == chained.tasks.at(3));
        const auto fresh = runTasks({made::line(2, 30)});
        QVERIFY(fresh.tasks.at(2).motion != chained.tasks.at(2).motion); // the boundary does matter
    }

    // 108: continued in the middle of a line, nothing differs from a run that was never interrupted.
    void case_108_resumed_is_uninterrupted()
    {
        const auto whole = runTasks({made::line(1, 45), following(made::line(2, 70))});
        const Made& line = whole.tasks.at(2);
        QCOMPARE(line.boundaries.size(), std::size_t(4)); // 8, 25, 25, 12
        for (int chunk = 1; chunk < 4; ++chunk) {
            const auto rest = runTasks({given(made::line(2, 70), line.boundaries[std::size_t(chunk - 1)], chunk)});
            QVERIFY(rest.faults.empty());
            const std::ptrdiff_t done = chunk == 1 ? 8 : chunk == 2 ? 33
                                                                    : 58;
            const Made& made = rest.tasks.at(2);
            QVERIFY(std::equal(made.frames.begin(), made.frames.end(), line.frames.begin() + done, line.frames.end()));
            QVERIFY(std::equal(made.motion.begin(), made.motion.end(), line.motion.begin() + done, line.motion.end()));
            QVERIFY(std::equal(made.boundaries.begin(), made.boundaries.end(), line.boundaries.begin() + chunk,
                               line.boundaries.end()));
        }
    }

    // A recording cut into pieces moves as the whole one: the pieces hear their neighbours.
    void piecesOfARecordingHearEachOther()
    {
        const LineTask whole = made::line(1, 60, false);
        LineTask left = whole, right = whole;
        right.task = 2;
        const SampleIndex cut = firstSampleOf(35, made::kRate, {25, 1}), reach = 11000;
        left.audio.samples.resize(static_cast<std::size_t>(cut + reach));
        left.contextAfter = reach;
        right.audio.samples.erase(right.audio.samples.begin(), right.audio.samples.begin() + (cut - reach));
        right.contextBefore = reach;
        right.cues.clear();
        const auto pieces = runTasks({left, following(right)});
        const auto one = runTasks({whole});
        QVERIFY(pieces.faults.empty());
        std::vector<portrait::Motion> both = pieces.tasks.at(1).motion;
        both.insert(both.end(), pieces.tasks.at(2).motion.begin(), pieces.tasks.at(2).motion.end());
        const auto& expected = one.tasks.at(1).motion;
        QCOMPARE(both.size(), expected.size());
        // bit for bit up to where the recording ends in silence
        for (std::size_t i = 0; i < both.size(); ++i)
            QVERIFY2(both[i] == expected[i], qPrintable(QString::number(i)));
    }

    void joinsReplaceTheFirstFrames()
    {
        const auto left = runTasks({made::line(1, 45)}), right = runTasks({made::line(9, 12), following(made::line(2, 60))});
        const auto& a = left.tasks.at(1);
        const auto& b = right.tasks.at(2);
        const JoinTask join{3, 1002, 2, 6, a.boundaries.back(), b.boundaries.front()};
        const auto joined = runTasks({join});
        QVERIFY(joined.faults.empty());
        const Made& frames = joined.tasks.at(3);
        QCOMPARE(frames.frames.size(), std::size_t(6));
        QCOMPARE(frames.samples, SampleIndex(0));
        QVERIFY(frames.boundaries.empty());
        const auto goesOn = parseBoundary(a.boundaries.back())->goesOn;
        for (const portrait::Param p : {portrait::Param::Yaw, portrait::Param::Pitch, portrait::Param::Roll}) {
            QVERIFY(std::abs(frames.motion[0][p] - goesOn[0][p]) < 1e-5f);
            QVERIFY(std::abs(frames.motion[5][p] - b.motion[5][p]) < .15f * std::abs(goesOn[0][p] - b.motion[0][p]) + .05f);
        }
        // in the middle of a run the join is the same, and changes nothing around it
        const auto mixed = runTasks({made::line(1, 45), join, following(made::line(4, 20))});
        const auto plain = runTasks({made::line(1, 45), following(made::line(4, 20))});
        QVERIFY(mixed.tasks.at(3) == frames);
        QVERIFY(mixed.tasks.at(4) == plain.tasks.at(4));
        // a boundary that changes nothing
        const auto same = runTasks({JoinTask{3, 1, 1, 6, serialise({{}, {}, {b.motion[0], b.motion[1]}, {}}), b.boundaries.front()}});
        QVERIFY(std::equal(same.tasks.at(3).frames.begin(), same.tasks.at(3).frames.end(), b.frames.begin()));
    }

    // 139: pictures that went wrong end their line and name what they look like; made again, it is what it would
    // have been.
    void case_139_broken_pictures_are_not_kept_data()
    {
        QTest::addColumn<int>("what");
        QTest::addColumn<QString>("said");
        QTest::newRow("black") << static_cast<int>(Planted::Black) << "black frames";
        QTest::newRow("frozen") << static_cast<int>(Planted::Frozen) << "stands still";
        QTest::newRow("colour") << static_cast<int>(Planted::Colour) << "jump of colour";
        QTest::newRow("no numbers") << static_cast<int>(Planted::NoNumber) << "not numbers";
    }
    void case_139_broken_pictures_are_not_kept()
    {
        QFETCH(int, what);
        QFETCH(QString, said);
        const Tasks tasks{made::line(1, 45), following(made::line(2, 45))};
        const auto good = runTasks(tasks);
        QVERIFY(good.faults.empty());
        const auto spoiler = std::make_shared<Spoiler>(static_cast<Planted>(what), 2, 1, 1);
        const auto bad = runTasks(tasks, {8, 25}, {25, 1}, spoiler);
        QCOMPARE(bad.faults.size(), std::size_t(1));
        QVERIFY2(bad.faults.at(2).find(said.toStdString()) != std::string::npos, bad.faults.at(2).c_str());
        QVERIFY(bad.tasks.at(1) == good.tasks.at(1));
        QCOMPARE(bad.wholeChunks.at(2), 1); // those before it
        const Made& line = good.tasks.at(2);
        const auto again = runTasks({given(made::line(2, 45), line.boundaries.front(), 1)}, {8, 25}, {25, 1},
                                    std::make_shared<Spoiler>(static_cast<Planted>(what), 2, 1, 0));
        QVERIFY(again.faults.empty());
        QVERIFY(std::equal(again.tasks.at(2).frames.begin(), again.tasks.at(2).frames.end(), line.frames.begin() + 8,
                           line.frames.end()));
    }

    // 116: a line that cannot be made is reported; the others are made.
    void case_116_a_failing_line_stops_alone()
    {
        ChunkBoundary wrong = *parseBoundary(runTasks({made::line(1, 10)}).tasks.at(1).boundaries[0]);
        wrong.state[100] ^= 1;
        const auto out = runTasks({made::line(1, 20), given(made::line(2, 60), serialise(wrong)), following(made::line(3, 20)),
                                   made::line(4, 20)});
        QVERIFY(!out.faults.contains(0) && out.faults.size() == 2);
        QVERIFY2(out.faults.at(2).find("chunk 1 of line 2") != std::string::npos, out.faults.at(2).c_str());
        QVERIFY2(out.faults.at(3).find("follows a line that was not made") != std::string::npos, out.faults.at(3).c_str());
        QCOMPARE(out.wholeChunks.at(1), 2);
        QCOMPARE(out.wholeChunks.count(2), std::size_t(0));
        QCOMPARE(out.wholeChunks.at(4), 2);
        const auto middle = runTasks({given(made::line(2, 60), runTasks({made::line(1, 20)}).tasks.at(1).boundaries[0])});
        QVERIFY2(middle.faults.at(2).find("end of a line") != std::string::npos, middle.faults.at(2).c_str());
    }
};

LOQUOR_TEST(tst_projectchain)
#include "tst_projectchain.moc"
