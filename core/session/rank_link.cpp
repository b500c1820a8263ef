#include "core/session/rank_link.h"

#include "core/base/log.h"
#include "core/platform/paths.h"

namespace loquor::session {

RankLink::RankLink(RankLinkOptions options, NoteBox& box) : m_options(std::move(options)), m_box(box)
{
    if (m_options.program.empty())
        m_options.program = platform::programFolder() / "loquor-rank";
}

Result<void> RankLink::ensure()
{
    if (m_rank)
        return {};
    comm::RankOptions options;
    options.program = m_options.program;
    options.arguments = {"--data-folder", m_options.dataFolder.string(), "--cache-folder",
                         m_options.cacheFolder.string()};
    options.ringDescriptor = m_options.ringDescriptor;
    options.silenceLimit = m_options.silenceLimit;
    options.stallLimit = m_options.stallLimit;
    const int generation = ++m_generation;
    NoteBox& box = m_box;
    comm::RankProcess::Handlers handlers;
    handlers.onMessage = [&box, generation](comm::FromRank message) {
        box.put(RankNote{generation, std::move(message)});
    };
    handlers.onDeath = [&box, generation](comm::RankDeath death) {
        box.put(RankGoneNote{generation, std::move(death)});
    };
    LQ_TRY(m_rank, comm::RankProcess::start(options, std::move(handlers)));
    return {};
}

Result<void> RankLink::send(const comm::ToRank& message)
{
    LQ_CHECKED(ensure());
    if (auto sent = m_rank->send(message); !sent) {
        // It died just now, or cannot be talked to any more, which comes to the same.
        log(LogLevel::Info, "session", sent.error().logText());
        m_rank->kill();
    }
    return {};
}

void RankLink::kill()
{
    if (m_rank)
        m_rank->kill();
}

bool RankLink::onGone(const RankGoneNote& note)
{
    if (!isCurrent(note.generation))
        return false;
    m_rank.reset();
    return true;
}

} // namespace loquor::session
