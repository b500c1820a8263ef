// Captions that are drawn into the pictures of a video.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loquor::media {

// Bytes [begin, stop) of the text are said from `start` to `end`.
struct BurntWord
{
    std::size_t begin = 0, stop = 0;
    double start = 0, end = 0;
};

// Seconds of the video; end > start, in order, not overlapping. The words are in order.
struct BurntCaption
{
    double start = 0, end = 0;
    std::string text; // UTF-8; lines end with \n
    std::vector<BurntWord> words{};
};

enum class CaptionPlace { Bottom = 1,
                          Top };

// White letters with a dark edge and shadow, so that they can be read on any picture.
struct CaptionStyle
{
    static constexpr double kSmallest = .02, kBiggest = .15;
    static constexpr std::uint32_t kYellow = 0xFFD84D;

    CaptionPlace place = CaptionPlace::Bottom;
    double size = .06;                                // height of a line, as part of the picture's shorter side
    std::optional<std::uint32_t> highlight = kYellow; // 0xRRGGBB of the word that is being said; nothing: as the others

    friend bool operator==(const CaptionStyle&, const CaptionStyle&) = default;
};

// How many columns of such captions a picture has room for (a full-width character takes two), and how many lines.
struct CaptionRoom
{
    int columns = 42, lines = 2;
};
CaptionRoom captionRoom(const CaptionStyle& style, int width, int height);

} // namespace loquor::media
