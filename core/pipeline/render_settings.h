// What the user may choose about the picture: values shared by stages, processes and session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/time.h"

namespace loquor::pipeline {

// How the person is put on the output picture when shapes differ.
enum class Framing {
    Fill = 1,
    Fit,
};

struct RenderSettings
{
    int width = 1280, height = 720;       // even; the file has exactly this size
    Rational fps{25, 1};
    std::optional<std::uint64_t> seed;    // absent: derived from the inputs, and reported
    std::string background;               // "" = the photo's own, "#rrggbb", or a picture path
    Framing framing = Framing::Fill;
    std::string prompt;                   // motion prompt ("calm, smiling")
    int faceIndex = 0;                    // 1..n when the photo holds several; 0 = must be one
    std::string pack = "portrait";        // id or folder
};

} // namespace loquor::pipeline
