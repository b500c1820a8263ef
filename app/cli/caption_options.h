// How captions are drawn, as options of the commands that make videos.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/session/project_values.h"

namespace loquor::cli {

struct CaptionOptions
{
    session::Captions kind = session::Captions::None;
    session::CaptionStyle style;
    bool isStyled = false; // something was said about it
    std::string file;      // of those that lie in one; empty: beside the video
};

// --captions, --caption-place, --caption-size, --caption-highlight; what they say is in the result once parsed.
std::shared_ptr<CaptionOptions> addCaptionOptions(CLI::App& app);
// InvalidArgument: a style for captions that are not drawn.
Result<void> checkCaptions(const CaptionOptions& options);

} // namespace loquor::cli
