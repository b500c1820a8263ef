// A worker process of the engine as the session sees it: started, heard, watched, ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/comm/frame_ring.h"
#include "core/comm/messages.h"

namespace loquor::comm {

// Numbers of the inherited descriptors inside the rank.
inline constexpr int kControlDescriptor = 3;
inline constexpr int kRingDescriptor = 4;

struct RankOptions
{
    std::filesystem::path program;
    std::vector<std::string> arguments;
    int nice = 5;                              // below the desktop
    int ringDescriptor = -1;                   // of a FrameRing for previews; -1 = none
    // Not counting the time in which it wanted to run and other programs had all processors.
    std::chrono::milliseconds silenceLimit{20'000}; // no sign of life at all
    std::chrono::milliseconds stallLimit{60'000};   // busy, not waiting for speech, and no progress
};

// Why a rank is gone, in words ("was killed (SIGKILL): ...", "gave no sign of life for 20 s").
struct RankDeath
{
    std::string reason;
};

// One running rank. Handlers run on the reader thread of this object, never after its destructor has
// begun to return; they must be short and must not destroy it. onDeath comes at most once, as the last
// call, and not when the end was asked for. send() and kill(): any thread.
class RankProcess
{
public:
    struct Handlers
    {
        std::function<void(FromRank)> onMessage;
        std::function<void(RankDeath)> onDeath;
    };
    // Returns as soon as the program runs; its Ready message comes later.
    static Result<std::unique_ptr<RankProcess>> start(const RankOptions& options, Handlers handlers);
    // Asks it to end, waits a moment, then kills; joins the reader.
    ~RankProcess();

    // Queues the message and returns at once, also while the rank does not read. ConnectionLost: it is
    // gone, and onDeath has been or will be called.
    Result<void> send(const ToRank& message);
    // Ends it at once, as a crash would; onDeath follows.
    void kill();
    int pid() const;

private:
    struct Impl;
    explicit RankProcess(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

} // namespace loquor::comm
