// Processed copies of recordings, kept in the cache folder: made once for a file and what is done to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/sound_import.h"

namespace loquor::session {

inline constexpr std::uint64_t kImportShelfBytes = 4ULL << 30; // about ten hours

// What is read in place of a recording: the file itself with its stream and part, or a copy of just that part.
struct ImportedSound
{
    std::filesystem::path file;
    media::SoundImport part; // never processed

    media::AudioReadOptions reading(int sampleRate, int channels) const { return part.reading(sampleRate, channels); }
};

// Any thread, any number of processes: a copy has its name only when it is whole, and two that make the same one do not meet.
// The least recently used go when there are more bytes than allowed, never the one that was asked for last; whoever
// reads one that goes reads on.
class ImportShelf
{
public:
    // Copies lie in <cacheFolder>/recordings; no folder: the user's own.
    explicit ImportShelf(const std::filesystem::path& cacheFolder = {}, std::uint64_t mostBytes = kImportShelfBytes);

    // Blocks while a copy is being made; at once when none is needed, without a look at the file. `sha256` of the file's
    // content where it is known, else it is read for it. Errors: those of the file, DiskFull.
    Result<ImportedSound> get(const std::filesystem::path& file, const media::SoundImport& import, const CancelToken& cancel,
                              const std::string& sha256 = {}, const media::ImportProgress& progress = {});
    // How much of the copy that is being made is there, 0 to 1; < 0 = none is being made. Any thread, at once.
    double making() const { return m_part.load(std::memory_order_relaxed); }

private:
    Result<void> make(const std::filesystem::path& file, const media::SoundImport& import, const std::filesystem::path& copy,
                      const CancelToken& cancel, const media::ImportProgress& progress);
    void trim(const std::filesystem::path& keep) const;

    const std::filesystem::path m_folder;
    const std::uint64_t m_mostBytes;
    std::atomic<double> m_part{-1};
    std::timed_mutex m_making; // held while a copy is made: others may want the same
};

} // namespace loquor::session
