// Options about the picture that several commands have, as text from the command line.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/base/time.h"

namespace loquor::cli {

struct PictureSize
{
    int width = 0, height = 0;
};

// "1280x720" and "16:9"; both, either or none ("" = 1280x720). InvalidArgument says what is possible.
Result<PictureSize> chosenSize(const std::string& size, const std::string& aspect);
// "25", "29.97", "30000/1001"
Result<Rational> chosenRate(const std::string& fps);
Result<std::uint64_t> chosenSeed(const std::string& seed);
// "#20304f", or a picture file: looked at, and as a full path. "" stays "".
Result<std::string> chosenBackground(const std::string& background);

} // namespace loquor::cli
