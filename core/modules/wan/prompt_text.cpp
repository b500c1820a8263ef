#include "core/modules/wan/prompt_text.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

namespace loquor::modules {

namespace {

using icu::UnicodeString;

// Characters 0x80 to 0x9f of Windows-1252; 0: not used, stands for itself.
constexpr std::array<char16_t, 32> kWindows1252{
    0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017d, 0,
    0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0, 0x017e, 0x0178};

// HTML names of the characters from 160 on.
constexpr std::string_view kLatinNames =
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot "
    "cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml "
    "Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig "
    "agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute "
    "ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

const std::map<std::string, char32_t, std::less<>>& htmlNames()
{
    static const auto names = [] {
        std::map<std::string, char32_t, std::less<>> out{
            {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}, {"ndash", 0x2013}, {"mdash", 0x2014}, {"lsquo", 0x2018}, {"rsquo", 0x2019}, {"sbquo", 0x201a}, {"ldquo", 0x201c}, {"rdquo", 0x201d}, {"bdquo", 0x201e}, {"bull", 0x2022}, {"hellip", 0x2026}, {"euro", 0x20ac}, {"trade", 0x2122}, {"larr", 0x2190}, {"uarr", 0x2191}, {"rarr", 0x2192}, {"darr", 0x2193}, {"ensp", 0x2002}, {"emsp", 0x2003}, {"thinsp", 0x2009}};
        std::istringstream words{std::string(kLatinNames)};
        char32_t code = 160;
        for (std::string word; words >> word; ++code)
            out[word] = code;
        return out;
    }();
    return names;
}

// The byte that a character was before it was read as Windows-1252.
std::optional<char> windowsByte(char32_t c)
{
    if (c < 0x100)
        return static_cast<char>(c);
    for (std::size_t i = 0; i < kWindows1252.size(); ++i) {
        if (kWindows1252[i] == c)
            return static_cast<char>(0x80 + i);
    }
    return std::nullopt;
}

template<class Use>
void forEachCharacter(const UnicodeString& text, Use&& use)
{
    for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1))
        use(static_cast<char32_t>(text.char32At(i)));
}

// "cafÃ©" -> "café". Only where the whole text is UTF-8 read wrongly: real text in a Latin script hardly ever is.
UnicodeString readAgain(const UnicodeString& text)
{
    std::string bytes;
    bool fits = true, foreign = false;
    forEachCharacter(text, [&](char32_t c) {
        const auto byte = windowsByte(c);
        fits = fits && byte;
        foreign = foreign || c >= 0x80;
        bytes += byte.value_or('?');
    });
    if (!fits || !foreign)
        return text;
    const UnicodeString again = UnicodeString::fromUTF8(bytes);
    return again.indexOf(char16_t(0xfffd)) >= 0 ? text : again;
}

// ESC [ ... letter
UnicodeString withoutTerminalEscapes(const UnicodeString& text)
{
    UnicodeString out;
    for (std::int32_t i = 0; i < text.length(); ++i) {
        if (text[i] == 0x1b && i + 1 < text.length() && text[i + 1] == '[') {
            std::int32_t end = i + 2;
            while (end < text.length() && ((text[end] >= '0' && text[end] <= '9') || text[end] == ';'))
                ++end;
            if (end < text.length() && u_isalpha(text[end]) != 0) {
                i = end;
                continue;
            }
        }
        out.append(text[i]);
    }
    return out;
}

bool isControl(char32_t c)
{
    return c <= 8 || c == 0x0b || (c >= 0x0e && c <= 0x1f) || c == 0x7f || (c >= 0x206a && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffc);
}

