// The copy of a take beside the index: a text file that only grows, one JSON object a line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/cache/ledger.h"

namespace loquor::cache {

struct TakeChunk
{
    std::string key;
    FrameIndex frames = 0;

    friend bool operator==(const TakeChunk&, const TakeChunk&) = default;
};

struct LoggedTake
{
    Take take; // without `chunks`
    std::vector<TakeChunk> chunks;
};

// The lines of the file, each ends in a line feed.
std::string takeHeadLine(const Take& take);
std::string takeChunkLine(std::int64_t position, const TakeChunk& chunk);
std::string takeStateLine(const Take& take);
// Plays the lines. Those that are damaged count as absent; Corrupt when the head is, Unsupported when
// a newer version wrote it.
Result<LoggedTake> parseTakeLog(std::string_view text);

// takes/<16 hex>.log
std::filesystem::path takeLogFile(const std::filesystem::path& takesFolder, TakeId take);
// The ids of all such files.
std::vector<TakeId> loggedTakes(const std::filesystem::path& takesFolder);

// Lines written to a take's file, but taken back unless keep() is called: for the time until the index
// transaction is done. Not synced: after a power cut open() corrects it from the index, which is. One
// thread at a time.
class TakeLogEntry
{
public:
    static Result<TakeLogEntry> write(const std::filesystem::path& file, const std::string& lines);
    ~TakeLogEntry();
    TakeLogEntry(TakeLogEntry&& other) noexcept;
    TakeLogEntry& operator=(TakeLogEntry&& other) noexcept;
    void keep() { m_file.clear(); }
    void takeBack();

private:
    TakeLogEntry(std::filesystem::path file, std::int64_t before) : m_file(std::move(file)), m_before(before) {}
    std::filesystem::path m_file;
    std::int64_t m_before; // its size; 0: it was not there
};

} // namespace loquor::cache
