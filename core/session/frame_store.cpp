#include "core/session/frame_store.h"

namespace loquor::session {

namespace {

constexpr std::size_t kFetchedFrames = 12;

} // namespace

Result<void> FrameStore::open(std::function<void()> fetchWanted)
{
    LQ_TRY(comm::FrameRing ring, comm::FrameRing::create());
    std::lock_guard lock(m_mutex);
    m_ring = std::move(ring);
    m_fetchWanted = std::move(fetchWanted);
    return {};
}

int FrameStore::ringDescriptor() const
{
    return m_ring ? m_ring->fd() : -1;
}

void FrameStore::restart()
{
    std::lock_guard lock(m_mutex);
    if (m_ring)
        m_ring->clear();
    m_fetched.clear();
    m_wanted.reset();
    m_fetching.reset();
}

FramePtr FrameStore::latest(std::int64_t afterIndex)
{
    std::lock_guard lock(m_mutex);
    return m_ring ? m_ring->latest(afterIndex) : nullptr;
}

FramePtr FrameStore::at(std::int64_t index)
{
    std::function<void()> ask;
    {
        std::lock_guard lock(m_mutex);
        if (!m_ring || index < 0)
            return nullptr;
        for (const FramePtr& frame : m_fetched) {
            if (frame->index == index)
                return frame;
        }
        if (FramePtr frame = m_ring->at(index))
            return frame;
        if (m_wanted == index || m_fetching == index)
            return nullptr;
        m_wanted = index;
        if (!m_fetching)
            ask = m_fetchWanted;
    }
    if (ask)
        ask();
    return nullptr;
}

std::optional<std::int64_t> FrameStore::takeWanted()
{
    std::lock_guard lock(m_mutex);
    if (!m_wanted || m_fetching)
        return std::nullopt;
    m_fetching = std::exchange(m_wanted, std::nullopt);
    return m_fetching;
}

void FrameStore::deliver(FramePtr frame)
{
    std::function<void()> ask;
    {
        std::lock_guard lock(m_mutex);
        m_fetching.reset();
        if (!frame->image.isEmpty()) {
            m_fetched.push_front(std::move(frame));
            if (m_fetched.size() > kFetchedFrames)
                m_fetched.pop_back();
        }
        if (m_wanted)
            ask = m_fetchWanted;
    }
    if (ask)
        ask();
}

} // namespace loquor::session
