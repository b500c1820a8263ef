// nlohmann/json with one rule more: whoever asks for an integer gets exactly what the text says. The library
// converts any number to any other, which loses digits and for large ones is undefined; here that is a type_error.
#pragma once

#include <cmath>
#include <exception>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

namespace loquor::detail {

// True when a whole number of that value fits into T.
template<class T>
bool holds(double value)
{
    // The limits as powers of two: the largest 64-bit numbers are no doubles.
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double begin = std::is_signed_v<T> ? -end : 0;
    return value >= begin && value < end && value == std::trunc(value);
}

template<class T, class Json>
T exactInteger(const Json& j)
{
    if (const auto* natural = j.template get_ptr<const typename Json::number_unsigned_t*>()) {
        if (std::in_range<T>(*natural))
            return static_cast<T>(*natural);
    } else if (const auto* whole = j.template get_ptr<const typename Json::number_integer_t*>()) {
        if (std::in_range<T>(*whole))
            return static_cast<T>(*whole);
    } else if (const auto* real = j.template get_ptr<const typename Json::number_float_t*>()) {
        if (holds<T>(*real))
            return static_cast<T>(*real);
    }
    const std::string what = j.is_number() ? j.dump() : j.type_name();
    throw Json::type_error::create(302, "a whole number in range is expected, not " + what, &j);
}

} // namespace loquor::detail

namespace loquor {

// What is wrong with a JSON text, for users: where the text ends to make sense, without the library's own
// words and without a byte of the text itself (it may be no text at all).
inline std::string jsonProblem(const std::exception& error)
{
    std::string what = error.what();
    if (what.starts_with("[json.exception.")) {
        const auto end = what.find("] ");
        what.erase(0, end == std::string::npos ? 0 : end + 2);
    }
    if (what.starts_with("parse error at "))
        return "it makes no sense " + what.substr(sizeof("parse error ") - 1, what.find(':') - (sizeof("parse error ") - 1));
    for (const char c : what) {
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e)
            return "a value of it cannot be read";
    }
    return what;
}

} // namespace loquor

template<class T>
struct nlohmann::adl_serializer<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
{
    template<class Json>
    static void from_json(const Json& j, T& value)
    {
        value = loquor::detail::exactInteger<T>(j);
    }
    template<class Json>
    static void to_json(Json& j, T value)
    {
        nlohmann::to_json(j, value);
    }
};
