// Which language a text is in, and which espeak-ng voice says it. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace loquor::speech {

// "EN_us" -> "en-us", "zh-CN"/"cmn" -> "zh", "tl" -> "fil", "vi-VN" -> "vi"; region kept where voices
// differ by it (en-us, en-gb, es-419). Empty stays empty.
std::string normalizedLanguage(std::string_view tag);
// "en-us" -> "en"
std::string baseLanguage(std::string_view tag);

// How a language was found: by the caller's word, or guessed from the letters.
struct LanguageGuess
{
    std::string language; // normalized
    std::string reason;   // "Chinese characters", "Spanish words", ... ; for a message to the user
};
// Chinese and Japanese by script, Vietnamese by its letters, Spanish by letters and common words, else
// US English. Looks at the first 4000 bytes.
LanguageGuess guessLanguage(std::string_view text);

// The name of the espeak-ng voice for a language: zh -> cmn-latn-pinyin (plain cmn reads pinyin as
// English), fil -> id (there is no Filipino voice; see respelling.h), others by their own name.
std::string espeakVoiceName(std::string_view language);

} // namespace loquor::speech
