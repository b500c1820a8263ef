#include "core/comm/frame_ring.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <unistd.h>

using namespace loquor;
using namespace loquor::comm;

namespace {

VideoFrame plain(std::int64_t index, int width = 64, int height = 48)
{
    VideoFrame frame{Image(width, height, 3), index};
    std::fill(frame.image.data.begin(), frame.image.data.end(), static_cast<std::uint8_t>(index));
    return frame;
}

bool isPlain(const VideoFrame& frame)
{
    return std::all_of(frame.image.data.begin(), frame.image.data.end(),
                       [&](std::uint8_t v) { return v == static_cast<std::uint8_t>(frame.index); });
}

} // namespace

class tst_framering : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void newest_and_by_index()
    {
        auto writer = FrameRing::create(1u << 20);
        QVERIFY(writer);
        auto reader = FrameRing::open(platform::FileDescriptor(::dup(writer->fd())), 1u << 20);
        QVERIFY(reader);
        QCOMPARE(reader->newestIndex(), std::int64_t(-1));
        QVERIFY(!reader->latest(-1));
        QVERIFY(!reader->at(0));
        QVERIFY(writer->configure(64, 48));
        for (int i = 0; i < 40; ++i)
            writer->write(plain(i));
        const FramePtr newest = reader->latest(-1);
        QVERIFY(newest);
        QCOMPARE(newest->index, std::int64_t(39));
        QVERIFY(isPlain(*newest));
        QVERIFY(!reader->latest(39));
        QVERIFY(reader->at(39 - kMaxRingSlots + 1));
        QVERIFY(!reader->at(39 - kMaxRingSlots));
        reader->clear();
        QVERIFY(!reader->latest(-1));
    }

    void size_changes_between_runs()
    {
        auto ring = FrameRing::create(1u << 20);
        QVERIFY(ring);
        QVERIFY(ring->configure(64, 48));
        ring->write(plain(5));
        QVERIFY(ring->configure(320, 240));
        QVERIFY(!ring->latest(-1));
        ring->write(plain(0, 320, 240));
        QCOMPARE(ring->latest(-1)->image.width, 320);
        const auto tooBig = ring->configure(4000, 3000);
        QVERIFY(!tooBig);
        QCOMPARE(tooBig.error().code(), ErrorCode::Unsupported);
    }

    void a_reader_never_sees_half_a_frame()
    {
        auto writer = FrameRing::create(200'000); // few slots: overtaking happens
        QVERIFY(writer);
        auto reader = FrameRing::open(platform::FileDescriptor(::dup(writer->fd())), 200'000);
        QVERIFY(reader);
        QVERIFY(writer->configure(160, 120));
        std::atomic<bool> done{false};
        std::thread thread([&] {
            for (int i = 0; i < 4000; ++i)
                writer->write(plain(i, 160, 120));
            done = true;
        });
        std::int64_t last = -1;
        int seen = 0;
        bool whole = true;
        while (!done) {
            if (const FramePtr frame = reader->latest(last)) {
                whole = whole && isPlain(*frame) && frame->index > last;
                last = frame->index;
                ++seen;
            }
        }
        thread.join();
        QVERIFY(whole);
        QVERIFY(seen > 0);
        QCOMPARE(reader->latest(-1)->index, std::int64_t(3999));
    }

    void a_writer_that_died_half_way_is_replaced()
    {
        auto ring = FrameRing::create(1u << 20);
        QVERIFY(ring);
        QVERIFY(ring->configure(64, 48));
        auto memory = platform::SharedMemory::open(platform::FileDescriptor(::dup(ring->fd())), 1u << 20);
        QVERIFY(memory);
        memory->data()[24] = 1; // sequence number of slot 0: "being written", for ever
        ring->write(plain(0));
        QVERIFY(!ring->at(0));
        QVERIFY(ring->configure(64, 48));
        ring->write(plain(0));
        QVERIFY(ring->at(0));
    }

    void a_faulty_writer_cannot_lead_outside_the_memory()
    {
        auto writer = FrameRing::create(1u << 20);
        QVERIFY(writer);
        auto memory = platform::SharedMemory::open(platform::FileDescriptor(::dup(writer->fd())), 1u << 20);
        QVERIFY(memory);
        QVERIFY(writer->configure(64, 48));
        writer->write(plain(1));
        std::fill_n(memory->data(), 12, std::uint8_t(0xff)); // width, height, slots
        QVERIFY(!writer->at(1));
        QVERIFY(!writer->latest(-1));
    }
};

LOQUOR_TEST(tst_framering)
#include "tst_framering.moc"
