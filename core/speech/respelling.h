// The text as the phoneme engine should see it, with a way back to the text as written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loquor::speech {

// `text` is what is sent; origin[i] is the byte of the source that byte i came from, with one entry more
// for the end.
struct Respelling
{
    std::string text;
    std::vector<std::int32_t> origin;
};

// Composes letters and marks (NFC), drops joiners and soft hyphens, removes the dot after title
// abbreviations where espeak-ng would pause ("TP. Ho Chi Minh"; not in English, which it knows), and for
// Filipino writes words as the Indonesian voice has to read them. Source: valid UTF-8.
Respelling respell(std::string_view text, std::string_view language);

} // namespace loquor::speech
