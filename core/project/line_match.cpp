#include "core/project/line_match.h"

#include <algorithm>
#include <unordered_map>

namespace loquor::project {

namespace {

using Matches = std::vector<std::optional<std::size_t>>;
using Texts = std::vector<std::string_view>;

constexpr std::size_t kMaxPairs = 1'000'000;    // of equal texts; beyond, repeats pair in order
constexpr std::size_t kMaxAlignment = 40'000;   // cells; beyond, lines pair in order
constexpr double kLeastSimilar = 0.25;

std::unordered_map<std::string_view, std::vector<std::size_t>> placesOf(const Texts& texts)
{
    std::unordered_map<std::string_view, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < texts.size(); ++i)
        places[texts[i]].push_back(i);
    return places;
}

// Longest common subsequence by the longest rising run of places (Hunt and Szymanski).
class CommonRun
{
public:
    void add(std::size_t newIndex, std::size_t oldIndex)
    {
        const auto at = std::lower_bound(
            m_tails.begin(), m_tails.end(), oldIndex,
            [this](std::size_t node, std::size_t value) { return m_nodes[node].oldIndex < value; });
        if (at != m_tails.end() && m_nodes[*at].oldIndex == oldIndex)
            return; // an earlier text has it already
        const std::size_t previous = at == m_tails.begin() ? kNone : *(at - 1);
        m_nodes.push_back({newIndex, oldIndex, previous});
        if (at == m_tails.end())
            m_tails.push_back(m_nodes.size() - 1);
        else
            *at = m_nodes.size() - 1;
    }
    void write(Matches& matches) const
    {
        for (std::size_t n = m_tails.empty() ? kNone : m_tails.back(); n != kNone;
             n = m_nodes[n].previous)
            matches[m_nodes[n].newIndex] = m_nodes[n].oldIndex;
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    struct Node
    {
        std::size_t newIndex, oldIndex, previous;
    };
    std::vector<Node> m_nodes;
    std::vector<std::size_t> m_tails; // node that ends the best run of each length
};

void matchInOrder(const Texts& before, const Texts& after, Matches& matches)
{
    const auto places = placesOf(before);
    std::size_t pairs = 0;
    for (const std::string_view text : after) {
        if (const auto found = places.find(text); found != places.end())
            pairs += found->second.size();
    }
    CommonRun run;
    std::unordered_map<std::string_view, std::size_t> seen;
    for (std::size_t i = 0; i < after.size(); ++i) {
        const auto found = places.find(after[i]);
        if (found == places.end())
            continue;
        const auto& old = found->second;
        if (pairs <= kMaxPairs) {
            for (auto place = old.rbegin(); place != old.rend(); ++place)
                run.add(i, *place);
        } else if (const std::size_t k = seen[after[i]]++; k < old.size()) {
            run.add(i, old[k]);
        }
    }
    run.write(matches);
}

void matchMoved(const Texts& before, const Texts& after, std::vector<bool>& used, Matches& matches)
{
    auto places = placesOf(before);
    for (auto& [text, list] : places) {
        std::erase_if(list, [&](std::size_t i) { return used[i]; });
        std::reverse(list.begin(), list.end());
    }
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (matches[i])
            continue;
        const auto found = places.find(after[i]);
        if (found == places.end() || found->second.empty())
            continue;
        matches[i] = found->second.back();
        used[*matches[i]] = true;
        found->second.pop_back();
    }
}

// Share of the longer text that both have at their ends.
double similarity(std::string_view a, std::string_view b)
{
    const std::size_t shorter = std::min(a.size(), b.size());
    std::size_t head = 0, tail = 0;
    while (head < shorter && a[head] == b[head])
        ++head;
    while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    const double longer = static_cast<double>(std::max({a.size(), b.size(), std::size_t{1}}));
    const double share = static_cast<double>(head + tail) / longer;
    return share >= kLeastSimilar ? share : 0;
}

// Pairs two short lists in order so that the sum of similarities is greatest.
void matchSimilar(const Texts& before, const std::vector<std::size_t>& olds, const Texts& after,
                  const std::vector<std::size_t>& news, Matches& matches)
{
    if (olds.size() == 1 && news.size() == 1) { // rewritten where it stands
        matches[news[0]] = olds[0];
        return;
    }
    if (olds.size() * news.size() > kMaxAlignment) {
        for (std::size_t i = 0; i < std::min(olds.size(), news.size()); ++i) {
            if (similarity(before[olds[i]], after[news[i]]) > 0)
                matches[news[i]] = olds[i];
        }
        return;
    }
    const std::size_t width = news.size() + 1;
    std::vector<double> best((olds.size() + 1) * width, 0);
    std::vector<double> pair(olds.size() * news.size());
    for (std::size_t i = olds.size(); i-- > 0;) {
        for (std::size_t j = news.size(); j-- > 0;) {
            const double s = similarity(before[olds[i]], after[news[j]]);
            pair[i * news.size() + j] = s;
            best[i * width + j] = std::max({s + best[(i + 1) * width + j + 1],
                                            best[(i + 1) * width + j], best[i * width + j + 1]});
        }
    }
    for (std::size_t i = 0, j = 0; i < olds.size() && j < news.size();) {
        const double here = best[i * width + j];
        const double both = pair[i * news.size() + j];
        if (both > 0 && here <= both + best[(i + 1) * width + j + 1])
            matches[news[j++]] = olds[i++];
        else if (here <= best[(i + 1) * width + j])
            ++i;
        else
            ++j;
    }
}

} // namespace

std::vector<std::optional<std::size_t>> matchLines(const std::vector<std::string_view>& before,
                                                   const std::vector<std::string_view>& after)
{
    Matches matches(after.size());
    matchInOrder(before, after, matches);
    const Matches anchors = matches; // the moved ones are not in order
    std::vector<bool> used(before.size(), false);
    for (const auto& match : matches) {
        if (match)
            used[*match] = true;
    }
    matchMoved(before, after, used, matches);

    std::vector<std::size_t> olds, news;
    std::size_t nextOld = 0;
    for (std::size_t i = 0; i <= after.size(); ++i) {
        if (i < after.size() && !anchors[i]) {
            if (!matches[i])
                news.push_back(i);
            continue;
        }
        const std::size_t end = i < after.size() ? *anchors[i] : before.size();
        for (; nextOld < end; ++nextOld) {
            if (!used[nextOld])
                olds.push_back(nextOld);
        }
        matchSimilar(before, olds, after, news, matches);
        olds.clear();
        news.clear();
        nextOld = end + 1;
    }
    return matches;
}

} // namespace loquor::project
