// The other process of tst_child_process and tst_process_facts.
#include "core/platform/child_process.h"
#include "core/platform/signals.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include <unistd.h>

using namespace loquor::platform;
using namespace std::chrono_literals;

namespace {

// Starts a child on a thread that ends at once, prints the child's number and sleeps.
int holdChild()
{
    ChildOptions options;
    options.program = "sleep";
    options.arguments = {"60"};
    loquor::Result<ChildProcess> child = loquor::fail(loquor::ErrorCode::None, "");
    std::thread([&] { child = ChildProcess::start(options); }).join();
    std::this_thread::sleep_for(200ms);
    std::printf("%d\n", child && child->isRunning() ? child->pid() : 0);
    std::fflush(stdout);
    for (;;)
        ::pause();
}

// Prints the number of each signal; ends after SIGTERM.
int watchSignals()
{
    std::atomic<bool> done{false};
    {
        const InterruptWatch watch([&](int signal) {
            std::printf("%d\n", signal);
            std::fflush(stdout);
            done = signal == SIGTERM;
        });
        std::printf("ready\n");
        std::fflush(stdout);
        while (!done)
            std::this_thread::sleep_for(5ms);
    }
    return 7;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 2 && std::strcmp(argv[1], "hold-child") == 0)
        return holdChild();
    if (argc == 2 && std::strcmp(argv[1], "watch-signals") == 0)
        return watchSignals();
    return 2;
}
