#include "core/platform/folder_limit.h"

#include <algorithm>
#include <system_error>

namespace loquor::platform {

namespace fs = std::filesystem;

FolderLimit limitFolder(const fs::path& folder, std::string_view ending, std::uint64_t mostBytes, std::uint64_t target,
                        const fs::path& keep)
{
    struct Entry
    {
        fs::path file;
        fs::file_time_type used;
        std::uint64_t bytes = 0;
    };
    std::vector<Entry> entries;
    FolderLimit out;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        if (it->path().extension() != ending)
            continue;
        std::error_code ignored;
        Entry entry{it->path(), fs::last_write_time(it->path(), ignored), 0};
        if (!ignored)
            entry.bytes = fs::file_size(entry.file, ignored);
        if (ignored)
            continue;
        out.bytesLeft += entry.bytes;
        entries.push_back(std::move(entry));
    }
    if (out.bytesLeft <= mostBytes)
        return out;
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    for (Entry& entry : entries) {
        if (out.bytesLeft <= target)
            break;
        if (entry.file == keep)
            continue;
        std::error_code ignored;
        fs::remove(entry.file, ignored);
        out.bytesLeft -= entry.bytes;
        out.removed.push_back(std::move(entry.file));
    }
    return out;
}

} // namespace loquor::platform
