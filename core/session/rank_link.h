// The engine's line to its worker process: starts it when needed, again after it died.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/comm/rank_process.h"
#include "core/session/notes.h"

namespace loquor::session {

struct RankLinkOptions
{
    std::filesystem::path program;     // empty: loquor-rank beside this program
    std::filesystem::path dataFolder, cacheFolder;
    int ringDescriptor = -1;
    std::chrono::milliseconds silenceLimit{20'000}, stallLimit{60'000};
};

// Engine thread only.
class RankLink
{
public:
    RankLink(RankLinkOptions options, NoteBox& box);

    // Starts the rank if none runs.
    Result<void> ensure();
    // Starts it if necessary and sends; fails only when it cannot be started. What a dying rank does not
    // hear is lost with it: a RankGoneNote is on its way then.
    Result<void> send(const comm::ToRank& message);
    // Kills a rank that does not react; its death is reported as usual.
    void kill();
    // To be called with every RankGoneNote; true when it was about the present rank.
    bool onGone(const RankGoneNote& note);
    // Whether a message is from the present rank.
    bool isCurrent(int generation) const { return m_rank && generation == m_generation; }
    bool isRunning() const { return m_rank != nullptr; }
    int pid() const { return m_rank ? m_rank->pid() : -1; }

private:
    RankLinkOptions m_options;
    NoteBox& m_box;
    int m_generation = 0;
    std::unique_ptr<comm::RankProcess> m_rank;
};

} // namespace loquor::session
