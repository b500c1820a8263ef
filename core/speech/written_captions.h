// Captions that somebody wrote for a text, held to its words: times follow the words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/speech/captions.h"

namespace loquor::speech {

// One caption: shown from the word `firstWord` of the text on (see captionWords) until the next one. `text` may hold
// line breaks, which are kept.
struct WrittenCaption
{
    std::string text;
    std::size_t firstWord = 0;

    friend bool operator==(const WrittenCaption&, const WrittenCaption&) = default;
};

// Bytes [begin, end) of a text, and the word there in a form that can be compared.
struct TextWord
{
    std::size_t begin = 0, end = 0;
    std::string folded;
};
// The words of a text that are shown, directions left out; Chinese and Japanese as ICU cuts them.
std::vector<TextWord> captionWords(std::string_view text);
// They alone, between single spaces: two texts with the same say the same.
std::string captionWordsText(std::string_view text);

// Where each of these captions belongs in the text: its words are looked for among those of the text; what was left
// out, added or written in another way lies between those that were found. Errors: EmptyInput (a caption without
// anything to read, a text without words), InvalidArgument (more captions than words, control characters, no UTF-8).
Result<std::vector<WrittenCaption>> placedCaptions(const std::vector<std::string>& captions, std::string_view text);

// With times. `text` is what the spans of the timing point into, and what the captions were written for; the first one
// begins with the first word. Texts without line breaks are wrapped by the rules.
std::vector<CaptionCue> writtenCaptions(const Timing& timing, std::string_view text,
                                        const std::vector<WrittenCaption>& captions, double until,
                                        const CaptionRules& rules);

} // namespace loquor::speech
