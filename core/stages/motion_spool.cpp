#include "core/stages/motion_spool.h"

#include <type_traits>

#include <unistd.h>

#include "core/platform/nameless_file.h"

namespace loquor::stages {

static_assert(std::is_trivially_copyable_v<portrait::Motion>, "stored as it is");

Result<void> MotionSpool::open(const std::filesystem::path& folder)
{
    std::lock_guard lock(m_mutex);
    LQ_TRY(m_file, platform::makeNamelessFile(folder));
    m_count = 0;
    return {};
}

Result<void> MotionSpool::append(const std::vector<portrait::Motion>& frames)
{
    std::lock_guard lock(m_mutex);
    LQ_CHECKED(platform::writeAll(m_file.get(), frames.data(), frames.size() * sizeof(portrait::Motion),
                                  "Keeping the motion for scrubbing"));
    m_count += static_cast<std::int64_t>(frames.size());
    return {};
}

std::int64_t MotionSpool::count() const
{
    std::lock_guard lock(m_mutex);
    return m_count;
}

std::optional<portrait::Motion> MotionSpool::at(std::int64_t frame) const
{
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(portrait::Motion));
    std::lock_guard lock(m_mutex);
    portrait::Motion out;
    if (frame < 0 || frame >= m_count ||
        ::pread(m_file.get(), &out, sizeof out, static_cast<off_t>(frame * kSize)) != kSize)
        return std::nullopt;
    return out;
}

} // namespace loquor::stages
