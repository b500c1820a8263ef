// How well and how fast recordings are aligned with their text:
//   bench_align [--words]
// Times by comparison with a synthetic reading against those of the acoustic model, on the recordings of the set-up; words
// that were planted in the text and their confidence; CPU seconds; memory of ten minutes against one. Prints JSON.
// --words: each word with its times and confidences too.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "core/base/trace.h"
#include "core/platform/paths.h"
#include "core/speech/align.h"
#include "core/speech/speech_commands.h"
#include "tests/bench/bench_options.h"
#include "tests/support/readings.h"

using namespace loquor;
using namespace loquor::speech;
using test::kKennedy;
using test::kTwoCities;
namespace fs = std::filesystem;

namespace {

// Nothing like what stands there.
constexpr const char* kPlanted[] = {"building", "yesterday", "umbrella", "chocolate", "mountain", "telephone"};

struct Recording
{
    std::string name, text;
    AudioBlock audio;
};

std::vector<Recording> recordings()
{
    const fs::path folder = platform::dataFolder() / "media" / "test";
    std::vector<Recording> out{{"jfk", kKennedy, test::readRecording(folder / "jfk.wav")},
                               {"two_cities", kTwoCities, test::readRecording(folder / "two_cities.wav")}};
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder / "librivox", code)) {
        fs::path text = entry.path();
        if (text.extension() != ".wav")
            continue;
        std::ifstream file(text.replace_extension(".txt"));
        std::ostringstream words;
        words << file.rdbuf();
        out.push_back({entry.path().stem().string(), words.str(), test::readRecording(entry.path())});
    }
    std::sort(out.begin(), out.end(), [](const Recording& a, const Recording& b) { return a.name < b.name; });
    return out;
}

double percentile(std::vector<double> values, double p)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? -1 : values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1))];
}

// Every eighth word of five letters or more is another one.
std::string planted(const std::string& text, std::vector<std::pair<std::size_t, std::size_t>>& places)
{
    std::string out;
    std::size_t number = 0, used = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0)
            ++end;
        if (end == at) {
            out += text[at++];
            continue;
        }
        const std::size_t begin = out.size();
        const bool isDue = ++number % 8 == 0 || (number % 8 < 4 && number > 8 && used < number / 8);
        if (isDue && end - at >= 5) {
            out += kPlanted[used++ % std::size(kPlanted)];
            places.emplace_back(begin, out.size());
        } else {
            out += text.substr(at, end - at);
        }
        at = end;
    }
    return out;
}

struct Sums
{
    std::vector<double> errors, right, wrong; // seconds; confidences
    int lost = 0;
};

Result<Timing> aligned(Aligner& aligner, const Recording& recording, const std::string& text, AlignMethod method, double& cpu)
{
    AlignOptions options;
    options.method = method;
    options.language = "en-us";
    const double before = threadCpuSeconds();
    LQ_TRY(Alignment alignment, aligner.align(recording.audio, text, options));
    cpu = threadCpuSeconds() - before;
    return std::move(alignment.timing);
}

void addConfidences(const Timing& timing, const std::vector<std::pair<std::size_t, std::size_t>>& places, Sums& sums)
{
    for (const Word& word : timing.words) {
        const bool isPlanted = std::any_of(places.begin(), places.end(), [&word](const auto& place) {
            return static_cast<std::size_t>(word.textBegin) == place.first;
        });
        (isPlanted ? sums.wrong : sums.right).push_back(static_cast<double>(word.confidence));
    }
}

void printConfidences(const char* name, const Sums& sums)
{
    constexpr double kBorder = 0.45;
    const auto below = [](const std::vector<double>& values) {
        return values.empty() ? 0 : static_cast<double>(std::count_if(values.begin(), values.end(), [](double v) { return v < kBorder; })) / static_cast<double>(values.size());
    };
    std::printf("  \"%s\": {\"right\": %zu, \"right_below\": %.3f, \"right_median\": %.2f, \"wrong\": %zu, \"wrong_below\": %.3f, "
                "\"wrong_median\": %.2f},\n",
                name, sums.right.size(), below(sums.right), percentile(sums.right, .5), sums.wrong.size(), below(sums.wrong),
                percentile(sums.wrong, .5));
}

