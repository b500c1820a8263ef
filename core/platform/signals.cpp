#include "core/platform/signals.h"

#include <csignal>
#include <cstring>
#include <thread>

#include <pthread.h>

#include "core/base/guarded_thread.h"

namespace loquor::platform {

void ignorePipeAndSizeSignals()
{
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

struct InterruptWatch::Impl
{
    std::function<void(int)> onSignal;
    sigset_t set{};
    sigset_t before{};
    std::thread thread;
};

InterruptWatch::InterruptWatch(std::function<void(int)> onSignal) : m(std::make_unique<Impl>())
{
    m->onSignal = std::move(onSignal);
    sigemptyset(&m->set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR2})
        sigaddset(&m->set, signal);
    pthread_sigmask(SIG_BLOCK, &m->set, &m->before);
    m->thread = guardedThread("waiting for signals", [impl = m.get()] {
        for (;;) {
            int signal = 0;
            if (sigwait(&impl->set, &signal) != 0)
                continue;
            if (signal == SIGUSR2) // sent by the destructor to this thread alone
                return;
            if (const auto error = caught("answering a signal", [&] { impl->onSignal(signal); }))
                logCaught(*error); // the next signal may fare better
        }
    });
}

InterruptWatch::~InterruptWatch()
{
    pthread_kill(m->thread.native_handle(), SIGUSR2);
    m->thread.join();
    pthread_sigmask(SIG_SETMASK, &m->before, nullptr);
}

std::string describeSignal(int signal)
{
    const char* shortName = sigabbrev_np(signal);
    const std::string name = shortName != nullptr ? " (SIG" + std::string(shortName) + ")"
                                                  : " (" + std::to_string(signal) + ")";
    switch (signal) {
    case SIGKILL:
        return "was killed" + name + ", by hand or because the memory ran out";
    case SIGTERM:
        return "was asked to end" + name;
    case SIGINT:
        return "was interrupted" + name;
    case SIGHUP:
        return "lost its terminal" + name;
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT:
        return "crashed" + name;
    case SIGPIPE:
        return "lost the reader of its output" + name;
    case SIGXFSZ:
        return "reached the limit for the size of a file" + name;
    case SIGXCPU:
        return "reached the limit for processor time" + name;
    default: {
        const char* text = sigdescr_np(signal);
        return "was ended by a signal" + name + (text != nullptr ? std::string(": ") + text : "");
    }
    }
}

} // namespace loquor::platform
