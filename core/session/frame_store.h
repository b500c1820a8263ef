// Frames for the preview: the newest through shared memory, older ones drawn again on request.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "core/comm/frame_ring.h"
#include "core/media/image.h"
#include "core/session/session.h"

namespace loquor::session {

// Any thread. Memory: the ring, and a handful of fetched frames.
class FrameStore
{
public:
    // Without a ring (command line) there is no preview and every call gives nothing.
    Result<void> open(std::function<void()> fetchWanted);
    int ringDescriptor() const;

    // A new job begins: all frames so far are gone.
    void restart();
    FramePtr latest(std::int64_t afterIndex);
    // In the ring, or fetched before; else null and fetchWanted runs.
    FramePtr at(std::int64_t index);
    // The frame to fetch next, if any; it is then taken as being fetched.
    std::optional<std::int64_t> takeWanted();
    void deliver(FramePtr frame);
    // Of what the engine has made since restart(); -1 = nothing.
    std::int64_t newestIndex();
    // In a project run: the frame with this index is that one, and so on until the next call.
    void setPlace(std::int64_t firstIndex, ProjectPlace place);
    std::optional<ProjectPlace> placeOf(std::int64_t index);

private:
    std::mutex m_mutex; // guards all below
    std::optional<comm::FrameRing> m_ring;
    std::function<void()> m_fetchWanted;
    std::deque<FramePtr> m_fetched;         // newest first
    std::optional<std::int64_t> m_wanted;   // asked for last, not yet taken
    std::optional<std::int64_t> m_fetching;
    std::deque<std::pair<std::int64_t, ProjectPlace>> m_places; // newest last
};

} // namespace loquor::session
