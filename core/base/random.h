// Reproducible randomness: the same seed gives the same numbers on every machine and compiler
// (std::normal_distribution does not). No global state anywhere.
#pragma once

#include <cstdint>
#include <string_view>

namespace loquor {

// Mixes a value into a seed (SplitMix64 finaliser). Seeds derive: run seed, line id, chunk number.
std::uint64_t mixSeed(std::uint64_t seed, std::uint64_t value);
std::uint64_t mixSeed(std::uint64_t seed, std::string_view text);

// xoshiro256**; value type, one per process (blink, gaze, head ...), never shared between threads.
class Random
{
public:
    explicit Random(std::uint64_t seed);
    std::uint64_t next();
    double uniform();                      // [0, 1)
    double uniform(double lo, double hi);  // [lo, hi)
    double normal();                       // mean 0, deviation 1 (Box-Muller, no cached half)
    double normal(double mean, double deviation) { return mean + deviation * normal(); }

private:
    std::uint64_t m_state[4];
};

} // namespace loquor
