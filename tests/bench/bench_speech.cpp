// What speech costs, in CPU seconds of one thread (steady on a busy machine) and wall seconds:
//   bench_speech [--recording FILE.wav --text TEXT]
// Loads the default voice, says the first clause and a longer text; with a recording (16 bit PCM WAV) also
// aligns it by both methods. Prints JSON.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "core/base/trace.h"
#include "core/platform/paths.h"
#include "core/speech/line_speaker.h"
#include "core/speech/loudness.h"
#include "core/speech/speech_commands.h"

using namespace loquor;
using namespace loquor::speech;

namespace {

constexpr const char* kText =
    "The birch canoe slid on the smooth planks, and glue the sheet to the dark blue background. It is easy to tell the "
    "depth of a well. These days a chicken leg is a rare dish, but rice is often served in round bowls. The juice of "
    "lemons makes fine punch. The box was thrown beside the parked truck.";

// Wall and CPU seconds of this thread since construction.
class Watch
{
public:
    double wall() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_wall).count(); }
    double cpu() const { return threadCpuSeconds() - m_cpu; }

private:
    std::chrono::steady_clock::time_point m_wall = std::chrono::steady_clock::now();
    double m_cpu = threadCpuSeconds();
};

AudioBlock readWav(const char* name)
{
    std::ifstream file(name, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    AudioBlock out;
    const auto at = bytes.find("data", 12);
    if (bytes.size() < 44 || at == std::string::npos)
        return out;
    std::uint16_t channels = 0;
    std::uint32_t rate = 0;
    std::memcpy(&channels, bytes.data() + 22, 2);
    std::memcpy(&rate, bytes.data() + 24, 4);
    out.channels = channels;
    out.sampleRate = static_cast<int>(rate);
    for (std::size_t i = at + 8; i + 1 < bytes.size(); i += 2) {
        std::int16_t s = 0;
        std::memcpy(&s, bytes.data() + i, 2);
        out.samples.push_back(static_cast<float>(s) / 32768.0f);
    }
    return out;
}

Result<void> benchVoice(const std::shared_ptr<PhonemeClient>& phonemes)
{
    LQ_TRY(const VoiceChoice choice, chooseVoice(listVoices(platform::dataFolder()), "", "en-us", kText));
    const Watch load;
    LQ_TRY(const auto voice, openVoice(choice.voice, phonemes));
    std::printf("  \"voice\": \"%s\",\n  \"load_s\": %.3f, \"load_cpu_s\": %.3f,\n", choice.voice.id.c_str(), load.wall(), load.cpu());
    LQ_TRY(const Script script, parseScript(kText, "en-us"));
    std::vector<double> wall, cpu;
    double seconds = 0;
    for (int i = 0; i < 5; ++i) {
        const Watch first;
        LineSpeaker speaker(*voice, script.lines[0]);
        LQ_TRY(const auto clause, speaker.next({}));
        wall.push_back(first.wall());
        cpu.push_back(first.cpu());
        seconds = clause->sound.audio.seconds();
    }
    std::sort(wall.begin(), wall.end());
    std::sort(cpu.begin(), cpu.end());
    std::printf("  \"first_clause_s\": %.3f, \"first_clause_cpu_s\": %.3f, \"first_clause_length_s\": %.2f,\n", wall[2], cpu[2], seconds);
    AudioBlock all{choice.voice.sampleRate, 1, {}};
    const Watch text;
    for (const ScriptLine& line : script.lines) {
        LineSpeaker speaker(*voice, line);
        for (;;) {
            LQ_TRY(const auto clause, speaker.next({}));
            if (!clause)
                break;
            all.samples.insert(all.samples.end(), clause->sound.audio.samples.begin(), clause->sound.audio.samples.end());
        }
    }
    const auto loudness = measureLoudness(all);
    std::printf("  \"said_s\": %.2f, \"rtf\": %.3f, \"rtf_cpu\": %.3f, \"lufs\": %.1f, \"true_peak_db\": %.1f",
                all.seconds(), text.wall() / all.seconds(), text.cpu() / all.seconds(), loudness ? loudness->lufs : 0.0,
                loudness ? loudness->truePeakDb : 0.0);
    return {};
}

Result<void> benchAlign(const std::shared_ptr<PhonemeClient>& phonemes, const AudioBlock& audio, const std::string& text)
{
    Aligner aligner(acousticModelFolder(platform::dataFolder()), phonemes);
    std::map<std::int32_t, double> starts;
    for (const auto method : {AlignMethod::Acoustic, AlignMethod::Reference}) {
        const bool acoustic = method == AlignMethod::Acoustic;
        AlignOptions options;
        options.language = "en-us";
        options.method = method;
        const Watch watch;
        LQ_TRY(const Alignment alignment, aligner.align(audio, text, options));
        std::printf(",\n  \"%s\": {\"wall_s\": %.2f, \"cpu_s\": %.2f, \"words\": %zu", acoustic ? "acoustic" : "reference",
                    watch.wall(), watch.cpu(), alignment.timing.words.size());
        std::vector<double> errors;
        for (const Word& w : alignment.timing.words) {
            if (acoustic)
                starts[w.textBegin] = w.start;
            else if (starts.contains(w.textBegin))
                errors.push_back(1000 * std::abs(w.start - starts[w.textBegin]));
        }
        if (!errors.empty()) {
            std::sort(errors.begin(), errors.end());
            std::printf(", \"median_ms\": %.0f, \"p90_ms\": %.0f, \"max_ms\": %.0f", errors[errors.size() / 2],
                        errors[errors.size() * 9 / 10], errors.back());
        }
        std::printf("}");
    }
    return {};
}

} // namespace

int main(int argc, char** argv)
{
    AudioBlock recording;
    std::string text;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--recording") == 0)
            recording = readWav(argv[i + 1]);
        else if (std::strcmp(argv[i], "--text") == 0)
            text = argv[i + 1];
    }
    const auto phonemes = std::make_shared<PhonemeClient>();
    std::printf("{\n");
    Result<void> done = benchVoice(phonemes);
    if (done && recording.frames() > 0)
        done = benchAlign(phonemes, recording, text);
    std::printf("\n}\n");
    if (!done)
        std::fprintf(stderr, "%s\n", done.error().text().c_str());
    return done ? 0 : 1;
}
