// Plain values to bytes and back, for boundary data and spilled results. The bytes stay on the machine
// that made them or go into files of ours: little endian, as every machine we run on.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace loquor::pipeline {

static_assert(std::endian::native == std::endian::little, "values are stored as they lie in memory");

class ByteWriter
{
public:
    template<class T>
    void put(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        append(&value, sizeof value);
    }
    // The number of elements in front.
    template<class T>
    void putAll(std::span<const T> values)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        put(static_cast<std::uint64_t>(values.size()));
        append(values.data(), values.size_bytes());
    }
    template<class T>
    void putAll(const std::vector<T>& values)
    {
        putAll(std::span<const T>(values));
    }
    void putText(std::string_view text) { putAll(std::span<const char>(text)); }
    std::vector<std::uint8_t> take() { return std::move(m_bytes); }

private:
    void append(const void* data, std::size_t bytes)
    {
        if (bytes == 0)
            return;
        const std::size_t at = m_bytes.size();
        m_bytes.resize(at + bytes);
        std::memcpy(m_bytes.data() + at, data, bytes);
    }

    std::vector<std::uint8_t> m_bytes;
};

// Reads what a ByteWriter wrote. Behind the end, values are zero and empty and isOk() is false.
class ByteReader
{
public:
    explicit ByteReader(std::span<const std::uint8_t> bytes) : m_bytes(bytes) {}

    template<class T>
    T get()
    {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        if (fits(sizeof value))
            copyTo(&value, sizeof value);
        return value;
    }
    template<class T>
    std::vector<T> getAll()
    {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto count = get<std::uint64_t>();
        if (count > m_bytes.size() / sizeof(T)) // more than there can be
            m_ok = false;
        std::vector<T> values;
        if (m_ok) {
            values.resize(static_cast<std::size_t>(count));
            copyTo(values.data(), values.size() * sizeof(T));
        }
        return values;
    }
    std::string getText()
    {
        const std::vector<char> text = getAll<char>();
        return {text.begin(), text.end()};
    }
    bool isOk() const { return m_ok; }
    bool isAtEnd() const { return m_bytes.empty(); }

private:
    bool fits(std::size_t bytes) { return m_ok = m_ok && bytes <= m_bytes.size(); }
    void copyTo(void* target, std::size_t bytes)
    {
        if (bytes > 0)
            std::memcpy(target, m_bytes.data(), bytes);
        m_bytes = m_bytes.subspan(bytes);
    }

    std::span<const std::uint8_t> m_bytes;
    bool m_ok = true;
};

} // namespace loquor::pipeline
