// The chunk engine on fake stages, without any network:
//   bench_engine [--runs N]
// Prints JSON; medians of five runs. Stages that take time sleep, so the figures hold on a busy machine.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <malloc.h>

#include "core/pipeline/line_grid.h"
#include "core/pipeline/playback_order.h"
#include "core/platform/memory.h"
#include "tests/bench/bench_options.h"
#include "tests/support/fake_pack.h"

using namespace loquor;
using namespace loquor::fake;
using namespace loquor::pipeline;

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

int runs = 5;

class SleepingClock : public FakeClock
{
public:
    void pass(microseconds time) override
    {
        FakeClock::pass(time);
        if (time.count() > 0)
            std::this_thread::sleep_for(time);
    }
};

double seconds(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

template<class Body>
double median(Body body)
{
    std::vector<double> values;
    for (int i = 0; i < runs; ++i)
        values.push_back(body());
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

[[noreturn]] void stop(const std::string& why)
{
    std::fprintf(stderr, "bench_engine: %s\n", why.c_str());
    std::exit(1);
}

void runOrStop(const FakePack& pack, const FakeRunOptions& options, const std::shared_ptr<FakeStore>& store)
{
    if (auto result = runFake(pack, options, store); !result)
        stop(result.error().text());
}

// Seconds of a run of six seconds of video; `decodeSeconds` gets what its slowest stage took of them.
double runSeconds(const FakePack& pack, Executor executor, std::vector<double>* decodeSeconds = nullptr)
{
    Trace trace;
    FakeRunOptions options;
    options.executor = executor;
    options.pipeline.trace = &trace;
    auto store = std::make_shared<FakeStore>(pack, false);
    const auto start = Clock::now();
    runOrStop(pack, options, store);
    const double all = seconds(start);
    if (decodeSeconds)
        decodeSeconds->push_back(trace.totals().at("decode").wallSeconds);
    return all;
}

// The slowest stage alone, over the chunks of the same run.
double decodeAlone(const FakePack& pack)
{
    const auto source = makeFakeSource(pack);
    const auto motion = makeFakeMotion(pack);
    const auto decode = makeFakeDecode(pack);
    const Emit<FakeFrames> drop = [](const FakeFrames&) { return true; };
    double sum = 0;
    for (;;) {
        const auto chunk = source->next({});
        if (!chunk)
            stop(chunk.error().text());
        if (!*chunk)
            return sum;
        std::optional<FakeMotion> made;
        const Emit<FakeMotion> keep = [&made](FakeMotion value) {
            made.emplace(std::move(value));
            return true;
        };
        if (auto result = motion->run(**chunk, **chunk, keep, {}); !result)
            stop(result.error().text());
        const auto start = Clock::now();
        if (auto result = decode->run(**chunk, std::move(*made), drop, {}); !result)
            stop(result.error().text());
        sum += seconds(start);
    }
}

FakePack sixSeconds(bool slow)
{
    FakePack pack;
    pack.lines.assign(3, 50);
    if (slow) {
        pack.motionTime = microseconds(1000);
        pack.decodeTime = microseconds(10'000); // as drawing 720p on two cores
        pack.clock = std::make_shared<SleepingClock>();
    }
    return pack;
}

// Processor time of instant stages: what the executor itself costs.
double overhead(Executor executor)
{
    FakePack pack = sixSeconds(false);
    pack.lines.assign(100, 50);
    auto store = std::make_shared<FakeStore>(pack, false);
    FakeRunOptions options;
    options.executor = executor;
    return median([&] {
        store->chunks.clear();
        const double before = processCpuSeconds();
        runOrStop(pack, options, store);
        return 1e6 * (processCpuSeconds() - before) / static_cast<double>(store->chunks.size());
    });
}

void printExecutors()
{
    const double alone = median([] { return decodeAlone(sixSeconds(true)); });
    // A loaded machine wakes sleepers late, in threads more than alone: hence both comparisons.
    std::vector<double> within;
    const double streaming = median([&] { return runSeconds(sixSeconds(true), Executor::Streaming, &within); });
    std::sort(within.begin(), within.end());
    const double batch = median([] { return runSeconds(sixSeconds(true), Executor::Batch); });
    std::printf("  \"slowest_stage_seconds\": %.4f,\n", alone);
    std::printf("  \"streaming_seconds\": %.4f,\n", streaming);
    std::printf("  \"streaming_over_slowest_within\": %.4f,\n", streaming / within[within.size() / 2]);
    std::printf("  \"streaming_over_slowest_alone\": %.4f,\n", streaming / alone);
    std::printf("  \"batch_seconds\": %.4f,\n", batch);
    std::printf("  \"streaming_overhead_cpu_us_per_chunk\": %.1f,\n", overhead(Executor::Streaming));
    std::printf("  \"batch_overhead_cpu_us_per_chunk\": %.1f,\n", overhead(Executor::Batch));
}

struct Planned
{
    FrameIndex frames = 0;
    int chunks = 0;
};

// Two hours in lines of about five seconds, with joins, in playback order.
Planned planTwoHours(Rational fps)
{
    constexpr int kRate = 48'000;
    constexpr SampleIndex kAll = SampleIndex(7200) * kRate;
    ChunkPlan plan(fps, kRate, {8, 25}, 1, {GridMode::Lines, {6, 2, 2, JoinAt::Lines}, {}});
    PlaybackSequence sequence;
    std::vector<ShownPart> parts;
    Planned out;
    SampleIndex start = 0;
    FrameIndex startFrame = 0;
    for (int line = 1; start < kAll; ++line) {
        SampleIndex samples = std::min<SampleIndex>(kAll - start, kRate * 4 + (line * 7919) % (kRate * 2));
        samples += start + samples < kAll ? paddingToFrame(start, samples, kRate, fps) : 0;
        const FrameIndex end = framesOfLine(start + samples, kRate, fps);
        const auto added = plan.addLine({static_cast<std::uint64_t>(line), line, samples, start + samples >= kAll,
                                         false, end - startFrame});
        if (!added)
            stop(added.error().text());
        while (const auto chunk = plan.next()) {
            ++out.chunks;
            parts.clear();
            sequence.add(*chunk, parts);
            for (const ShownPart& part : parts)
                out.frames += part.frames;
        }
        start += samples;
        startFrame = end;
    }
    return out;
}

void printPlan()
{
    std::printf("  \"plan_two_hours\": {\n");
    const char* rates[] = {"23.976", "25", "29.97", "30", "50", "59.94", "60"};
    for (const char* name : rates) {
        const Rational fps = *Rational::parse(name);
        Planned planned;
        const double rssBefore = static_cast<double>(platform::memoryUse().rssBytes);
        const double cpu = median([&] {
            const double before = threadCpuSeconds();
            planned = planTwoHours(fps);
            return threadCpuSeconds() - before;
        });
        const double grown = static_cast<double>(platform::memoryUse().rssBytes) - rssBefore;
        const FrameIndex expected = framesCovering(SampleIndex(7200) * 48'000, 48'000, fps);
        std::printf("    \"%s\": {\"cpu_ms\": %.2f, \"chunks\": %d, \"frames\": %lld, \"frames_expected\": %lld, "
                    "\"rss_grown_kb\": %.0f}%s\n",
                    name, cpu * 1e3, planned.chunks, static_cast<long long>(planned.frames),
                    static_cast<long long>(expected), grown / 1e3, name == rates[6] ? "" : ",");
    }
    std::printf("  },\n");
}

struct Memory
{
    double peakRss = 0, peakLive = 0;
};

// Peak memory of a run with frames of 120 kB and everything that is always on.
Memory memoryOf(int lines, Executor executor)
{
    FakePack pack;
    pack.lines.assign(static_cast<std::size_t>(lines), 100);
    pack.pixels = 10'000;
    pack.groupFrames = 1;
    if (executor == Executor::Streaming) { // the slowest stage is the last: queues are full all the time
        pack.storeTime = microseconds(50);
        pack.clock = std::make_shared<SleepingClock>();
    }
    Trace trace;
    FakeRunOptions options;
    options.executor = executor;
    options.pipeline.trace = &trace;
    options.limits = {64, 0, microseconds{0}};
    platform::resetPeakMemory();
    runOrStop(pack, options, std::make_shared<FakeStore>(pack, false));
    return {static_cast<double>(platform::memoryUse().peakRssBytes),
            static_cast<double>(pack.live->peak().bytes)};
}

void printMemory()
{
    for (const Executor executor : {Executor::Streaming, Executor::Batch}) {
        const Memory brief = memoryOf(5, executor); // 20 s
        const Memory lengthy = memoryOf(150, executor); // 10 min
        std::printf("  \"memory_%s\": {\"peak_rss_mb_20s\": %.2f, \"peak_rss_mb_10min\": %.2f, \"ratio\": %.4f, "
                    "\"peak_live_mb_20s\": %.2f, \"peak_live_mb_10min\": %.2f},\n",
                    executor == Executor::Streaming ? "streaming" : "batch", brief.peakRss / 1e6,
                    lengthy.peakRss / 1e6, lengthy.peakRss / brief.peakRss, brief.peakLive / 1e6,
                    lengthy.peakLive / 1e6);
    }
}

void printTrace()
{
    const double ns = median([] {
        Trace trace;
        constexpr int kScopes = 20'000;
        const double before = threadCpuSeconds();
        for (int i = 0; i < kScopes; ++i)
            TraceScope scope(&trace, "stage", {"N", i, 1});
        return (threadCpuSeconds() - before) * 1e9 / kScopes;
    });
    std::printf("  \"trace_scope_ns\": %.0f\n", ns);
}

} // namespace

int main(int argc, char** argv)
{
    mallopt(M_MMAP_THRESHOLD, 64 * 1024); // frames go back to the system at once: RSS is what is held
    CLI::App app("What the chunk engine costs with stages that do nothing, as JSON", "bench_engine");
    app.add_option("--runs", runs, "Runs of each measurement")->check(CLI::Range(1, 1000));
    if (const auto code = bench::parse(app, argc, argv))
        return *code;
    std::printf("{\n  \"runs\": %d,\n", runs);
    printExecutors();
    printPlan();
    printMemory();
    printTrace();
    std::printf("}\n");
}