Result<void> benchWords(Aligner& aligner, bool listWords)
{
    Sums all, acoustic, reference;
    std::printf("  \"recordings\": [\n");
    const auto list = recordings();
    for (const Recording& recording : list) {
        double cpuModel = 0, cpuReading = 0, ignored = 0;
        LQ_TRY(const Timing exact, aligned(aligner, recording, recording.text, AlignMethod::Acoustic, cpuModel));
        LQ_TRY(const Timing warped, aligned(aligner, recording, recording.text, AlignMethod::Reference, cpuReading));
        std::map<std::int32_t, const Word*> starts;
        for (const Word& word : exact.words)
            starts[word.textBegin] = &word;
        std::vector<double> errors;
        for (const Word& word : warped.words) {
            if (const auto found = starts.find(word.textBegin); found != starts.end()) {
                errors.push_back(std::abs(word.start - found->second->start));
                if (listWords)
                    std::fprintf(stderr, "%-14s %7.2f %+6.3f  %.2f %.2f\n", word.text.c_str(), word.start, word.start - found->second->start,
                                 static_cast<double>(word.confidence), static_cast<double>(found->second->confidence));
            }
        }
        all.errors.insert(all.errors.end(), errors.begin(), errors.end());
        addConfidences(exact, {}, acoustic);
        addConfidences(warped, {}, reference);
        std::vector<std::pair<std::size_t, std::size_t>> places;
        const std::string wrong = planted(recording.text, places);
        for (const AlignMethod method : {AlignMethod::Acoustic, AlignMethod::Reference}) {
            Sums& sums = method == AlignMethod::Acoustic ? acoustic : reference;
            if (auto timing = aligned(aligner, recording, wrong, method, ignored)) {
                addConfidences(*timing, places, sums);
                if (listWords && method == AlignMethod::Reference)
                    for (const Word& word : timing->words)
                        for (const auto& place : places)
                            if (static_cast<std::size_t>(word.textBegin) == place.first)
                                std::fprintf(stderr, "planted %-14s %7.2f  %.2f\n", word.text.c_str(), word.start, static_cast<double>(word.confidence));
            } else {
                ++sums.lost;
            }
        }
        std::printf("    {\"name\": \"%s\", \"seconds\": %.2f, \"words\": %zu, \"median_ms\": %.0f, \"p90_ms\": %.0f, \"max_ms\": %.0f, "
                    "\"model_cpu_s\": %.2f, \"reading_cpu_s\": %.2f}%s\n",
                    recording.name.c_str(), recording.audio.seconds(), errors.size(), 1000 * percentile(errors, .5),
                    1000 * percentile(errors, .9), 1000 * percentile(errors, 1), cpuModel, cpuReading,
                    &recording == &list.back() ? "" : ",");
    }
    std::printf("  ],\n  \"all\": {\"words\": %zu, \"median_ms\": %.0f, \"p90_ms\": %.0f, \"max_ms\": %.0f},\n", all.errors.size(),
                1000 * percentile(all.errors, .5), 1000 * percentile(all.errors, .9), 1000 * percentile(all.errors, 1));
    printConfidences("model_confidence", acoustic);
    printConfidences("reading_confidence", reference);
    return {};
}

double peakMb()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:"))
            return std::stod(line.substr(6)) / 1024;
    }
    return 0;
}

// Peak memory of a process that aligns so many seconds of repeated speech, read bit by bit; and its words.
double memoryFor(double seconds, std::size_t& words)
{
    int ends[2];
    if (::pipe(ends) != 0)
        return -1;
    const pid_t child = ::fork();
    if (child == 0) {
        struct
        {
            double mb = -1;
            std::size_t words = 0;
        } told;
        Aligner aligner(acousticModelFolder(platform::dataFolder()), std::make_shared<PhonemeClient>());
        const AudioBlock audio = test::readRecording(platform::dataFolder() / "media" / "test" / "jfk.wav");
        const int times = static_cast<int>(seconds / audio.seconds());
        std::string text;
        for (int i = 0; i < times; ++i)
            text += std::string(i ? "\n\n" : "") + kKennedy;
        AlignOptions options;
        options.language = "en";
        if (auto stream = aligner.stream(text, options); stream && *stream) {
            std::size_t fed = 0;
            const std::size_t all = audio.samples.size() * static_cast<std::size_t>(times);
            while (!(*stream)->isOver()) {
                for (; (*stream)->wantsSound() && fed < all; fed += 8000) {
                    std::vector<float> piece;
                    for (std::size_t k = fed; k < std::min(all, fed + 8000); ++k)
                        piece.push_back(audio.samples[k % audio.samples.size()]);
                    (*stream)->add(piece);
                }
                const auto stretch = (*stream)->next(fed >= all, {});
                if (!stretch)
                    break;
                told.words += stretch->timing.words.size();
            }
            told.mb = peakMb();
        }
        const auto written = ::write(ends[1], &told, sizeof told);
        ::_exit(written == sizeof told ? 0 : 1);
    }
    struct
    {
        double mb = -1;
        std::size_t words = 0;
    } told;
    ::close(ends[1]);
    if (::read(ends[0], &told, sizeof told) != sizeof told)
        told.mb = -1;
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    words = told.words;
    return told.mb;
}

void benchMemory()
{
    std::size_t words = 0, wordsLong = 0;
    const double one = memoryFor(66, words), ten = memoryFor(605, wordsLong);
    std::printf("  \"memory\": {\"minute_mb\": %.1f, \"ten_minutes_mb\": %.1f, \"more\": %.3f, \"words\": %zu, \"of\": %d}\n", one, ten,
                ten / one - 1, wordsLong, 55 * 22);
}

} // namespace

int main(int argc, char** argv)
{
    bool listWords = false;
    CLI::App app("How well and how fast recordings are aligned with their text");
    app.add_flag("--words", listWords, "Each word with its times and confidences too, on stderr");
    if (const auto ended = bench::parse(app, argc, argv))
        return *ended;
    Aligner aligner(acousticModelFolder(platform::dataFolder()), std::make_shared<PhonemeClient>());
    std::printf("{\n");
    if (const auto done = benchWords(aligner, listWords); !done) {
        std::fprintf(stderr, "%s\n", done.error().text().c_str());
        return 1;
    }
    benchMemory();
    std::printf("}\n");
    return 0;
}
