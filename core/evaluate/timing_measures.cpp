// Lips against known phoneme times and against the opening the renderer wanted.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/evaluate/coupling.h"
#include "core/evaluate/measuring.h"

namespace loquor::evaluate {

namespace {

bool isBilabial(const std::string& symbol)
{
    return symbol == "p" || symbol == "b" || symbol == "m" || symbol == "pʰ" || symbol == "bʰ" || symbol == "mː" ||
           symbol == "pː" || symbol == "bː";
}

// Smallest opening within 60 ms around [begin, end]; nothing where the face was not tracked.
std::optional<double> smallestOpening(const Measuring& m, double begin, double end)
{
    std::optional<double> smallest;
    for (std::size_t i = 0; i < m.frames(); ++i)
        if (m.valid[i] && m.times[i] >= begin - 0.06 && m.times[i] <= end + 0.06)
            smallest = std::min(smallest.value_or(INFINITY), m.opening[i]);
    return smallest;
}

// How often a window of the same length would show closed lips anywhere in the speech.
double chanceOfClosure(const Measuring& m, double threshold)
{
    const auto& phonemes = m.clip.timing->phonemes;
    Series lengths;
    for (const speech::Phoneme& p : phonemes)
        lengths.push_back(p.end - p.start);
    const double length = median(lengths) + 0.12;
    const double begin = phonemes.front().start;
    const double end = phonemes.back().end;
    std::size_t closed = 0, windows = 0;
    for (int i = 0; i < 400; ++i) {
        const double centre = begin + (end - begin) * (i + 0.5) / 400;
        const auto smallest = smallestOpening(m, centre - length / 2 + 0.06, centre + length / 2 - 0.06);
        if (!smallest)
            continue;
        ++windows;
        closed += *smallest < threshold ? 1 : 0;
    }
    return windows ? static_cast<double>(closed) / static_cast<double>(windows) : NAN;
}

void measureClosures(Measuring& m, double threshold)
{
    const double soft = std::max(threshold, *m.get("lip_open_p5") + 0.25 * (*m.get("lip_open_p50") - *m.get("lip_open_p5")));
    std::int64_t total = 0, hit = 0, softHit = 0;
    for (const speech::Phoneme& p : m.clip.timing->phonemes) {
        if (!isBilabial(p.symbol))
            continue;
        const auto smallest = smallestOpening(m, p.start, p.end);
        if (!smallest)
            continue;
        ++total;
        hit += *smallest < threshold ? 1 : 0;
        softHit += *smallest < soft ? 1 : 0;
    }
    m.set("bilabials", total);
    if (total == 0)
        return;
    const auto part = [&](std::int64_t count) { return static_cast<double>(count) / static_cast<double>(total); };
    m.set("closure_hit", part(hit));
    m.set("closure_hit_soft", part(softHit));
    m.set("closure_chance", chanceOfClosure(m, threshold));
    if (total >= 6 && part(hit) < 0.5)
        m.flag("CLOSURES", false,
               format("only %lld/%lld p/b/m with closed lips", static_cast<long long>(hit),
                      static_cast<long long>(total)));
}

// How open the lips are on a speech sound, 0..1; consonants that leave it to their neighbours: nothing.
std::optional<double> opennessOf(const std::string& symbol)
{
    if (symbol.empty() || isBilabial(symbol))
        return 0;
    // clang-format off
    constexpr std::array<std::pair<std::string_view, double>, 24> kSounds = {
        {{"a", 1},     {"ɑ", 1},    {"æ", 0.95}, {"ɐ", 0.9},  {"ʌ", 0.75}, {"ɒ", 0.9},  {"ɔ", 0.7},  {"ɛ", 0.7},
         {"e", 0.55},  {"ɜ", 0.5},  {"ə", 0.45}, {"ɚ", 0.4},  {"ɪ", 0.4},  {"i", 0.35}, {"o", 0.5},  {"ʊ", 0.3},
         {"u", 0.22},  {"w", 0.12}, {"f", 0.1},  {"v", 0.1},  {"s", 0.2},  {"z", 0.2},  {"ʃ", 0.25}, {"ʒ", 0.25}}};
    // clang-format on
    for (const auto& [sound, openness] : kSounds)
        if (symbol.starts_with(sound))
            return openness;
    return std::nullopt;
}

void measurePhonemeGap(Measuring& m)
{
    Series times, wanted;
    for (const speech::Phoneme& p : m.clip.timing->phonemes)
        if (const auto openness = opennessOf(p.symbol)) {
            times.push_back((p.start + p.end) / 2);
            wanted.push_back(*openness);
        }
    if (times.size() < 8)
        return;
    const auto lag = findLag(interpolate(m.fineTimes, times, wanted), m.toFineRate(m.opening), 100, m.fineValid);
    if (!lag)
        return;
    m.set("phoneme_gap_r", lag->r);
    m.set("phoneme_gap_lag_ms", lag->milliseconds);
}

// Tracked opening against the wanted one: correlation, and the line tracked = offset + slope * wanted.
void measureWantedGap(Measuring& m)
{
    const WantedGap& gap = *m.clip.wantedGap;
    if (gap.values.size() < 8 || !(gap.rate > 0))
        return;
    Series at;
    for (std::size_t i = 0; i < gap.values.size(); ++i)
        at.push_back(static_cast<double>(i) / gap.rate);
    const Series wanted = select(interpolate(m.times, at, gap.values), m.valid);
    const Series tracked = select(m.opening, m.valid);
    const double k = slope(wanted, tracked);
    m.set("gap_r", correlation(wanted, tracked));
    m.set("gap_slope", k);
    m.set("gap_offset", mean(tracked) - k * mean(wanted));
}

} // namespace

void measureTiming(Measuring& m)
{
    if (m.clip.wantedGap)
        measureWantedGap(m);
    if (!m.clip.timing || m.clip.timing->phonemes.empty())
        return;
    if (const auto threshold = m.get("closure_thr"))
        measureClosures(m, *threshold);
    measurePhonemeGap(m);
}

} // namespace loquor::evaluate
