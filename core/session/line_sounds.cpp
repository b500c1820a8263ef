#include "core/session/line_sounds.h"

#include <algorithm>

#include "core/base/log.h"
#include "core/session/line_speech.h"
#include "core/session/project_lines.h"
#include "core/session/project_values.h"

namespace loquor::session {

namespace {

constexpr std::size_t kKept = 4;
constexpr SampleIndex kStep = kLineSoundRate;        // samples that are decoded at a time
constexpr SampleIndex kBehind = 30 * kLineSoundRate; // kept before the place, for short steps back
static_assert(kLineSoundRate == kProjectRate);

Result<media::AudioReader> openSound(cache::ChunkStore& store, const std::string& key)
{
    LQ_TRY(const std::filesystem::path file, store.part(key, kSoundPart));
    media::AudioReadOptions options;
    options.sampleRate = kLineSoundRate;
    return media::AudioReader::open(file, options);
}

} // namespace

LineSounds::Kept& LineSounds::find(const std::string& key)
{
    const auto found = std::find_if(m_kept.begin(), m_kept.end(), [&](const Kept& one) { return one.key == key; });
    if (found != m_kept.end()) {
        m_kept.splice(m_kept.begin(), m_kept, found);
        return m_kept.front();
    }
    m_kept.emplace_front().key = key;
    if (m_kept.size() > kKept)
        m_kept.pop_back();
    return m_kept.front();
}

// Decodes up to `until`, or to the end; what lies far before `from` is let go.
void LineSounds::readOn(cache::ChunkStore& store, Kept& line, SampleIndex from, SampleIndex until)
{
    // Said once: it is asked for many times a second; the line is silent meanwhile.
    const auto giveUp = [&line](const Error& error) {
        log(LogLevel::Info, "session", error.logText());
        line.isRead = true;
    };
    if (from < line.start) { // farther back than what is kept
        line.start = 0;
        line.samples.clear();
        line.reader.reset();
        line.isRead = false;
    }
    while (!line.isRead && line.start + static_cast<SampleIndex>(line.samples.size()) < until) {
        if (!line.reader) {
            auto opened = openSound(store, line.key);
            if (!opened)
                return giveUp(opened.error());
            line.reader = std::move(*opened);
        }
        const auto block = line.reader->read(kStep);
        if (!block)
            return giveUp(block.error());
        if (block->samples.empty()) {
            line.isRead = true;
            line.reader.reset();
            return;
        }
        line.samples.insert(line.samples.end(), block->samples.begin(), block->samples.end());
        const SampleIndex extra = std::min(static_cast<SampleIndex>(line.samples.size()), from - kBehind - line.start);
        if (extra >= kBehind) { // not for every second
            line.samples.erase(line.samples.begin(), line.samples.begin() + static_cast<std::ptrdiff_t>(extra));
            line.start += extra;
        }
    }
}

std::size_t LineSounds::read(cache::ChunkStore& store, const std::string& key, SampleIndex from, float* out,
                             std::size_t count)
{
    if (from < 0)
        return 0;
    const std::lock_guard lock(m_mutex);
    Kept& line = find(key);
    readOn(store, line, from, from + static_cast<SampleIndex>(count));
    const SampleIndex begin = from - line.start;
    if (begin >= static_cast<SampleIndex>(line.samples.size()))
        return 0;
    const std::size_t there = std::min(count, line.samples.size() - static_cast<std::size_t>(begin));
    std::copy_n(line.samples.begin() + static_cast<std::ptrdiff_t>(begin), there, out);
    return there;
}

} // namespace loquor::session
