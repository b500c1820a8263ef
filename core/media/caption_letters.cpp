// Whether fonts of the system have all letters of captions.
#include <algorithm>
#include <iterator>

#include "core/media/caption_painter.h"
#include "core/media/code_points.h"
#include "core/media/label_font.h"

namespace loquor::media {

namespace {

// Drawn as nothing, whatever the font: blanks, joiners, marks of direction, variation selectors.
bool isInvisible(char32_t c)
{
    return c <= 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD || c == 0x061C || c == 0x3000 || (c >= 0x2000 && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202F) || (c >= 0x205F && c <= 0x206F) || (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF ||
           (c >= 0xE0000 && c <= 0xE0FFF);
}

} // namespace

Result<void> checkCaptionLetters(const std::vector<std::string>& texts)
{
    std::vector<char32_t> letters;
    for (const std::string& text : texts) {
        const auto shown = codePoints(text);
        if (!shown)
            return fail(ErrorCode::InvalidArgument, "A caption is not UTF-8.");
        std::remove_copy_if(shown->begin(), shown->end(), std::back_inserter(letters), isInvisible);
        std::sort(letters.begin(), letters.end());
        letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
    }
    LQ_TRY(const std::vector<char32_t> missing, lettersWithoutFont(letters));
    if (missing.empty())
        return {};
    return fail(ErrorCode::InvalidArgument,
                "No installed font has these letters of the captions; they would be empty boxes: " + letterNames(missing) +
                    ". Install a font that has them (for Chinese, Japanese and Korean the package fonts-noto-cjk), or write the "
                    "captions without them.");
}

} // namespace loquor::media
