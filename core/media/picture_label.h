// A short text that stays on the picture of a video, such as "AI generated".
#pragma once

#include <string>

namespace loquor::media {

enum class Corner { TopLeft = 1,
                    TopRight,
                    BottomLeft,
                    BottomRight };

// White letters on a darkened field, so that they can be read on any picture.
struct PictureLabel
{
    static constexpr double kSmallest = .015, kBiggest = .2;

    std::string text;     // UTF-8, one line; empty: no label
    Corner corner = Corner::BottomRight;
    double size = .035;   // of the letters, as part of the picture's shorter side; kSmallest .. kBiggest

    bool isShown() const { return !text.empty(); }
    friend bool operator==(const PictureLabel&, const PictureLabel&) = default;
};

} // namespace loquor::media
