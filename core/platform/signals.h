// Signals of the whole process, for main functions.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace loquor::platform {

// A closed pipe and the limit for file sizes become errors of the call that meets them (EPIPE,
// EFBIG) instead of ending the process. Call once, first thing in main.
void ignorePipeAndSizeSignals();

// While it lives, SIGINT, SIGTERM and SIGHUP call `onSignal(number)` on a thread of its own instead
// of ending the process. Make it before any other thread starts (new threads inherit the blocked
// mask); one at a time.
class InterruptWatch
{
public:
    explicit InterruptWatch(std::function<void(int)> onSignal);
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

// What a signal that ended a process means to a person ("crashed (SIGSEGV)").
std::string describeSignal(int signal);

} // namespace loquor::platform
