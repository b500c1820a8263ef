#include "core/cache/take_log.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/cache/entry.h"
#include "core/cache/store_folder.h"
#include "core/platform/file_descriptor.h"

using nlohmann::json;

namespace loquor::cache {

namespace fs = std::filesystem;
using platform::FileDescriptor;

namespace {

constexpr int kVersion = 1;
constexpr const char* kFormat = "loquor-take";
constexpr const char* kSuffix = ".log";
constexpr std::size_t kMaxChunks = 10'000'000;

// Ids use all 64 bits, which JSON numbers of other programs do not keep: 16 hexadecimal digits.
std::string hexId(std::uint64_t id)
{
    std::array<char, 17> out{};
    std::snprintf(out.data(), out.size(), "%016llx", static_cast<unsigned long long>(id));
    return out.data();
}

bool readHex(const std::string& digits, std::uint64_t& out)
{
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    return digits.size() == 16 && parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
}

bool readId(const json& line, const char* field, std::uint64_t& out)
{
    return line.contains(field) && line[field].is_string() && readHex(line[field].get<std::string>(), out);
}

bool readText(const json& line, const char* field, std::string& out)
{
    if (!line.contains(field) || !line[field].is_string())
        return false;
    out = line[field].get<std::string>();
    return true;
}

template<class T>
bool readCount(const json& line, const char* field, T& out, std::uint64_t highest)
{
    if (!line.contains(field) || !line[field].is_number_unsigned() || line[field].get<std::uint64_t>() > highest)
        return false;
    out = static_cast<T>(line[field].get<std::uint64_t>());
    return true;
}

bool readFlag(const json& line, const char* field, bool& out)
{
    if (!line.contains(field) || !line[field].is_boolean())
        return false;
    out = line[field].get<bool>();
    return true;
}

// A text of any bytes as one line of JSON.
std::string dumped(const json& line)
{
    return line.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

bool readHead(const json& line, Take& take)
{
    return readId(line, "id", take.id) && readId(line, "project", take.project) && readId(line, "line", take.line) &&
           readCount(line, "number", take.number, 1u << 30) && readText(line, "line_key", take.lineKey) &&
           readText(line, "boundary_in", take.boundaryIn) && readId(line, "seed", take.seed) &&
           readText(line, "created", take.createdAt);
}

// A chunk that was noted twice (the program ended before the index knew of it) counts once.
void playChunk(const json& line, LoggedTake& out)
{
    std::size_t position = 0;
    TakeChunk chunk;
    if (!readCount(line, "chunk", position, kMaxChunks) || !readText(line, "key", chunk.key) || !isValidKey(chunk.key) ||
        !readCount(line, "frames", chunk.frames, 1u << 30) || position > out.chunks.size())
        return;
    if (position == out.chunks.size())
        out.chunks.emplace_back();
    out.chunks[position] = std::move(chunk);
    out.take.failureCount = 0;
    out.take.reason.clear();
}

void playState(const json& line, Take& take)
{
    Take next = take;
    if (readFlag(line, "complete", next.complete) && readFlag(line, "pinned", next.pinned) &&
        readCount(line, "failures", next.failureCount, 1u << 30) && readText(line, "reason", next.reason))
        take = std::move(next);
}

} // namespace

std::string takeHeadLine(const Take& take)
{
    return dumped({{"format", kFormat},
                   {"version", kVersion},
                   {"id", hexId(take.id)},
                   {"project", hexId(take.project)},
                   {"line", hexId(take.line)},
                   {"number", take.number},
                   {"line_key", take.lineKey},
                   {"boundary_in", take.boundaryIn},
                   {"seed", hexId(take.seed)},
                   {"created", take.createdAt}});
}

std::string takeChunkLine(std::int64_t position, const TakeChunk& chunk)
{
    return dumped({{"chunk", position}, {"key", chunk.key}, {"frames", chunk.frames}});
}

std::string takeStateLine(const Take& take)
{
    return dumped({{"complete", take.complete},
                   {"pinned", take.pinned},
                   {"failures", take.failureCount},
                   {"reason", take.reason}});
}

Result<LoggedTake> parseTakeLog(std::string_view text)
{
    LoggedTake out;
    bool hasHead = false;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const json line = json::parse(text.substr(0, end), nullptr, false);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (!line.is_object())
            continue;
        std::string format;
        int version = 0;
        if (!hasHead && readText(line, "format", format) && format == kFormat &&
            readCount(line, "version", version, 1u << 30)) {
            if (version > kVersion)
                return fail(ErrorCode::Unsupported, "A newer version of Loquor wrote this take.");
            hasHead = readHead(line, out.take);
        } else if (hasHead && line.contains("chunk")) {
            playChunk(line, out);
        } else if (hasHead && line.contains("complete")) {
            playState(line, out.take);
        }
    }
    if (!hasHead)
        return fail(ErrorCode::Corrupt, "The copy of a take has no readable head.");
    for (const TakeChunk& chunk : out.chunks)
        out.take.frames += chunk.frames;
    return out;
}

fs::path takeLogFile(const fs::path& takesFolder, TakeId take)
{
    return takesFolder / (hexId(take) + kSuffix);
}

std::vector<TakeId> loggedTakes(const fs::path& takesFolder)
{
    std::vector<TakeId> out;
    std::error_code code;
    for (const auto& file : fs::directory_iterator(takesFolder, code)) {
        std::uint64_t id = 0;
        if (file.path().extension() == kSuffix && readHex(file.path().stem().string(), id))
            out.push_back(id);
    }
    return out;
}

Result<TakeLogEntry> TakeLogEntry::write(const fs::path& file, const std::string& lines)
{
    const FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    struct stat info{};
    if (!fd.isOpen() || ::fstat(fd.get(), &info) != 0)
        return fail(storeError(errno, "Cannot note a take", file));
    // From here on a failure takes back what was written.
    TakeLogEntry entry(file, info.st_size);
    char last = '\n';
    if (info.st_size > 0 && ::pread(fd.get(), &last, 1, info.st_size - 1) != 1)
        last = 0;
    // After a power cut the file may end within a line: that one is lost, the next must not be.
    const std::string text = (last == '\n' ? "" : "\n") + lines;
    if (const auto written = platform::writeAll(fd.get(), text.data(), text.size(), "Cannot write"); !written)
        return fail(storeError(written.error().code() == ErrorCode::DiskFull ? ENOSPC : EIO, "Cannot note a take", file));
    return entry;
}

void TakeLogEntry::takeBack()
{
    if (m_file.empty())
        return;
    if (m_before == 0)
        ::unlink(m_file.c_str());
    else
        (void)!::truncate(m_file.c_str(), m_before);
    m_file.clear();
}

TakeLogEntry::~TakeLogEntry()
{
    takeBack();
}

TakeLogEntry::TakeLogEntry(TakeLogEntry&& other) noexcept
    : m_file(std::exchange(other.m_file, {})), m_before(other.m_before)
{
}

TakeLogEntry& TakeLogEntry::operator=(TakeLogEntry&& other) noexcept
{
    if (this != &other) {
        takeBack();
        m_file = std::exchange(other.m_file, {});
        m_before = other.m_before;
    }
    return *this;
}

} // namespace loquor::cache
