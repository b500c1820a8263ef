#include "core/speech/ssml_values.h"

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include <unicode/uchar.h>

#include "core/speech/script_markup.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

using Named = std::pair<std::string_view, double>;

std::optional<double> namedValue(std::span<const Named> names, std::string_view text)
{
    for (const auto& [name, value] : names) {
        if (name == text)
            return value;
    }
    return std::nullopt;
}

struct Amount
{
    double value = 0;
    bool hasSign = false;
    std::string unit;
};

std::optional<Amount> amountOf(std::string_view text)
{
    Amount out;
    out.hasSign = text.starts_with('+') || text.starts_with('-');
    if (text.starts_with('+'))
        text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.value);
    if (error != std::errc() || !std::isfinite(out.value))
        return std::nullopt;
    out.unit = foldedText(std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end)));
    return out;
}

} // namespace

std::optional<double> ssmlSeconds(std::string_view text)
{
    const auto amount = amountOf(text);
    if (!amount || amount->value < 0 || (amount->unit != "s" && amount->unit != "ms"))
        return std::nullopt;
    return amount->unit == "s" ? amount->value : amount->value / 1000;
}

std::optional<double> ssmlStrength(std::string_view text)
{
    constexpr std::array<Named, 7> kNames{{{"", 0.4}, {"none", 0}, {"x-weak", 0.1}, {"weak", 0.2}, {"medium", 0.4}, {"strong", 0.75}, {"x-strong", 1.2}}};
    return namedValue(kNames, text);
}

std::optional<double> ssmlRate(std::string_view text, double outer)
{
    constexpr std::array<Named, 6> kNames{{{"x-slow", 0.6}, {"slow", 0.8}, {"medium", 1}, {"default", 1}, {"fast", 1.25}, {"x-fast", 1.6}}};
    if (const auto named = namedValue(kNames, text))
        return named;
    const auto amount = amountOf(text);
    if (!amount || (!amount->unit.empty() && amount->unit != "%"))
        return std::nullopt;
    double factor = amount->unit == "%" ? amount->value / 100 : amount->value;
    if (amount->hasSign)
        factor = amount->unit == "%" ? 1 + factor : -1; // "+0.5" means nothing
    if (!(factor > 0))
        return std::nullopt;
    return outer * factor;
}

std::optional<double> ssmlPitch(std::string_view text, double outer)
{
    constexpr std::array<Named, 6> kNames{{{"x-low", -4}, {"low", -2}, {"medium", 0}, {"default", 0}, {"high", 2}, {"x-high", 4}}};
    if (const auto named = namedValue(kNames, text))
        return named;
    const auto amount = amountOf(text);
    if (!amount)
        return std::nullopt;
    if (amount->unit == "st")
        return outer + amount->value;
    if (amount->unit != "%" || (amount->hasSign && amount->value <= -100) || (!amount->hasSign && amount->value <= 0))
        return std::nullopt;
    return outer + 12 * std::log2(amount->hasSign ? 1 + amount->value / 100 : amount->value / 100);
}

std::optional<double> ssmlVolume(std::string_view text, double outer)
{
    constexpr std::array<Named, 7> kNames{{{"silent", kMinVolume}, {"x-soft", -12}, {"soft", -6}, {"medium", 0}, {"default", 0}, {"loud", 3}, {"x-loud", 6}}};
    if (const auto named = namedValue(kNames, text))
        return named;
    const auto amount = amountOf(text);
    if (!amount)
        return std::nullopt;
    if (amount->unit == "db")
        return outer + amount->value;
    if (!amount->unit.empty() || amount->hasSign || amount->value > 100 || amount->value < 0)
        return std::nullopt;
    return amount->value == 0 ? kMinVolume : 20 * std::log10(amount->value / 100);
}

std::string ssmlSpelled(std::string_view words)
{
    std::string out;
    bool afterLetter = false;
    for (std::size_t i = 0; i < words.size();) {
        const char32_t c = nextCharacter(words, i);
        if (!isLetterOrDigit(c))
            continue;
        const bool isLetter = u_isalpha(static_cast<UChar32>(c)) != 0;
        // A letter alone can be a word ("a"); between hyphens it is a letter.
        if (!out.empty())
            out += afterLetter && isLetter ? '-' : ' ';
        appendCharacter(out, isLetter ? static_cast<char32_t>(u_toupper(static_cast<UChar32>(c))) : c);
        afterLetter = isLetter;
    }
    return out;
}

bool ssmlHasWord(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        if (isLetterOrDigit(nextCharacter(text, i)))
            return true;
    }
    return false;
}

} // namespace loquor::speech
