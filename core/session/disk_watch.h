// Says early that a disk will be full, before it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace loquor::session {

// What a chunk of this many seconds takes in the store, roughly (measured: .02 to .03 bytes a pixel, and sound).
std::uint64_t storedBytes(double seconds, int width, int height, double framesPerSecond);

// One thread at a time.
class DiskWatch
{
public:
    using FreeSpace = std::function<Result<std::uint64_t>(const std::filesystem::path&)>;
    // `freeSpace`: for tests.
    explicit DiskWatch(std::filesystem::path folder, FreeSpace freeSpace = {});
    // A sentence for people when there is something new to say: what is still to be written does not fit, or next to
    // nothing is left. Each once. A full disk is the business of whoever writes.
    std::optional<std::string> look(std::uint64_t stillNeeded);

private:
    enum class Level {
        Enough = 1,
        MayNotFit,
        NearlyFull,
    };

    const std::filesystem::path m_folder;
    const FreeSpace m_freeSpace;
    Level m_said = Level::Enough;
};

} // namespace loquor::session
