// Letters of captions that no font of the system has.
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

// The text without these letters (sorted); words keep theirs.
void leaveOut(BurntCaption& caption, const std::vector<char32_t>& missing)
{
    std::string text;
    std::vector<std::size_t> places; // where each byte went; one entry more for the end
    for (std::size_t at = 0; at < caption.text.size();) {
        std::size_t length = 1;
        while (at + length < caption.text.size() && (static_cast<unsigned char>(caption.text[at + length]) & 0xC0) == 0x80)
            ++length;
        places.insert(places.end(), length, text.size());
        const std::string letter = caption.text.substr(at, length);
        const auto code = codePoints(letter);
        if (!code || !std::binary_search(missing.begin(), missing.end(), code->front()))
            text += letter;
        at += length;
    }
    places.push_back(text.size());
    for (BurntWord& word : caption.words) {
        word.begin = places[std::min(word.begin, places.size() - 1)];
        word.stop = places[std::min(word.stop, places.size() - 1)];
    }
    caption.text = std::move(text);
}

} // namespace

Result<std::string> leaveOutLetters(std::vector<BurntCaption>& captions)
{
    std::vector<char32_t> letters;
    for (const BurntCaption& caption : captions) {
        const auto shown = codePoints(caption.text);
        if (!shown)
            return fail(ErrorCode::InvalidArgument, "A caption is not UTF-8.");
        std::remove_copy_if(shown->begin(), shown->end(), std::back_inserter(letters), isInvisible);
        std::sort(letters.begin(), letters.end());
        letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
    }
    LQ_TRY(const std::vector<char32_t> missing, lettersWithoutFont(letters));
    if (missing.empty())
        return std::string();
    for (BurntCaption& caption : captions)
        leaveOut(caption, missing);
    std::erase_if(captions, [](const BurntCaption& caption) {
        const auto left = codePoints(caption.text);
        return left && std::all_of(left->begin(), left->end(), isInvisible);
    });
    return "No installed font has these letters of the captions, so they are left out: " + letterNames(missing) +
           ". To have them drawn, install a font with them (for Chinese, Japanese and Korean the package fonts-noto-cjk) and export again.";
}

} // namespace loquor::media
