#include "core/session/frame_store.h"

namespace loquor::session {

namespace {

constexpr std::size_t kFetchedFrames = 12;
constexpr std::size_t kPlaces = 16; // chunks; the ring holds 16 frames

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
    m_places.clear();
}

std::int64_t FrameStore::newestIndex()
{
    std::lock_guard lock(m_mutex);
    return m_ring ? m_ring->newestIndex() : -1;
}

void FrameStore::setPlace(std::int64_t firstIndex, ProjectPlace place)
{
    std::lock_guard lock(m_mutex);
    if (!m_places.empty() && firstIndex <= m_places.back().first) // the engine began again
        m_places.clear();
    m_places.emplace_back(firstIndex, place);
    if (m_places.size() > kPlaces)
        m_places.pop_front();
}

std::optional<ProjectPlace> FrameStore::placeOf(std::int64_t index)
{
    std::lock_guard lock(m_mutex);
    for (auto place = m_places.rbegin(); place != m_places.rend(); ++place) {
        if (index >= place->first)
            return ProjectPlace{place->second.line, place->second.frame + index - place->first};
    }
    return std::nullopt;
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
