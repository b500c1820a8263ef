// A ring of samples between one writer and one reader thread; neither ever waits.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <vector>

namespace loquor::audio {

class SampleRing
{
public:
    // Holds at least `capacity` samples.
    explicit SampleRing(std::size_t capacity)
        : m_samples(std::bit_ceil(std::max<std::size_t>(capacity, 2)))
    {
    }

    std::size_t capacity() const { return m_samples.size(); }
    // Exact for the reader, a lower bound of what is there for anybody else.
    std::size_t available() const
    {
        return m_written.load(std::memory_order_acquire) - m_read.load(std::memory_order_acquire);
    }
    std::size_t space() const { return capacity() - available(); }

    // Writer thread: copies as much as fits, returns how much that was.
    std::size_t write(const float* in, std::size_t count)
    {
        const std::size_t at = m_written.load(std::memory_order_relaxed);
        count = std::min(count, capacity() - (at - m_read.load(std::memory_order_acquire)));
        for (std::size_t i = 0; i < count; ++i)
            m_samples[(at + i) & (capacity() - 1)] = in[i];
        m_written.store(at + count, std::memory_order_release);
        return count;
    }

    // Reader thread: copies as much as is there, returns how much that was.
    std::size_t read(float* out, std::size_t count)
    {
        const std::size_t at = m_read.load(std::memory_order_relaxed);
        count = std::min(count, m_written.load(std::memory_order_acquire) - at);
        for (std::size_t i = 0; i < count; ++i)
            out[i] = m_samples[(at + i) & (capacity() - 1)];
        m_read.store(at + count, std::memory_order_release);
        return count;
    }

    // Only while neither side runs.
    void clear()
    {
        m_read.store(0, std::memory_order_relaxed);
        m_written.store(0, std::memory_order_relaxed);
    }

private:
    std::vector<float> m_samples;
    std::atomic<std::size_t> m_written{0}; // counts up for ever; written by the writer only
    std::atomic<std::size_t> m_read{0};    // written by the reader only
};

} // namespace loquor::audio
