// The stored sound of lines, for playing along.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/cache/chunk_store.h"

namespace loquor::session {

// Any thread; reads a file when another line begins. Keeps the lines read last (a line of ten seconds: 2 MB).
class LineSounds
{
public:
    // Copies samples [from, from + count) of the sound with this key; how many were there. 0 when it cannot be read.
    std::size_t read(cache::ChunkStore& store, const std::string& key, SampleIndex from, float* out, std::size_t count);

private:
    using Samples = std::shared_ptr<const std::vector<float>>;
    struct Kept
    {
        std::string key;
        Samples samples;
    };
    Samples load(cache::ChunkStore& store, const std::string& key);

    std::mutex m_mutex;     // guards all below
    std::list<Kept> m_kept; // used last first
};

} // namespace loquor::session
