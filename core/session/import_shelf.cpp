#include "core/session/import_shelf.h"

#include <atomic>
#include <chrono>
#include <system_error>

#include <unistd.h>

#include "core/base/log.h"
#include "core/media/flac_writer.h"
#include "core/platform/folder_limit.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"

namespace loquor::session {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCopyEnding = ".flac";
constexpr const char* kPartEnding = ".part";
constexpr std::chrono::milliseconds kPatience{50};
constexpr std::chrono::minutes kAbandoned{1}; // nobody wrote to a part for so long

} // namespace

ImportShelf::ImportShelf(const fs::path& cacheFolder, std::uint64_t mostBytes)
    : m_folder((cacheFolder.empty() ? platform::cacheFolder() : cacheFolder) / "recordings"), m_mostBytes(mostBytes)
{
}

Result<ImportedSound> ImportShelf::get(const fs::path& file, const media::SoundImport& import, const CancelToken& cancel,
                                       const std::string& sha256, const media::ImportProgress& progress)
{
    if (!import.isProcessed())
        return ImportedSound{file, import};
    std::string content = sha256;
    if (content.empty()) {
        LQ_TRY(content, platform::sha256File(file, cancel));
    }
    platform::Sha256 hash;
    hash.update(content + '\n' + media::importKey(import));
    const fs::path copy = m_folder / (hash.finish() + kCopyEnding);
    std::unique_lock lock(m_making, std::defer_lock);
    while (!lock.try_lock_for(kPatience)) {
        if (cancel.isCancelled())
            return cancelled();
    }
    std::error_code missing;
    if (!fs::exists(copy, missing))
        LQ_CHECKED(make(file, import, copy, cancel, progress));
    std::error_code ignored;
    fs::last_write_time(copy, fs::file_time_type::clock::now(), ignored); // used: it stays longest
    trim(copy);
    return ImportedSound{copy, {}};
}

// Under a name of its own first: another process may be making the same one.
Result<void> ImportShelf::make(const fs::path& file, const media::SoundImport& import, const fs::path& copy,
                               const CancelToken& cancel, const media::ImportProgress& progress)
{
    static std::atomic<unsigned int> number{0};
    LQ_CHECKED(platform::makeFolder(m_folder));
    const fs::path made = m_folder / (std::to_string(::getpid()) + '-' + std::to_string(number++) + ".making");
    const auto tell = [&](double done) {
        m_part.store(done, std::memory_order_relaxed);
        if (progress)
            progress(done);
    };
    tell(0);
    const auto written = media::writeProcessed(file, import, made, cancel, tell);
    m_part.store(-1, std::memory_order_relaxed);
    LQ_CHECKED(written);
    std::error_code error;
    fs::rename(made, copy, error);
    if (!error)
        return {};
    const Error failed = errorFromErrno(error.value(), "Cannot keep the processed copy of " + platform::quotedPath(file));
    fs::remove(made, error);
    return fail(failed);
}

// What killed programs left goes too.
void ImportShelf::trim(const fs::path& keep) const
{
    std::error_code code;
    for (fs::directory_iterator it(m_folder, code), end; !code && it != end; it.increment(code)) {
        std::error_code ignored;
        const fs::path file = it->path();
        if (file.extension() != kPartEnding)
            continue;
        const auto used = fs::last_write_time(file, ignored);
        if (!ignored && fs::file_time_type::clock::now() - used > kAbandoned && !media::isBeingWritten(file))
            fs::remove(file, ignored);
    }
    for (const fs::path& old : platform::limitFolder(m_folder, kCopyEnding, m_mostBytes, m_mostBytes, keep).removed)
        log(LogLevel::Info, "session", platform::quotedPath(old) + " was not used for long and was removed");
}

} // namespace loquor::session
