// An engine without pictures: speaks the rank's protocol for project runs and writes small files whose
// bytes depend on exactly what a chunk may depend on. Faults are ordered through the environment:
// LOQUOR_FAKE_FAULTS="die:2:3:1 fail:1:0:3", each kind:line:chunk:times (line from 1, chunk from 0), counted
// in files of LOQUOR_FAKE_FOLDER so that the count survives the process.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <unistd.h>

#include "core/comm/messages.h"
#include "core/comm/rank_process.h"
#include "core/pipeline/chunk_plan.h"
#include "core/platform/hash.h"
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
    std::stringstream orders(environment("LOQUOR_FAKE_FAULTS"));
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

class FakeEngine
{
public:
    explicit FakeEngine(Channel& channel) : m_channel(channel) {}

    bool answer(const ToRank& message)
    {
        if (std::holds_alternative<Shutdown>(message))
            return false;
        if (const auto* start = std::get_if<StartProject>(&message))
            m_run = *start;
        else if (const auto* line = std::get_if<MakeLine>(&message))
            return makeLine(*line);
        else if (const auto* join = std::get_if<MakeJoin>(&message))
            return makeJoin(*join);
        else if (const auto* end = std::get_if<EndProject>(&message))
            return tell(ProjectDone{end->job, 0, 0, 0, {}, "fake 1"});
        else if (const auto* cancel = std::get_if<CancelJob>(&message))
            return tell(JobFailed{cancel->job, Error(ErrorCode::Cancelled, "Cancelled."), false});
        return true;
    }

private:
    bool tell(const FromRank& message) { return m_channel.send(encode(message)).has_value(); }

    fs::path write(const std::string& video, const std::string& boundary)
    {
        const fs::path folder = m_run.staging / ("c" + std::to_string(m_folders++));
        fs::create_directory(folder);
        std::ofstream(folder / "video.mp4") << video;
        if (!boundary.empty())
            std::ofstream(folder / "boundary.bin") << boundary;
        return folder;
    }

    // False: the run is over.
    bool serveFault(const std::string& fault, const MakeLine& line)
    {
        if (fault == "die")
            ::raise(SIGKILL);
        while (fault == "hang") // not a word, not a sign
            ::pause();
        if (fault == "fail") {
            tell(JobFailed{line.job, Error(ErrorCode::Internal, "ordered to fail"), false});
            m_failed = true;
            return false;
        }
        if (fault == "refuse") {
            tell(JobFailed{line.job, Error(ErrorCode::NoFace, "nobody is there"), true});
            m_failed = true;
            return false;
        }
        if (fault == "slow")
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return true;
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
        spec.samples = line.audio.frames();
        spec.isLast = true;
        if (!plan.addLine(spec))
            return false;
        while (auto chunk = plan.next()) {
            if (chunk->indexInLine < line.firstChunk)
                continue;
            if (!serveFault(faultAt(line.number, chunk->indexInLine), line))
                return true;
            const std::string content = platform::sha256(
                std::to_string(line.id) + ' ' + std::to_string(line.seed) + ' ' + line.prompt + ' ' +
                std::to_string(line.audio.frames()) + ' ' + std::to_string(chunk->indexInLine) + ' ' + m_boundary);
            m_boundary = "boundary " + content;
            note("N " + std::to_string(line.number) + ' ' + std::to_string(chunk->indexInLine));
            ChunkMade made;
            made.job = line.job;
            made.task = line.task;
            made.chunk = {"N", 0, line.number, chunk->frames, false, 0.001};
            made.indexInLine = chunk->indexInLine;
            made.folder = write("video " + content, m_boundary);
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
        made.folder = write("join " + content, {});
        return tell(made);
    }

    Channel& m_channel;
    StartProject m_run;
    std::string m_boundary;
    int m_folders = 0;
    bool m_failed = false;

public:
    void newRun() { m_failed = false; }
};

} // namespace

int main()
{
    platform::ignorePipeAndSizeSignals();
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
        auto message = decodeToRank(std::move(**frame));
        if (!message)
            return 1;
        if (std::holds_alternative<StartProject>(*message))
            engine.newRun();
        if (!engine.answer(*message))
            return 0;
    }
}
