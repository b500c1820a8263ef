// Whether fonts of the system have all letters of captions.
#include <algorithm>

#include "core/media/caption_painter.h"
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

// Of valid UTF-8.
void addLetters(const std::string& text, std::vector<char32_t>& out)
{
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i++]);
        char32_t c = lead < 0x80 ? lead : lead < 0xE0 ? lead & 0x1Fu
                                      : lead < 0xF0   ? lead & 0x0Fu
                                                      : lead & 0x07u;
        for (; i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; ++i)
            c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
        if (!isInvisible(c))
            out.push_back(c);
    }
}

} // namespace

Result<void> checkCaptionLetters(const std::vector<std::string>& texts)
{
    std::vector<char32_t> letters;
    for (const std::string& text : texts) {
        addLetters(text, letters);
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
