#include "core/comm/frame_ring.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include "core/base/check.h"

namespace loquor::comm {

// Lies at the start of the memory. A slot's `sequence` is odd while it is being written; a reader takes
// it before and after copying and throws the copy away when it changed.
struct FrameRing::Header
{
    struct Slot
    {
        std::atomic<std::uint64_t> sequence;
        std::atomic<std::int64_t> index; // of the frame + 1; 0 = empty
    };
    std::atomic<std::uint32_t> width, height, slots;
    std::atomic<std::int64_t> newest; // index + 1; 0 = none
    std::array<Slot, kMaxRingSlots> slot;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "shared between processes");

namespace {

constexpr std::size_t kHeaderBytes = 4096;

} // namespace

FrameRing::Header& FrameRing::header() const
{
    static_assert(sizeof(Header) <= kHeaderBytes);
    // The memory starts zeroed, which is the empty ring; atomics of integers have no other state.
    return *std::launder(reinterpret_cast<Header*>(const_cast<std::uint8_t*>(m_memory.data())));
}

std::uint8_t* FrameRing::slot(int number, std::size_t frameBytes) const
{
    return const_cast<std::uint8_t*>(m_memory.data()) + kHeaderBytes +
           static_cast<std::size_t>(number) * frameBytes;
}

Result<FrameRing> FrameRing::create(std::size_t bytes)
{
    LQ_TRY(platform::SharedMemory memory, platform::SharedMemory::create("loquor-frames", bytes));
    return FrameRing(std::move(memory));
}

Result<FrameRing> FrameRing::open(platform::FileDescriptor fd, std::size_t bytes)
{
    LQ_TRY(platform::SharedMemory memory, platform::SharedMemory::open(std::move(fd), bytes));
    return FrameRing(std::move(memory));
}

void FrameRing::clear()
{
    Header& head = header();
    head.newest.store(0, std::memory_order_release);
    for (Header::Slot& one : head.slot)
        one.index.store(0, std::memory_order_release);
}

Result<void> FrameRing::configure(int width, int height)
{
    LOQUOR_CHECK(width > 0 && height > 0, "frames have a size");
    const std::size_t frameBytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
    const std::size_t fits = (m_memory.size() - kHeaderBytes) / frameBytes;
    if (fits == 0)
        return fail(ErrorCode::Unsupported,
                    "Frames of " + std::to_string(width) + "x" + std::to_string(height) +
                        " are too big for the live preview; the video itself is made all the same.");
    clear();
    Header& head = header();
    // A writer that died in the middle of a frame left an odd number behind.
    for (Header::Slot& one : head.slot)
        one.sequence.store((one.sequence.load() | 1u) + 1, std::memory_order_release);
    head.width.store(static_cast<std::uint32_t>(width));
    head.height.store(static_cast<std::uint32_t>(height));
    head.slots.store(static_cast<std::uint32_t>(std::min<std::size_t>(fits, kMaxRingSlots)));
    return {};
}

void FrameRing::write(const Image& image, std::int64_t index)
{
    Header& head = header();
    LOQUOR_CHECK(image.channels == 3 && image.width == static_cast<int>(head.width.load()) &&
                     image.height == static_cast<int>(head.height.load()),
                 "the frame has not the size of the ring");
    const int number = static_cast<int>(index % head.slots.load());
    Header::Slot& target = head.slot[static_cast<std::size_t>(number)];
    target.sequence.fetch_add(1, std::memory_order_acq_rel); // odd: being written
    target.index.store(index + 1, std::memory_order_release);
    std::memcpy(slot(number, image.data.size()), image.data.data(), image.data.size());
    target.sequence.fetch_add(1, std::memory_order_acq_rel);
    head.newest.store(index + 1, std::memory_order_release);
}

std::int64_t FrameRing::newestIndex() const
{
    return header().newest.load(std::memory_order_acquire) - 1;
}

FramePtr FrameRing::latest(std::int64_t afterIndex) const
{
    for (int attempt = 0; attempt < 3; ++attempt) {
        const std::int64_t newest = newestIndex();
        if (newest < 0 || newest <= afterIndex)
            return nullptr;
        if (FramePtr frame = at(newest))
            return frame;
    }
    return nullptr;
}

FramePtr FrameRing::at(std::int64_t index) const
{
    Header& head = header();
    // The peer may be faulty or dead: believe nothing that could lead outside the memory.
    const std::uint32_t width = head.width.load(), height = head.height.load(), slots = head.slots.load();
    if (index < 0 || width == 0 || height == 0 || slots == 0 || slots > kMaxRingSlots ||
        width > 1u << 16 || height > 1u << 16)
        return nullptr;
    const std::size_t frameBytes = static_cast<std::size_t>(width) * height * 3;
    if (kHeaderBytes + frameBytes * slots > m_memory.size())
        return nullptr;
    const int number = static_cast<int>(index % slots);
    Header::Slot& source = head.slot[static_cast<std::size_t>(number)];
    const std::uint64_t before = source.sequence.load(std::memory_order_acquire);
    if (before % 2 != 0 || source.index.load(std::memory_order_acquire) != index + 1)
        return nullptr;
    auto frame = std::make_shared<VideoFrame>();
    frame->image = Image(static_cast<int>(width), static_cast<int>(height), 3);
    frame->index = index;
    std::memcpy(frame->image.data.data(), slot(number, frameBytes), frameBytes);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (source.sequence.load(std::memory_order_relaxed) != before)
        return nullptr;
    return frame;
}

} // namespace loquor::comm
