// An engine without pictures: speaks the rank's protocol for project runs and writes small files whose
// bytes depend on exactly what a chunk may depend on. Faults are ordered in the file "orders" of
// LOQUOR_FAKE_FOLDER: "die:2:3:1 fail:1:0:3", each kind:line:chunk:times (line from 1, chunk from 0), counted
// in files beside it so that the count survives the process.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <limits>
#include <new>
#include <span>
#include <stdexcept>

#include "core/comm/frame_ring.h"
#include "core/comm/messages.h"
#include "core/comm/rank_process.h"
#include "core/pipeline/chunk_plan.h"
#include "core/pipeline/frame_gate.h"
#include "core/platform/atomic_file.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"
#include "core/platform/signals.h"

using namespace loquor;
using namespace loquor::comm;
namespace fs = std::filesystem;

namespace {

constexpr pipeline::ChunkNumbers kNumbers{8, 25};
constexpr pipeline::JoinNumbers kJoins{6, 2, 2, pipeline::JoinAt::Lines};

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

// The fault ordered for this chunk, if it has not been served often enough yet.
std::string faultAt(int line, int chunk)
{
    std::ifstream orders(fs::path(environment("LOQUOR_FAKE_FOLDER")) / "orders");
    for (std::string order; orders >> order;) {
        std::stringstream fields(order);
        std::string kind, at, part, times;
        std::getline(fields, kind, ':');
        std::getline(fields, at, ':');
        std::getline(fields, part, ':');
        std::getline(fields, times, ':');
        if (std::stoi(at) != line || std::stoi(part) != chunk)
            continue;
        const fs::path counter = fs::path(environment("LOQUOR_FAKE_FOLDER")) / (kind + at + "-" + part);
        int served = 0;
        std::ifstream(counter) >> served;
        if (served >= std::stoi(times))
            continue;
        std::ofstream(counter) << served + 1 << std::flush;
        return kind;
    }
    return {};
}

void note(const std::string& what)
{
    std::ofstream(fs::path(environment("LOQUOR_FAKE_FOLDER")) / "log", std::ios::app) << what << '\n'
                                                                                      << std::flush;
}

// Asks the kernel for memory beyond a limit.
void runOutOfMemory()
{
    rlimit before{};
    ::getrlimit(RLIMIT_AS, &before);
    rlimit limit = before;
    limit.rlim_cur = 1 << 20; // less than is in use: nothing more can be had
    ::setrlimit(RLIMIT_AS, &limit);
    void* room = ::mmap(nullptr, 1 << 28, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::setrlimit(RLIMIT_AS, &before);
    if (room == MAP_FAILED)
        throw std::bad_alloc();
    ::munmap(room, 1 << 28);
}

// The pixels of a chunk's frames, gone wrong as ordered.
std::vector<float> pixels(const std::string& fault)
{
    std::vector<float> out;
    for (int i = 0; i < 192; ++i)
        out.push_back(fault == "black" ? 0.f : i % 32 < 16 ? .2f
                                                           : .7f);
    if (fault == "nan")
        out[7] = std::numeric_limits<float>::quiet_NaN();
    return out;
}

class FakeEngine
{
public:
    explicit FakeEngine(Channel& channel) : m_channel(channel) {}

    bool answer(const ToRank& message)
    {
        if (std::holds_alternative<Shutdown>(message))
            return false;
        if (const auto* start = std::get_if<StartProject>(&message))
            begin(*start);
        else if (const auto* line = std::get_if<MakeLine>(&message))
            return line->open ? (m_openLine = *line, true) : makeLine(*line);
        else if (const auto* piece = std::get_if<LinePiece>(&message))
            return extend(*piece);
        else if (const auto* join = std::get_if<MakeJoin>(&message))
            return makeJoin(*join);
        else if (const auto* end = std::get_if<EndProject>(&message))
            return endProject(end->job);
        else if (const auto* cancel = std::get_if<CancelJob>(&message))
            return m_doneLater ? tell(done(cancel->job)) : tell(JobFailed{cancel->job, Error(ErrorCode::Cancelled, "Cancelled."), false});
        return true;
    }

private:
    static ProjectDone done(JobId job) { return {job, 0, 0, 0, {}, "fake 1"}; }
    // "late:0:0:1": done in the moment of a cancel.
    bool endProject(JobId job)
    {
        m_doneLater = faultAt(0, 0) == "late";
        return m_doneLater ? (note("late"), true) : tell(done(job));
    }
    bool tell(const FromRank& message) { return m_channel.send(encode(message)).has_value(); }

    Result<fs::path> write(const std::string& video, const std::string& boundary)
    {
        const fs::path folder = m_run.staging / ("c" + std::to_string(m_folders++));
        LQ_CHECKED(platform::makeFolder(folder));
        LQ_CHECKED(platform::writeFile(folder / "video.mp4", video));
        if (!boundary.empty())
            LQ_CHECKED(platform::writeFile(folder / "boundary.bin", boundary));
        return folder;
    }

    // The run is over.
    bool giveUp(JobId job, Error error, bool preparing = false)
    {
        tell(JobFailed{job, std::move(error), preparing});
        m_failed = true;
        return false;
    }

    // What a real stage does, behind the guards of a real pipeline.
    Result<void> decode(const std::string& fault, const pipeline::ChunkSpec& chunk)
    {
        return pipeline::guarded("decode", [&]() -> Result<void> {
            if (fault == "throw")
                throw std::runtime_error("bad luck");
            if (fault == "memory")
                runOutOfMemory();
            const pipeline::FrameLook look = pipeline::lookAt(pixels(fault));
            for (int i = 0; i < chunk.frames; ++i)
                LQ_CHECKED(m_gate->check(chunk, std::span(&look, 1)));
            return {};
        });
    }

    // False: the run is over.
    bool serveFault(const std::string& fault, const MakeLine& line)
    {
        if (fault == "die")
            ::raise(SIGKILL);
        while (fault == "hang") // not a word, not a sign
            ::pause();
        if (fault == "fail")
            return giveUp(line.job, Error(ErrorCode::Internal, "ordered to fail"));
        if (fault == "refuse")
            return giveUp(line.job, Error(ErrorCode::NoFace, "nobody is there"), true);
        if (fault == "slow")
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return true;
    }

    void begin(const StartProject& start)
    {
        m_run = start;
        m_framesMade = start.firstIndex;
        if (start.preview && !m_ring) {
            if (auto ring = FrameRing::open(platform::FileDescriptor(kRingDescriptor)))
                m_ring = std::move(*ring);
        }
        if (m_ring && !m_ring->configure(16, 16))
            m_ring.reset();
    }

    // Live pictures of a chunk, all of one colour: its number in the line.
    bool showLive(std::uint64_t task, FrameIndex frameInLine, int frames, int index)
    {
        if (!m_ring)
            return true;
        if (!tell(ChunkBegun{m_run.id, task, frameInLine, m_framesMade}))
            return false;
        Image picture(16, 16, 3);
        std::fill(picture.data.begin(), picture.data.end(), static_cast<std::uint8_t>(index));
        for (int i = 0; i < frames; ++i)
            m_ring->write(picture, m_framesMade++);
        return true;
    }

    // Lines that come in pieces are made when they are whole: only the real engine can do better.
    bool extend(const LinePiece& piece)
    {
        const auto& samples = piece.audio.samples;
        m_openLine.audio.samples.insert(m_openLine.audio.samples.end(), samples.begin(), samples.end());
        note("P " + std::to_string(m_openLine.number));
        return !piece.isLast || makeLine(m_openLine);
    }

    bool makeLine(const MakeLine& line)
    {
        if (m_failed)
            return true; // of the run that failed
        if (line.boundaryFrom == BoundaryFrom::Nothing)
            m_boundary.clear();
        else if (line.boundaryFrom == BoundaryFrom::Given)
            m_boundary.assign(reinterpret_cast<const char*>(line.boundary.data()), line.boundary.size());
        pipeline::PlanOptions options{pipeline::GridMode::Lines, kJoins};
        pipeline::ChunkPlan plan(m_run.settings.fps, m_run.sampleRate, kNumbers, 0, options);
        pipeline::LineSpec spec;
        spec.id = line.id;
        spec.samples = line.audio.frames() - line.contextBefore - line.contextAfter;
        spec.isLast = true;
        if (!plan.addLine(spec))
            return false;
        while (auto chunk = plan.next()) {
            if (chunk->indexInLine < line.firstChunk)
                continue;
            const std::string fault = faultAt(line.number, chunk->indexInLine);
            if (!serveFault(fault, line))
                return true;
            if (auto made = decode(fault, *chunk); !made) {
                giveUp(line.job, made.error());
                return true;
            }
            const std::string content = platform::sha256(
                std::to_string(line.id) + ' ' + std::to_string(line.seed) + ' ' + line.prompt + ' ' +
                std::to_string(line.contextBefore) + ' ' + std::to_string(line.audio.frames()) + ' ' + std::to_string(chunk->indexInLine) + ' ' + m_boundary);
            m_boundary = "boundary " + content;
            if (!showLive(line.task, chunk->frameInLine, chunk->frames, chunk->indexInLine))
                return false;
            note("N " + std::to_string(line.number) + ' ' + std::to_string(chunk->indexInLine));
            ChunkMade made;
            made.job = line.job;
            made.task = line.task;
            made.chunk = {"N", 0, line.number, chunk->frames, false, 0.001};
            made.indexInLine = chunk->indexInLine;
            auto folder = write("video " + content, m_boundary);
            if (!folder) {
                giveUp(line.job, folder.error());
                return true;
            }
            made.folder = *folder;
            if (!tell(made))
                return false;
        }
        return true;
    }

    bool makeJoin(const MakeJoin& join)
    {
        if (m_failed)
            return true;
        note("I " + std::to_string(join.number));
        const std::string content = platform::sha256(
            std::string(reinterpret_cast<const char*>(join.left.data()), join.left.size()) + '|' +
            std::string(reinterpret_cast<const char*>(join.right.data()), join.right.size()));
        ChunkMade made;
        made.job = join.job;
        made.task = join.task;
        made.chunk = {"I", 0, join.number, kJoins.frames, false, 0.001};
        auto folder = write("join " + content, {});
        if (!folder) {
            giveUp(join.job, folder.error());
            return true;
        }
        made.folder = *folder;
        return tell(made);
    }

    Channel& m_channel;
    StartProject m_run;
    std::string m_boundary;
    std::optional<pipeline::FrameGate> m_gate;
    std::optional<FrameRing> m_ring;
    std::int64_t m_framesMade = 0;
    int m_folders = 0;
    bool m_failed = false;
    bool m_doneLater = false;
    MakeLine m_openLine;

public:
    void newRun()
    {
        m_failed = false;
        m_gate.emplace(pipeline::GateRules{"precision", true, false, 0});
    }
};

} // namespace

int main()
{
    platform::ignorePipeAndSizeSignals();
    std::ofstream(fs::path(environment("LOQUOR_FAKE_FOLDER")) / "pid") << ::getpid();
    Channel channel((platform::FileDescriptor(kControlDescriptor)));
    FakeEngine engine(channel);
    if (!channel.send(encode(FromRank(Ready{"fake 1", "CPU"}))))
        return 1;
    for (std::uint64_t beats = 0;; ++beats) {
        if (!channel.send(encode(FromRank(Heartbeat{beats, false, false, 0}))))
            return 0;
        auto frame = channel.receive(50);
        if (!frame)
            return 0;
        if (!*frame)
            continue;
        auto message = decodeToRank(**frame);
        if (!message)
            return 1;
        if (std::holds_alternative<StartProject>(*message))
            engine.newRun();
        if (!engine.answer(*message))
            return 0;
    }
}
