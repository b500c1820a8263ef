// Stages without a network: instant, slow, failing, throwing, hanging, memory-hungry.
#pragma once

#include "core/pipeline/chunk_plan.h"
#include "core/pipeline/pipeline.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace loquor::pipeline::test {

// A number that knows its weight and how many of its kind are alive.
struct Item
{
    std::int64_t value = 0;
    std::size_t weight = 0;
    std::shared_ptr<int> alive;
    ItemCost cost() const { return {weight, std::chrono::microseconds{0}}; }
};

// Counts the items alive and remembers the most.
class AliveCounter
{
public:
    std::shared_ptr<int> token()
    {
        const int now = ++m_now;
        int most = m_most;
        while (now > most && !m_most.compare_exchange_weak(most, now)) {
        }
        return std::shared_ptr<int>(new int(0), [this](int* p) {
            delete p;
            --m_now;
        });
    }
    int now() const { return m_now; }
    int most() const { return m_most; }

private:
    std::atomic<int> m_now{0};
    std::atomic<int> m_most{0};
};

// Chunks of `framesPerLine` frames a line; count < 0 = endless.
class FakeSource : public ChunkSource
{
public:
    FakeSource(int lines, int framesPerLine, ChunkNumbers numbers = {8, 25})
        : m_plan({25, 1}, 16000, numbers, 1), m_lines(lines), m_frames(framesPerLine)
    {
    }
    Result<std::optional<ChunkSpec>> next(const CancelToken&) override
    {
        while (true) {
            if (auto chunk = m_plan.next())
                return chunk;
            if (m_plan.isFinished())
                return std::nullopt;
            ++m_line;
            LQ_CHECKED(m_plan.addLine({static_cast<std::uint64_t>(m_line), m_line,
                                       SampleIndex(640) * m_frames, m_line == m_lines}));
        }
    }

private:
    ChunkPlan m_plan;
    int m_lines;
    int m_frames;
    int m_line = 0;
};

enum class Behaviour {
    Instant = 1,
    Slow,
    Fail,
    Throw,
    ThrowBadAlloc,
    Hang,
    Silent,
};

// One Item per frame of the chunk: value = frame index * 10 (a pure function of the frame).
class FakeMaker : public Stage<ChunkSpec, Item>
{
public:
    explicit FakeMaker(Behaviour behaviour = Behaviour::Instant, int atChunk = -1,
                       AliveCounter* counter = nullptr, std::size_t memory = 0)
        : m_behaviour(behaviour), m_atChunk(atChunk), m_counter(counter), m_memory(memory)
    {
    }
    const char* name() const override { return "make"; }
    std::size_t memoryEstimate() const override { return m_memory; }
    Result<void> run(const ChunkSpec& chunk, ChunkSpec, const Emit<Item>& emit,
                     const CancelToken& cancel) override
    {
        if (m_atChunk < 0 || chunk.index == m_atChunk)
            LQ_CHECKED(misbehave(cancel));
        for (int i = 0; i < chunk.frames; ++i) {
            Item item{(chunk.firstFrame + i) * 10, 1000, m_counter ? m_counter->token() : nullptr};
            if (!emit(std::move(item)))
                return cancelled();
        }
        return {};
    }

private:
    Result<void> misbehave(const CancelToken& cancel)
    {
        switch (m_behaviour) {
        case Behaviour::Instant:
        case Behaviour::Silent: break;
        case Behaviour::Slow: std::this_thread::sleep_for(std::chrono::milliseconds(3)); break;
        case Behaviour::Fail: return fail(ErrorCode::DiskFull, "The disk is full.");
        case Behaviour::Throw: throw std::runtime_error("bad luck");
        case Behaviour::ThrowBadAlloc: throw std::bad_alloc();
        case Behaviour::Hang:
            while (!cancel.waitFor(60000)) {
            }
            return cancelled();
        }
        return {};
    }

    Behaviour m_behaviour;
    int m_atChunk;
    AliveCounter* m_counter;
    std::size_t m_memory;
};

// Adds 1 to every item; optionally slow per item.
class FakePlusOne : public Stage<Item, Item>
{
public:
    explicit FakePlusOne(int microseconds = 0) : m_microseconds(microseconds) {}
    const char* name() const override { return "plus"; }
    std::size_t memoryEstimate() const override { return 0; }
    Result<void> run(const ChunkSpec&, Item in, const Emit<Item>& emit, const CancelToken&) override
    {
        if (m_microseconds > 0)
            std::this_thread::sleep_for(std::chrono::microseconds(m_microseconds));
        in.value += 1;
        return emit(std::move(in)) ? Result<void>{} : cancelled();
    }

private:
    int m_microseconds;
};

class FakeSink : public Sink<Item>
{
public:
    explicit FakeSink(int microseconds = 0, bool failing = false)
        : m_microseconds(microseconds), m_failing(failing)
    {
    }
    const char* name() const override { return "sink"; }
    std::size_t memoryEstimate() const override { return 0; }
    Result<void> consume(const ChunkSpec&, Item in, const CancelToken&) override
    {
        if (m_microseconds > 0)
            std::this_thread::sleep_for(std::chrono::microseconds(m_microseconds));
        if (m_failing && values.size() == 5)
            return fail(ErrorCode::DiskFull, "No space left.");
        values.push_back(in.value);
        ++received;
        return {};
    }
    Result<void> endChunk(const ChunkSpec& chunk) override
    {
        chunks.push_back(chunk.index);
        return {};
    }
    Result<void> endRun() override
    {
        ended = true;
        return {};
    }

    std::vector<std::int64_t> values;
    std::vector<int> chunks;
    std::atomic<int> received{0};
    bool ended = false;

private:
    int m_microseconds;
    bool m_failing;
};

} // namespace loquor::pipeline::test
