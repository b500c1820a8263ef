#include "tests/core/media/interleaving.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

#include "tests/core/media/media_fixtures.h"

namespace loquor::test {

double worstInterleaving(const std::filesystem::path& file)
{
    const std::string text = runTool("ffprobe", {"-show_entries", "packet=stream_index,dts_time,pos", "-of",
                                                 "csv=p=0", "file:" + file.string()});
    std::map<long long, std::pair<int, double>> packets; // by place in the file
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        int stream = 0;
        double time = 0;
        long long place = 0;
        if (std::sscanf(line.c_str(), "%d,%lf,%lld", &stream, &time, &place) == 3)
            packets[place] = {stream, time};
    }
    std::map<int, double> latest;
    double worst = 0;
    for (const auto& [place, packet] : packets) {
        latest[packet.first] = packet.second;
        if (latest.size() == 2)
            worst = std::max(worst, std::abs(latest.begin()->second - latest.rbegin()->second));
    }
    return latest.size() == 2 ? worst : 1e9;
}

} // namespace loquor::test
