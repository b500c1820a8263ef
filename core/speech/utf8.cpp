#include "core/speech/utf8.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

namespace loquor::speech {

namespace {

UChar32 icu(char32_t c)
{
    return static_cast<UChar32>(c);
}

} // namespace

char32_t nextCharacter(std::string_view text, std::size_t& at)
{
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const auto length = static_cast<std::int64_t>(text.size());
    auto i = static_cast<std::int64_t>(at);
    UChar32 c = 0;
    U8_NEXT(bytes, i, length, c); // NOLINT(bugprone-inc-dec-in-conditions): a macro of ICU
    at = static_cast<std::size_t>(i);
    return c < 0 ? 0xFFFDU : static_cast<char32_t>(c);
}

void appendCharacter(std::string& text, char32_t character)
{
    char bytes[4];
    int count = 0;
    U8_APPEND_UNSAFE(bytes, count, icu(character));
    text.append(bytes, static_cast<std::size_t>(count));
}

std::optional<std::size_t> firstInvalidUtf8(std::string_view text)
{
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const auto length = static_cast<std::int64_t>(text.size());
    for (std::int64_t i = 0; i < length;) {
        const std::int64_t start = i;
        UChar32 c = 0;
        U8_NEXT(bytes, i, length, c); // NOLINT(bugprone-inc-dec-in-conditions): a macro of ICU
        if (c < 0)
            return static_cast<std::size_t>(start);
    }
    return std::nullopt;
}

bool isHan(char32_t c)
{
    UErrorCode error = U_ZERO_ERROR;
    return c >= 0x2E80 && uscript_getScript(icu(c), &error) == USCRIPT_HAN;
}

bool isLetterOrDigit(char32_t c)
{
    return u_isalnum(icu(c));
}

bool isSpace(char32_t c)
{
    return u_isUWhiteSpace(icu(c));
}

bool isLowerCase(char32_t c)
{
    return u_islower(icu(c));
}

bool isUpperCase(char32_t c)
{
    return u_isupper(icu(c));
}

std::string foldedText(std::string_view text)
{
    icu::UnicodeString s = icu::UnicodeString::fromUTF8(
        icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
    s.foldCase();
    UErrorCode error = U_ZERO_ERROR;
    const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(error);
    std::string out;
    if (U_SUCCESS(error))
        s = nfc->normalize(s, error);
    s.toUTF8String(out);
    return out;
}

} // namespace loquor::speech
