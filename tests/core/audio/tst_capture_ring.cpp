#include "core/audio/capture_ring.h"

#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZER_OWNS_NEW
#include <sanitizer/allocator_interface.h>
#endif
#endif

#include "tests/support/test_main.h"

namespace {

// Counts what this thread allocates while it watches.
thread_local bool watching = false;
thread_local int allocations = 0;

#ifdef SANITIZER_OWNS_NEW

// A sanitizer brings operator new itself and tells of each call, from where nothing may be checked.
__attribute__((disable_sanitizer_instrumentation)) void count(const volatile void*, std::size_t)
{
    if (watching)
        ++allocations;
}
__attribute__((disable_sanitizer_instrumentation)) void ignore(const volatile void*) {}
[[maybe_unused]] const int hooked = __sanitizer_install_malloc_and_free_hooks(count, ignore);

#else

void* allocate(std::size_t bytes)
{
    if (watching)
        ++allocations;
    if (void* memory = std::malloc(bytes > 0 ? bytes : 1))
        return memory;
    throw std::bad_alloc();
}

#endif

} // namespace

#ifndef SANITIZER_OWNS_NEW
void* operator new(std::size_t bytes)
{
    return allocate(bytes);
}
void* operator new[](std::size_t bytes)
{
    return allocate(bytes);
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept
{
    std::free(memory);
}
#endif

using loquor::audio::CaptureRing;

class tst_capture_ring : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Locks it cannot take: it has none, only atomics (which must be lock-free to compile).
    void theCallbackAllocatesNothing()
    {
        CaptureRing ring(4096);
        ring.begin(2);
        ring.setMonitored(true);
        const std::vector<float> block(960, .5f);
        watching = true;
        ::operator delete(::operator new(40)); // the watch works
        QCOMPARE(std::exchange(allocations, 0), 1);
        for (int i = 0; i < 100; ++i) // the rings run full on the way
            ring.capture(block.data(), 480, i % 7 == 0);
        ring.capture(nullptr, 480, false);
        watching = false;
        QCOMPARE(allocations, 0);
        QCOMPARE(ring.calls(), std::uint64_t(101));
    }

    void wholeBlocksOnlyAndLossesAreCounted()
    {
        CaptureRing ring(1024);
        ring.begin(2);
        const std::vector<float> block(600, .5f);
        ring.capture(block.data(), 300, false);
        QCOMPARE(ring.xruns(), std::uint64_t(0));
        ring.capture(block.data(), 300, false); // does not fit
        ring.capture(block.data(), 100, true);  // the device lost some
        QCOMPARE(ring.xruns(), std::uint64_t(2));
        std::vector<float> out(2000);
        QCOMPARE(ring.read(out.data(), out.size()), std::size_t(800));
    }
};

LOQUOR_TEST(tst_capture_ring)
#include "tst_capture_ring.moc"
