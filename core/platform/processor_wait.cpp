#include "core/platform/processor_wait.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace loquor::platform {

namespace {

namespace fs = std::filesystem;

// The letter behind the name in brackets: R = runs or wants to.
bool wantsToRun(const fs::path& thread)
{
    std::ifstream in(thread / "stat");
    std::string line;
    std::getline(in, line);
    const std::size_t name = line.rfind(')');
    return name != std::string::npos && name + 2 < line.size() && line[name + 2] == 'R';
}

} // namespace

std::chrono::milliseconds ProcessorWait::sinceLast()
{
    const auto now = std::chrono::steady_clock::now();
    const auto passed = std::chrono::nanoseconds(now - m_last);
    const bool isFirst = m_threads.empty();
    std::map<std::string, Times> threads;
    std::chrono::nanoseconds longest{0};
    std::error_code error;
    fs::directory_iterator it("/proc/" + std::to_string(m_pid) + "/task", error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
        std::ifstream in(it->path() / "schedstat");
        Times times;
        if (!(in >> times.ran >> times.waited))
            continue;
        const std::string id = it->path().filename();
        threads[id] = times;
        const auto before = m_threads.find(id);
        if (before == m_threads.end())
            continue;
        auto waited = std::chrono::nanoseconds(times.waited - before->second.waited);
        // The wait that still lasts is not counted yet.
        if (waited.count() == 0 && times.ran == before->second.ran && wantsToRun(it->path()))
            waited = passed;
        longest = std::max(longest, waited);
    }
    m_threads = std::move(threads);
    m_last = now;
    return isFirst ? std::chrono::milliseconds(0)
                   : std::chrono::duration_cast<std::chrono::milliseconds>(std::min(longest, passed));
}

} // namespace loquor::platform
