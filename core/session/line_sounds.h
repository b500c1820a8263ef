// The stored sound of lines, for playing along.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/cache/chunk_store.h"
#include "core/media/audio_reader.h"

namespace loquor::session {

// Any thread; decodes a little further as it is read on. Keeps the lines read last, of each at most a minute around the
// place: a line may be a recording of hours.
class LineSounds
{
public:
    // Copies samples [from, from + count) of the sound with this key; how many were there. 0 when it cannot be read.
    std::size_t read(cache::ChunkStore& store, const std::string& key, SampleIndex from, float* out, std::size_t count);

private:
    struct Kept
    {
        std::string key;
        std::optional<media::AudioReader> reader; // none: to be opened, or all is read
        bool isRead = false;                      // to its end, or as far as it could be
        SampleIndex start = 0;                    // of `samples` in the sound
        std::vector<float> samples;
    };
    Kept& find(const std::string& key);
    static void readOn(cache::ChunkStore& store, Kept& line, SampleIndex from, SampleIndex until);

    std::mutex m_mutex;     // guards all below
    std::list<Kept> m_kept; // used last first
};

} // namespace loquor::session
