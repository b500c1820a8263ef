// Speaks the rank's protocol and does what its first argument says: obey, die, hang, stall, babble,
// starve: works in silence while others have the only processor it may use.
#include "core/base/trace.h"
#include "core/comm/frame_ring.h"
#include "core/comm/messages.h"
#include "core/comm/rank_process.h"
#include "core/platform/signals.h"

#include <csignal>
#include <string>

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

using namespace loquor;
using namespace loquor::comm;

namespace {

// Answers one message; false = the program ends.
bool answer(Channel& channel, const ToRank& message, bool preview)
{
    if (std::holds_alternative<Shutdown>(message))
        return false;
    if (const auto* check = std::get_if<CheckFile>(&message)) {
        FileChecked reply{check->id, {}, {}};
        reply.report.file = check->file;
        reply.report.kind = "image";
        return channel.send(encode(FromRank(reply))).has_value();
    }
    if (const auto* job = std::get_if<StartRender>(&message); job && preview) {
        auto ring = FrameRing::open(platform::FileDescriptor(kRingDescriptor));
        if (!ring || !ring->configure(64, 32))
            return false;
        for (int i = 0; i < 5; ++i) {
            VideoFrame frame{Image(64, 32, 3), i};
            frame.image.data.assign(frame.image.data.size(), static_cast<std::uint8_t>(i));
            ring->write(frame);
        }
        RenderDone done;
        done.job = job->id;
        return channel.send(encode(FromRank(done))).has_value();
    }
    return true;
}

// One eighth of a second of processor time, of which this process gets little.
void starve()
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < 3; ++i) {
        const pid_t parent = ::getpid();
        if (::fork() == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::alarm(60);
            while (::getppid() == parent) {
            }
            ::_exit(0);
        }
    }
    if (::nice(7) < 0)
        return;
    const double before = processCpuSeconds();
    while (processCpuSeconds() < before + .125) {
    }
}

} // namespace

int main(int argc, char** argv)
{
    platform::ignorePipeAndSizeSignals();
    const std::string mode = argc > 2 ? argv[2] : "obey";
    const bool preview = std::string(argv[1]) == "--preview";
    Channel channel((platform::FileDescriptor(kControlDescriptor)));
    if (mode == "babble") {
        const char text[] = "this is not the protocol at all";
        if (::write(kControlDescriptor, text, sizeof text) < 0)
            return 1;
    }
    if (!channel.send(encode(FromRank(Ready{"test", "CPU"}))))
        return 1;
    if (mode == "die") {
        ::signal(SIGSEGV, SIG_DFL); // a sanitizer would catch it and exit
        ::raise(SIGSEGV);
    }
    for (std::uint64_t beats = 0;; ++beats) {
        if (mode == "hang")
            ::pause();
        if (mode == "starve" && beats == 0)
            starve();
        const bool stalls = mode == "stall";
        if (!channel.send(encode(FromRank(Heartbeat{stalls ? 7 : beats, stalls, false, 0}))))
            return 0;
        auto frame = channel.receive(50);
        if (!frame)
            return 0;
        if (!*frame)
            continue;
        auto message = decodeToRank(**frame);
        if (!message || !answer(channel, *message, preview))
            return 0;
    }
}
