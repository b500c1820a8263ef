// UTF-8 in small steps, for the parsers of this folder. Texts are validated once, then walked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loquor::speech {

// Decodes the character at `at` of valid UTF-8 and moves `at` behind it.
char32_t nextCharacter(std::string_view text, std::size_t& at);
void appendCharacter(std::string& text, char32_t character);
// Offset of the first byte that is not valid UTF-8, nothing when all are.
std::optional<std::size_t> firstInvalidUtf8(std::string_view text);

bool isHan(char32_t c);
bool isLetterOrDigit(char32_t c);
bool isSpace(char32_t c); // any Unicode white space
bool isLowerCase(char32_t c);
bool isUpperCase(char32_t c);
// Lower case and NFC; for comparisons.
std::string foldedText(std::string_view text);

} // namespace loquor::speech
