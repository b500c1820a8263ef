#include "core/session/disk_watch.h"

#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"

namespace loquor::session {

namespace {

constexpr std::uint64_t kMega = 1'000'000;
constexpr std::uint64_t kNearlyFull = 100 * kMega;

std::string megabytes(std::uint64_t bytes)
{
    return bytes < kMega ? "less than 1 MB" : std::to_string(bytes / kMega) + " MB";
}

} // namespace

std::uint64_t storedBytes(double seconds, int width, int height, double framesPerSecond)
{
    constexpr double kBytesPerPixel = .03, kSoundPerSecond = 200e3;
    const double pixels = static_cast<double>(width) * height * framesPerSecond;
    return static_cast<std::uint64_t>(seconds * (pixels * kBytesPerPixel + kSoundPerSecond));
}

DiskWatch::DiskWatch(std::filesystem::path folder, FreeSpace freeSpace)
    : m_folder(std::move(folder)), m_freeSpace(freeSpace ? std::move(freeSpace) : platform::freeSpace)
{
}

std::optional<std::string> DiskWatch::look(std::uint64_t stillNeeded)
{
    const auto space = m_freeSpace(m_folder);
    if (!space)
        return std::nullopt;
    const Level level = *space < kNearlyFull   ? Level::NearlyFull
                        : *space < stillNeeded ? Level::MayNotFit
                                               : Level::Enough;
    if (level <= m_said)
        return std::nullopt;
    m_said = level;
    const std::string place = " on the disk of " + platform::quotedPath(m_folder);
    if (level == Level::NearlyFull)
        return "There is " + megabytes(*space) + " left" + place +
               ". Free some space: rendering stops when it is full, and goes on from there.";
    return "There are " + megabytes(*space) + " left" + place + ", and this project may need " +
           megabytes(stillNeeded) + ". Free some space before it is full.";
}

} // namespace loquor::session
