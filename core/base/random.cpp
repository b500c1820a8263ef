#include "core/base/random.h"

#include <cmath>
#include <numbers>

namespace loquor {

namespace {

std::uint64_t splitMix(std::uint64_t& state)
{
    std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

std::uint64_t rotateLeft(std::uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

} // namespace

std::uint64_t mixSeed(std::uint64_t seed, std::uint64_t value)
{
    std::uint64_t state = seed ^ (value * 0xD6E8FEB86659FD93ULL);
    return splitMix(state);
}

std::uint64_t mixSeed(std::uint64_t seed, std::string_view text)
{
    std::uint64_t hash = 0xCBF29CE484222325ULL; // FNV-1a
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return mixSeed(seed, hash);
}

Random::Random(std::uint64_t seed)
{
    for (auto& word : m_state)
        word = splitMix(seed);
}

std::uint64_t Random::next()
{
    const std::uint64_t result = rotateLeft(m_state[1] * 5, 7) * 9;
    const std::uint64_t t = m_state[1] << 17;
    m_state[2] ^= m_state[0];
    m_state[3] ^= m_state[1];
    m_state[1] ^= m_state[2];
    m_state[0] ^= m_state[3];
    m_state[2] ^= t;
    m_state[3] = rotateLeft(m_state[3], 45);
    return result;
}

double Random::uniform()
{
    return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::uniform(double lo, double hi)
{
    return lo + (hi - lo) * uniform();
}

double Random::normal()
{
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

} // namespace loquor
