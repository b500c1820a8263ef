// The text as the phoneme engine should see it, with a way back to the text as written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loquor::speech {

// Words that are said otherwise than written. begin/end: bytes of the text given, in order, apart.
struct Replacement
{
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::string text;       // said instead; UTF-8
    bool isSounds = false;  // `text` is IPA
};

// Where a replacement went: bytes of Respelling::text. Sounds are represented by one letter.
struct Replaced
{
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::size_t index = 0; // of the replacement
};

// `text` is what is sent; origin[i] is the byte of the source that byte i came from, with one entry more
// for the end. All bytes of a replacement come from where the replaced words begin.
struct Respelling
{
    std::string text;
    std::vector<std::int32_t> origin;
    std::vector<Replaced> replaced;
};

// Composes letters and marks (NFC), drops joiners and soft hyphens, removes the dot after title
// abbreviations where espeak-ng would pause ("TP. Ho Chi Minh"; not in English, which it knows), and for
// Filipino writes words as the Indonesian voice has to read them. Source: valid UTF-8.
Respelling respell(std::string_view text, std::string_view language, std::span<const Replacement> replacements = {});

// Widens [begin, end) of the respelled text to whole replacements. True when it touches one.
bool widenToReplaced(const Respelling& spelled, std::int32_t& begin, std::int32_t& end);

// Writes `text` in place of a replaced stretch, whose words it stands for from then on.
void writeReplaced(Respelling& spelled, std::size_t which, std::string_view text);

} // namespace loquor::speech
