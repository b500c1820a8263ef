#include "core/session/line_sounds.h"

#include <algorithm>

#include "core/base/log.h"
#include "core/media/audio_reader.h"
#include "core/session/line_speech.h"
#include "core/session/project_lines.h"
#include "core/session/project_values.h"

namespace loquor::session {

namespace {

constexpr std::size_t kKept = 4;
constexpr double kLongest = 3600; // seconds
static_assert(kLineSoundRate == kProjectRate);

Result<std::vector<float>> readSamples(cache::ChunkStore& store, const std::string& key)
{
    LQ_TRY(const std::filesystem::path file, store.part(key, kSoundPart));
    media::AudioReadOptions options;
    options.sampleRate = kLineSoundRate;
    LQ_TRY(AudioBlock block, media::readAudio(file, options, kLongest));
    return std::move(block.samples);
}

} // namespace

LineSounds::Samples LineSounds::load(cache::ChunkStore& store, const std::string& key)
{
    const auto found = std::find_if(m_kept.begin(), m_kept.end(), [&](const Kept& one) { return one.key == key; });
    if (found != m_kept.end()) {
        m_kept.splice(m_kept.begin(), m_kept, found);
        return m_kept.front().samples;
    }
    auto read = readSamples(store, key);
    if (!read) { // said once: it is asked for many times a second; the line is silent meanwhile
        log(LogLevel::Info, "session", read.error().logText());
        read = std::vector<float>();
    }
    m_kept.push_front({key, std::make_shared<const std::vector<float>>(std::move(*read))});
    if (m_kept.size() > kKept)
        m_kept.pop_back();
    return m_kept.front().samples;
}

std::size_t LineSounds::read(cache::ChunkStore& store, const std::string& key, SampleIndex from, float* out,
                             std::size_t count)
{
    Samples samples;
    {
        std::lock_guard lock(m_mutex);
        samples = load(store, key);
    }
    if (from < 0 || from >= static_cast<SampleIndex>(samples->size()))
        return 0;
    const auto begin = static_cast<std::size_t>(from);
    const std::size_t there = std::min(count, samples->size() - begin);
    std::copy_n(samples->begin() + static_cast<std::ptrdiff_t>(begin), there, out);
    return there;
}

} // namespace loquor::session
