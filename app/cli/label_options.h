// The label that stays on the picture, as options of the commands that make videos.
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

#include "core/media/picture_label.h"

namespace loquor::cli {

// Why a label without words is refused.
inline constexpr const char* kEmptyLabel = "the text is empty: give one, or --label alone for 'AI generated'";

// --label [TEXT] ("AI generated"), --label-corner, --label-size; what they say is in the result once parsed.
std::shared_ptr<media::PictureLabel> addLabelOptions(CLI::App& app);

} // namespace loquor::cli
