#include "core/base/time.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "core/base/check.h"

namespace loquor {

namespace {

__extension__ using Wide = __int128;

std::int64_t floorDiv(Wide a, Wide b)
{
    Wide q = a / b;
    if (a % b != 0 && (a < 0) != (b < 0))
        --q;
    return static_cast<std::int64_t>(q);
}

std::optional<std::int64_t> parseInt(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

} // namespace

Rational Rational::make(std::int64_t num, std::int64_t den)
{
    LOQUOR_CHECK(den > 0);
    const std::int64_t g = std::gcd(num, den);
    return g > 1 ? Rational{num / g, den / g} : Rational{num, den};
}

std::string Rational::toString() const
{
    return den == 1 ? std::to_string(num) : std::to_string(num) + '/' + std::to_string(den);
}

std::optional<Rational> Rational::parse(std::string_view text)
{
    if (const auto slash = text.find('/'); slash != std::string_view::npos) {
        const auto num = parseInt(text.substr(0, slash));
        const auto den = parseInt(text.substr(slash + 1));
        if (!num || !den || *den <= 0 || *num < 0)
            return std::nullopt;
        return make(*num, *den);
    }
    // Broadcast rates are written with two or three digits but mean n * 1000 / 1001.
    if (text == "29.97")
        return make(30000, 1001);
    if (text == "23.976" || text == "23.98")
        return make(24000, 1001);
    if (text == "59.94")
        return make(60000, 1001);
    if (text == "119.88")
        return make(120000, 1001);
    const auto dot = text.find('.');
    if (dot == std::string_view::npos) {
        const auto num = parseInt(text);
        if (!num || *num < 0)
            return std::nullopt;
        return make(*num, 1);
    }
    const auto whole = parseInt(text.substr(0, dot));
    const std::string_view digits = text.substr(dot + 1);
    const auto fraction = parseInt(digits);
    if (!whole || !fraction || *whole < 0 || *fraction < 0 || digits.size() > 6 || digits[0] == '+')
        return std::nullopt;
    std::int64_t scale = 1;
    for (size_t i = 0; i < digits.size(); ++i)
        scale *= 10;
    if (*whole > 1'000'000)
        return std::nullopt;
    return make(*whole * scale + *fraction, scale);
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b)
{
    const Wide left = static_cast<Wide>(a.num) * b.den;
    const Wide right = static_cast<Wide>(b.num) * a.den;
    if (left < right)
        return std::strong_ordering::less;
    return left > right ? std::strong_ordering::greater : std::strong_ordering::equal;
}

std::int64_t mulDivFloor(std::int64_t a, std::int64_t b, std::int64_t c)
{
    LOQUOR_CHECK(c > 0);
    return floorDiv(static_cast<Wide>(a) * b, c);
}

std::int64_t mulDivCeil(std::int64_t a, std::int64_t b, std::int64_t c)
{
    LOQUOR_CHECK(c > 0);
    return -floorDiv(-(static_cast<Wide>(a) * b), c);
}

std::int64_t mulDivRound(std::int64_t a, std::int64_t b, std::int64_t c)
{
    LOQUOR_CHECK(c > 0);
    return floorDiv(static_cast<Wide>(a) * b * 2 + c, static_cast<Wide>(c) * 2);
}

FrameIndex framesCovering(SampleIndex samples, int sampleRate, Rational fps)
{
    LOQUOR_CHECK(sampleRate > 0);
    return mulDivCeil(samples, fps.num, static_cast<std::int64_t>(sampleRate) * fps.den);
}

SampleIndex firstSampleOf(FrameIndex frame, int sampleRate, Rational fps)
{
    return mulDivCeil(frame, static_cast<std::int64_t>(sampleRate) * fps.den, fps.num);
}

FrameIndex frameOf(SampleIndex sample, int sampleRate, Rational fps)
{
    return mulDivFloor(sample, fps.num, static_cast<std::int64_t>(sampleRate) * fps.den);
}

double secondsOf(FrameIndex frame, Rational fps)
{
    return static_cast<double>(frame) * static_cast<double>(fps.den) / static_cast<double>(fps.num);
}

std::optional<std::chrono::microseconds> clockTimeFrom(std::string_view text)
{
    constexpr std::size_t kMostDigits = 9;
    const auto isNumber = [](std::string_view part) {
        return !part.empty() && part.size() <= kMostDigits && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    std::int64_t fraction = 0; // microseconds
    if (const auto dot = text.find('.'); dot != std::string_view::npos) {
        const std::string_view digits = text.substr(dot + 1);
        if (!isNumber(digits))
            return std::nullopt;
        std::string six(digits.substr(0, 6));
        six.resize(6, '0');
        fraction = *parseInt(six);
        text = text.substr(0, dot);
    }
    std::vector<std::int64_t> parts;
    for (bool isMore = true; isMore;) {
        const auto colon = text.find(':');
        isMore = colon != std::string_view::npos;
        const std::string_view part = text.substr(0, colon);
        if (!isNumber(part) || parts.size() == 3)
            return std::nullopt;
        parts.push_back(*parseInt(part));
        if (parts.size() > 1 && parts.back() >= 60)
            return std::nullopt;
        text = isMore ? text.substr(colon + 1) : std::string_view();
    }
    std::int64_t seconds = 0;
    for (const std::int64_t part : parts)
        seconds = 60 * seconds + part;
    return std::chrono::microseconds(seconds * 1'000'000 + fraction);
}

std::string clockText(std::chrono::microseconds time)
{
    const long long all = time.count() / 1000;
    const long long milliseconds = all % 1000, seconds = all / 1000;
    char text[48];
    if (seconds < 60)
        std::snprintf(text, sizeof text, "%lld.%03lld s", seconds, milliseconds);
    else if (seconds < 3600)
        std::snprintf(text, sizeof text, "%lld:%02lld.%03lld", seconds / 60, seconds % 60, milliseconds);
    else
        std::snprintf(text, sizeof text, "%lld:%02lld:%02lld.%03lld", seconds / 3600, seconds / 60 % 60, seconds % 60, milliseconds);
    return text;
}

} // namespace loquor
