// Stands between a program and its engine process (as "loquor-rank" beside a copy of the program) and ends one of
// the two at a step of what they say to each other. The file "orders" beside it has a line for each end, served one
// after the other: "app made 3" ends the program (kill -9) when the third chunk is made and before it hears of it.
// "limit start 1" ends nothing: from then on the engine process gets 200 MB more than it has, and no more.
// "every join 2" stays: it ends the engine process whenever the join in front of line 2 is asked for.
//   who: app, rank, limit; step: start, reference, line, join, made, end, done; and its number within this process.
// "log" gets a line for every chunk: "N 2 0" (line, index), "I 2 0". "real-rank" is the engine process.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "core/comm/messages.h"
#include "core/comm/rank_process.h"
#include "core/platform/paths.h"
#include "core/platform/signals.h"

using namespace loquor;
using namespace loquor::comm;

namespace {

std::vector<std::string> linesOf(const std::filesystem::path& file)
{
    std::vector<std::string> out;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

std::uint64_t addressSpaceOf(int pid)
{
    std::uint64_t pages = 0;
    std::ifstream("/proc/" + std::to_string(pid) + "/statm") >> pages;
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void limitMemory(int pid)
{
    // It loads its networks when it starts: that is not what is to fail.
    for (std::uint64_t before = 0, now = addressSpaceOf(pid), calm = 0; calm < 10; before = now, now = addressSpaceOf(pid)) {
        calm = now == before ? calm + 1 : 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    const rlim_t most = addressSpaceOf(pid) + (200u << 20);
    const rlimit limit{most, most};
    ::prlimit(pid, RLIMIT_AS, &limit, nullptr);
}

class Orders
{
public:
    explicit Orders(std::filesystem::path folder) : m_file(folder / "orders"), m_log(folder / "log")
    {
        const auto all = linesOf(m_file);
        if (!all.empty())
            m_next = all.front();
    }

    // Called at every step, before the message goes on; returns unless it is the one.
    void step(const std::string& name, RankProcess* rank, int line = 0)
    {
        std::lock_guard lock(m_mutex);
        if (line > 0 && m_next == "every " + name + " " + std::to_string(line)) {
            rank->kill();
            ::raise(SIGKILL);
        }
        const std::string at = name + " " + std::to_string(++m_counts[name]);
        const bool app = m_next == "app " + at, limit = m_next == "limit " + at;
        if (!app && !limit && m_next != "rank " + at)
            return;
        const auto all = linesOf(m_file);
        std::ofstream out(m_file);
        for (std::size_t i = 1; i < all.size(); ++i)
            out << all[i] << '\n';
        out.close();
        m_next.clear();
        if (limit)
            return limitMemory(rank->pid());
        if (app)
            ::kill(::getppid(), SIGKILL);
        if (rank)
            rank->kill();
        ::raise(SIGKILL);
    }

    void note(const ChunkMade& made)
    {
        std::ofstream(m_log, std::ios::app)
            << made.chunk.kind << ' ' << made.chunk.line << ' ' << made.indexInLine << '\n';
    }

private:
    const std::filesystem::path m_file, m_log;
    std::string m_next;
    std::mutex m_mutex; // guards all below
    std::map<std::string, int> m_counts;
};

const char* stepOf(const ToRank& message)
{
    return std::holds_alternative<StartProject>(message) ? "start"
           : std::holds_alternative<MakeLine>(message)   ? "line"
           : std::holds_alternative<MakeJoin>(message)   ? "join"
           : std::holds_alternative<EndProject>(message) ? "end"
                                                         : "";
}

const char* stepOf(const FromRank& message)
{
    const auto* progress = std::get_if<JobProgress>(&message);
    return progress && progress->activity == "reference"  ? "reference"
           : std::holds_alternative<ChunkMade>(message)   ? "made"
           : std::holds_alternative<ProjectDone>(message) ? "done"
                                                          : "";
}

} // namespace

int main(int argc, char** argv)
{
    platform::ignorePipeAndSizeSignals();
    Channel channel((platform::FileDescriptor(kControlDescriptor)));
    Orders orders(platform::programFolder());
    std::unique_ptr<RankProcess> rank;
    RankProcess::Handlers handlers;
    handlers.onMessage = [&](FromRank message) {
        if (const auto* made = std::get_if<ChunkMade>(&message))
            orders.note(*made);
        orders.step(stepOf(message), rank.get());
        if (!channel.send(encode(message)))
            ::_exit(0); // the program is gone
    };
    handlers.onDeath = [](const RankDeath&) { ::_exit(1); };
    RankOptions options;
    options.program = platform::programFolder() / "real-rank";
    options.nice = 0;
    options.arguments.assign(argv + 2, argv + argc); // without the word on previews
    auto started = RankProcess::start(options, std::move(handlers));
    if (!started)
        return 1;
    rank = std::move(*started);
    for (;;) {
        auto frame = channel.receive(-1);
        if (!frame || !*frame)
            return 0;
        auto message = decodeToRank(std::move(**frame));
        if (!message || std::holds_alternative<Shutdown>(*message))
            return 0;
        const auto* join = std::get_if<MakeJoin>(&*message);
        orders.step(stepOf(*message), rank.get(), join ? join->number : 0);
        if (!rank->send(*message))
            return 1;
    }
}