// What a character becomes: nothing, itself, or plain ones.
UnicodeString plain(char32_t c)
{
    if (isControl(c))
        return {};
    if ((c >= 0x2018 && c <= 0x201b) || c == 0x02bc)
        return UnicodeString(u'\'');
    if (c >= 0x201c && c <= 0x201f)
        return UnicodeString(u'"');
    // C1 control characters are Windows-1252 read as Latin-1.
    if (c >= 0x80 && c < 0xa0 && kWindows1252[c - 0x80] != 0)
        return UnicodeString(static_cast<UChar32>(kWindows1252[c - 0x80]));
    const bool ligature = (c >= 0xfb00 && c <= 0xfb06) || c == 0x0132 || c == 0x0133 || c == 0x0149 || (c >= 0x01c4 && c <= 0x01cc) || (c >= 0x01f1 && c <= 0x01f3);
    const bool otherWidth = (c >= 0xff01 && c <= 0xffef) || c == 0x3000;
    const UnicodeString itself(static_cast<UChar32>(c));
    if (!ligature && !otherWidth)
        return itself;
    UErrorCode status = U_ZERO_ERROR;
    const UnicodeString changed = icu::Normalizer2::getNFKCInstance(status)->normalize(itself, status);
    return U_SUCCESS(status) ? changed : itself;
}

std::optional<char32_t> htmlCharacter(const std::string& name)
{
    if (name.size() < 2 || name[0] != '#') {
        const auto found = htmlNames().find(name);
        return found == htmlNames().end() ? std::nullopt : std::optional<char32_t>(found->second);
    }
    const bool hex = name[1] == 'x' || name[1] == 'X';
    const std::string digits = name.substr(hex ? 2 : 1);
    if (digits.empty() || digits.find_first_not_of(hex ? "0123456789abcdefABCDEF" : "0123456789") != std::string::npos)
        return std::nullopt;
    const auto code = digits.size() > 8 ? 0x110000ul : std::stoul(digits, nullptr, hex ? 16 : 10);
    if (code >= 0x80 && code < 0xa0 && kWindows1252[code - 0x80] != 0)
        return kWindows1252[code - 0x80];
    const bool none = code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000);
    return none ? char32_t(0xfffd) : static_cast<char32_t>(code);
}

UnicodeString unescaped(const UnicodeString& text)
{
    constexpr std::int32_t kLongest = 32;
    UnicodeString out;
    for (std::int32_t i = 0; i < text.length(); ++i) {
        const std::int32_t end = text[i] == '&' ? text.indexOf(u';', i) : -1;
        if (end > i && end - i <= kLongest) {
            std::string name;
            text.tempSubStringBetween(i + 1, end).toUTF8String(name);
            if (const auto c = htmlCharacter(name)) {
                out.append(static_cast<UChar32>(*c));
                i = end;
                continue;
            }
        }
        out.append(text[i]);
    }
    return out;
}

// As Python's \s.
bool isSpace(char32_t c)
{
    return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_WHITE_SPACE) != 0;
}

UnicodeString tidied(const UnicodeString& text)
{
    UnicodeString out;
    bool space = false;
    forEachCharacter(text, [&](char32_t c) {
        if (isSpace(c)) {
            space = true;
            return;
        }
        if (space && !out.isEmpty())
            out.append(u' ');
        space = false;
        out.append(static_cast<UChar32>(c));
    });
    return out;
}

UnicodeString fixed(const UnicodeString& text)
{
    // A text with a bracket may be HTML on purpose: there, references are resolved only afterwards.
    const UnicodeString resolved = text.indexOf(u'<') < 0 ? unescaped(text) : text;
    UnicodeString out;
    forEachCharacter(withoutTerminalEscapes(readAgain(resolved)), [&out](char32_t c) { out.append(plain(c)); });
    UErrorCode status = U_ZERO_ERROR;
    const UnicodeString composed = icu::Normalizer2::getNFCInstance(status)->normalize(out, status);
    return U_SUCCESS(status) ? composed : out;
}

} // namespace

std::string cleanPrompt(std::string_view text)
{
    const UnicodeString source = UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
    std::string out;
    tidied(unescaped(unescaped(fixed(source)))).toUTF8String(out);
    return out;
}

} // namespace loquor::modules
