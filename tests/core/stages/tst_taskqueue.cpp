#include "core/stages/task_queue.h"
#include "tests/core/stages/task_fixtures.h"
#include "tests/support/test_main.h"

#include <chrono>
#include <thread>

using namespace loquor;
using namespace loquor::stages;

namespace {

std::shared_ptr<TaskQueue> queueOf(Rational fps = {25, 1})
{
    return std::make_shared<TaskQueue>(RunShape{fps, made::kRate, 1, {8, 25}, {6, 0, 0, pipeline::JoinAt::Lines}});
}

std::vector<std::byte> boundary(int frames, int goesOn)
{
    ChunkBoundary out;
    out.frames.resize(static_cast<std::size_t>(frames));
    out.lipsShut.resize(static_cast<std::size_t>(frames));
    out.goesOn.resize(static_cast<std::size_t>(goesOn));
    return serialise(out);
}

ErrorCode codeOf(const Result<void>& result)
{
    return result ? ErrorCode::None : result.error().code();
}

} // namespace

class tst_taskqueue : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void linesAreCutOnTheirOwnGrid()
    {
        auto queue = queueOf();
        QVERIFY(queue->add(made::line(1, 60)));
        LineTask resumed = made::line(2, 40);
        resumed.start = LineStart::Given;
        resumed.firstChunk = 1;
        resumed.boundary = boundary(8, 0);
        QVERIFY(queue->add(resumed));
        QVERIFY(queue->add(JoinTask{3, 1002, 2, 6, boundary(25, 2), boundary(5, 0)}));
        queue->close();
        TaskSource source(queue, {});
        QStringList got;
        while (true) {
            const auto chunk = source.next({});
            QVERIFY(chunk);
            if (!*chunk)
                break;
            got << QString("%1%2 task %3 chunk %4: %5+%6 samples %7+%8%9")
                       .arg(toString((*chunk)->kind))
                       .arg((*chunk)->index)
                       .arg((*chunk)->task)
                       .arg((*chunk)->indexInLine)
                       .arg((*chunk)->firstFrame)
                       .arg((*chunk)->frames)
                       .arg((*chunk)->sampleInLine)
                       .arg((*chunk)->samples)
                       .arg((*chunk)->endsLine ? " end" : "");
            QVERIFY(!(*chunk)->endsRun);
        }
        QCOMPARE(got, QStringList({"N0 task 1 chunk 0: 0+8 samples 0+5120", "N1 task 1 chunk 1: 8+25 samples 5120+16000",
                                   "N2 task 1 chunk 2: 33+25 samples 21120+16000",
                                   "N3 task 1 chunk 3: 58+2 samples 37120+1280 end",
                                   "N4 task 2 chunk 1: 8+25 samples 5120+16000",
                                   "N5 task 2 chunk 2: 33+7 samples 21120+4480 end",
                                   "I6 task 3 chunk 0: 0+5 samples 0+0"}));
    }

    // A chunk comes as soon as its sound, and what the solver looks at behind it, are there.
    void chunksOfAnOpenLineComeEarlyAndAreTheSame()
    {
        const auto lengthsOf = [](TaskSource& source) {
            std::vector<pipeline::ChunkSpec> out;
            while (auto chunk = source.next({}).value())
                out.push_back(*chunk);
            return out;
        };
        const LineTask line = made::line(1, 70);
        auto whole = queueOf();
        QVERIFY(whole->add(line));
        whole->close();
        TaskSource wholeSource(whole, {});
        const auto expected = lengthsOf(wholeSource);

        auto queue = queueOf();
        auto [first, rest] = made::inPieces(line, made::kRate * 3 / 2); // a second and a half
        QVERIFY(queue->add(first));
        TaskSource source(queue, {});
        QVERIFY(source.next({}).value() == expected[0]); // 8 frames, and .73 s of look-ahead
        CancelSource soon;
        std::thread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(120));
            soon.cancel();
        });
        QVERIFY(source.next(soon.token()).error().isCancelled()); // frame 33 ends at 1.32 s: too near to the end
        canceller.join();
        std::thread speaker([&] {
            for (LinePiece& piece : rest) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                QVERIFY(queue->isWaiting() && queue->extend(piece));
            }
            queue->close();
        });
        const auto got = lengthsOf(source);
        speaker.join();
        QVERIFY(got == std::vector(expected.begin() + 1, expected.end()));
    }

    void piecesOfNothingAreRefused()
    {
        auto queue = queueOf();
        auto [first, rest] = made::inPieces(made::line(1, 40), made::kRate);
        QCOMPARE(codeOf(queue->extend(rest[0])), ErrorCode::InvalidArgument); // it has no beginning
        LineTask late = first;
        late.firstChunk = 1;
        late.start = LineStart::Given;
        late.boundary = boundary(8, 0);
        QCOMPARE(codeOf(queue->add(late)), ErrorCode::InvalidArgument);
        LineTask broken = first;
        broken.start = LineStart::Given;
        broken.boundary = {std::byte{1}};
        QCOMPARE(codeOf(queue->add(broken)), ErrorCode::Corrupt);
        QVERIFY(queue->add(first));
        LinePiece other = rest[0];
        other.audio.sampleRate = 8000;
        QCOMPARE(codeOf(queue->extend(other)), ErrorCode::InvalidArgument);
        QVERIFY(queue->extend(rest[0])); // the last one
        QCOMPARE(codeOf(queue->extend(rest[0])), ErrorCode::InvalidArgument);
    }

    void nonsenseIsRefused()
    {
        auto queue = queueOf();
        LineTask other = made::line(1, 10);
        other.audio.sampleRate = 8000;
        QCOMPARE(codeOf(queue->add(other)), ErrorCode::InvalidArgument);
        LineTask empty = made::line(1, 10);
        empty.contextBefore = empty.audio.frames();
        QCOMPARE(codeOf(queue->add(empty)), ErrorCode::InvalidArgument);
        LineTask crowded = made::line(1, 10);
        crowded.frames = 9;
        QCOMPARE(codeOf(queue->add(crowded)), ErrorCode::InvalidArgument);
        LineTask beyond = made::line(1, 10);
        beyond.firstChunk = 2;
        beyond.start = LineStart::Given;
        beyond.boundary = boundary(8, 0);
        QCOMPARE(codeOf(queue->add(beyond)), ErrorCode::InvalidArgument);
        beyond.firstChunk = 1;
        beyond.start = LineStart::Before; // the chunk before is not there
        QCOMPARE(codeOf(queue->add(beyond)), ErrorCode::InvalidArgument);
        beyond.start = LineStart::Given;
        beyond.boundary.pop_back();
        QCOMPARE(codeOf(queue->add(beyond)), ErrorCode::Corrupt);
        QCOMPARE(codeOf(queue->add(JoinTask{4, 1, 1, 6, boundary(8, 0), boundary(8, 0)})), ErrorCode::InvalidArgument);
        QCOMPARE(codeOf(queue->add(JoinTask{4, 1, 1, 6, boundary(8, 2), {}})), ErrorCode::Corrupt);
        QCOMPARE(codeOf(queue->add(JoinTask{4, 1, 1, 0, boundary(8, 2), boundary(8, 2)})), ErrorCode::InvalidArgument);
        QVERIFY(queue->add(made::line(1, 10)));
        QCOMPARE(codeOf(queue->add(made::line(1, 10))), ErrorCode::InvalidArgument); // the number is taken
        queue->close();
        QCOMPARE(codeOf(queue->add(made::line(2, 10))), ErrorCode::InvalidArgument);
    }

    void waitsAndWakes()
    {
        auto queue = queueOf();
        CancelSource cancel;
        const auto inAMoment = [](std::function<void()> what) {
            return std::thread([what = std::move(what)] {
                std::this_thread::sleep_for(std::chrono::milliseconds(30));
                what();
            });
        };
        auto adder = inAMoment([&] { QVERIFY(queue->isWaiting() && queue->add(made::line(1, 10))); });
        QVERIFY(queue->next(cancel.token()).value().has_value());
        adder.join();
        auto closer = inAMoment([&] { queue->close(); });
        QVERIFY(!queue->next(cancel.token()).value().has_value());
        closer.join();
        auto second = queueOf();
        auto canceller = inAMoment([&] { cancel.cancel(); });
        const auto result = second->next(cancel.token());
        QVERIFY(!result && result.error().isCancelled());
        canceller.join();
        QVERIFY(!second->isWaiting());
    }

    void faultsEndTasksNotRuns()
    {
        std::vector<std::string> reports;
        TaskFaults faults([&](const pipeline::ChunkSpec&, const Error& error) { reports.push_back(error.text()); });
        pipeline::ChunkSpec before, bad, after, other;
        before.task = bad.task = after.task = 5;
        other.task = 6;
        before.index = 3, bad.index = 4, after.index = 5, other.index = 6;
        bad.line = 2;
        faults.add(bad, Error(ErrorCode::Internal, "odd"));
        faults.add(after, Error(ErrorCode::Internal, "odd too"));
        QVERIFY(!faults.has(before) && faults.has(bad) && faults.has(after) && !faults.has(other));
        QCOMPARE(reports, std::vector<std::string>{"odd (while making chunk 1 of line 2)"});
        QVERIFY(!TaskFaults::isOfTask(Error(ErrorCode::DiskFull, "")));
        QVERIFY(TaskFaults::isOfTask(Error(ErrorCode::Corrupt, "")));
    }
};

LOQUOR_TEST(tst_taskqueue)
#include "tst_taskqueue.moc"
