// What a streaming network remembers between calls. The network itself keeps nothing, so one network serves many
// streams.
#pragma once

#include <cstdint>
#include <memory>

namespace loquor::modules {

// Belongs to the caller: one object a stream, for calls of one method of one network with one size of picture. Fresh
// or cleared, it is the beginning of a stream. One thread at a time.
class StreamMemory
{
public:
    StreamMemory();
    ~StreamMemory();
    StreamMemory(StreamMemory&& other) noexcept;
    StreamMemory& operator=(StreamMemory&& other) noexcept;
    StreamMemory(const StreamMemory&) = delete;
    StreamMemory& operator=(const StreamMemory&) = delete;

    void clear();
    std::uint64_t bytes() const; // of the remembered tensors

    struct Slots; // for the networks: stream_slots.h
    Slots& slots() { return *m_slots; }

private:
    std::unique_ptr<Slots> m_slots;
};

} // namespace loquor::modules
