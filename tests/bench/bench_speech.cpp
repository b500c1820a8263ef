// What speech costs, in CPU seconds of one thread (steady on a busy machine) and wall seconds:
//   bench_speech [--recording FILE.wav --text TEXT]
// Loads the default voice, says the first clause and a longer text, alone and beside a render; compares its times with
// forced alignment of its own sound over 200 words; says a text with espeak-ng; counts the word errors of the transcript
// of media/test/jfk.wav, if that and the pack are installed. With a recording (16 bit PCM WAV) also aligns it by both
// methods. Prints JSON.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "core/base/trace.h"
#include "core/platform/child_process.h"
#include "core/platform/paths.h"
#include "core/speech/line_speaker.h"
#include "core/speech/loudness.h"
#include "core/speech/speech_commands.h"
#include "core/speech/transcribe.h"
#include "tests/support/readings.h"

using namespace loquor;
using namespace loquor::speech;

namespace {

constexpr const char* kText =
    "The birch canoe slid on the smooth planks, and glue the sheet to the dark blue background. It is easy to tell the "
    "depth of a well. These days a chicken leg is a rare dish, but rice is often served in round bowls. The juice of "
    "lemons makes fine punch. The box was thrown beside the parked truck.";

// 30 sentences, more than 200 words (Harvard sentences, lists 1 to 3).
constexpr const char* kSentences[] = {
    "The birch canoe slid on the smooth planks.", "Glue the sheet to the dark blue background.",
    "It is easy to tell the depth of a well.", "These days a chicken leg is a rare dish.",
    "Rice is often served in round bowls.", "The juice of lemons makes fine punch.",
    "The box was thrown beside the parked truck.", "The hogs were fed chopped corn and garbage.",
    "Four hours of steady work faced us.", "A large size in stockings is hard to sell.",
    "The boy was there when the sun rose.", "A rod is used to catch pink salmon.",
    "The source of the huge river is the clear spring.", "Kick the ball straight and follow through.",
    "Help the woman get back to her feet.", "A pot of tea helps to pass the evening.",
    "Smoky fires lack flame and heat.", "The soft cushion broke the man's fall.",
    "The salt breeze came across from the sea.", "The girl at the booth sold fifty bonds.",
    "The small pup gnawed a hole in the sock.", "The fish twisted and turned on the bent hook.",
    "Press the pants and sew a button on the vest.", "The swan dive was far short of perfect.",
    "The beauty of the view stunned the young boy.", "Two blue fish swam in the tank.",
    "Her purse was full of useless trash.", "The colt reared and threw the tall rider.",
    "It snowed, rained, and hailed the same morning.", "Read verse out loud for pleasure."};

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

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

// Wall time over the length of the sound, while a render takes what else the machine has.
Result<void> benchBesideRender(const std::shared_ptr<PhonemeClient>& phonemes)
{
    const auto photo = platform::dataFolder() / "media" / "demo" / "astronaut.png";
    const auto video = std::filesystem::temp_directory_path() / ("loquor-bench-" + std::to_string(::getpid()) + ".mp4");
    platform::ChildOptions options;
    options.program = platform::programFolder() / "loquor-cli";
    std::string text;
    for (int i = 0; i < 20; ++i)
        text += std::string(kText) + ' ';
    options.arguments = {"render", "-q", "-r", photo.string(), "-t", text, "-o", video.string()};
    LQ_TRY(platform::ChildProcess render, platform::ChildProcess::start(options));
    LQ_TRY(const VoiceChoice choice, chooseVoice(listVoices(platform::dataFolder()), "", "en-us", kText));
    LQ_TRY(const auto voice, openVoice(choice.voice, phonemes));
    static_cast<void>(render.waitFor(std::chrono::seconds(8))); // until its pictures are being made
    std::vector<double> factors, cpu;
    for (const char* sentence : kSentences) {
        if (!render.isRunning())
            break;
        const Watch watch;
        LQ_TRY(const SpokenSound said, voice->synthesize({sentence, 0, true}, {}, {}));
        factors.push_back(watch.wall() / said.audio.seconds());
        cpu.push_back(watch.cpu() / said.audio.seconds());
    }
    render.kill();
    static_cast<void>(render.wait());
    std::error_code ignored;
    std::filesystem::remove(video, ignored);
    std::printf(",\n  \"beside_render\": {\"sentences\": %zu, \"rtf\": %.3f, \"rtf_cpu\": %.3f}", factors.size(), median(factors), median(cpu));
    return {};
}

// The voice's own word starts against forced alignment of its sound, which is the same words.
Result<void> benchTimes(const std::shared_ptr<PhonemeClient>& phonemes)
{
    LQ_TRY(const VoiceChoice choice, chooseVoice(listVoices(platform::dataFolder()), "", "en-us", kText));
    LQ_TRY(const auto voice, openVoice(choice.voice, phonemes));
    Aligner aligner(acousticModelFolder(platform::dataFolder()), phonemes);
    AlignOptions options;
    options.language = "en-us";
    options.method = AlignMethod::Acoustic;
    std::vector<double> errors;
    double sum = 0;
    bool exact = true;
    for (const char* sentence : kSentences) {
        LQ_TRY(const SpokenSound said, voice->synthesize({sentence, 0, true}, {}, {}));
        exact = exact && said.timing.durationSeconds == said.audio.seconds() && said.timing.phonemes.back().end == said.audio.seconds();
        LQ_TRY(const Alignment alignment, aligner.align(said.audio, sentence, options));
        for (const Word& word : said.timing.words) {
            for (const Word& other : alignment.timing.words) {
                if (other.textBegin == word.textBegin) {
                    errors.push_back(1000 * std::abs(word.start - other.start));
                    sum += word.start - other.start;
                }
            }
        }
    }
    std::sort(errors.begin(), errors.end());
    double total = 0;
    for (const double e : errors)
        total += e;
    const auto n = static_cast<double>(errors.size());
    std::printf(",\n  \"word_starts\": {\"words\": %zu, \"mean_ms\": %.1f, \"median_ms\": %.1f, \"p95_ms\": %.1f, \"max_ms\": %.1f, "
                "\"bias_ms\": %.1f, \"durations_are_samples\": %s}",
                errors.size(), total / n, errors[errors.size() / 2], errors[errors.size() * 95 / 100], errors.back(), 1000 * sum / n,
                exact ? "true" : "false");
    return {};
}

Result<void> benchEspeak(const std::shared_ptr<PhonemeClient>& phonemes)
{
    LQ_TRY(const VoiceChoice choice, chooseVoice(listVoices(platform::dataFolder()), "espeak-en-us", "en-us", kText));
    LQ_TRY(const auto voice, openVoice(choice.voice, phonemes));
    std::vector<double> factors;
    for (int i = 0; i < 5; ++i) {
        const Watch watch;
        LQ_TRY(const SpokenSound said, voice->synthesize({kText, 0, true}, {}, {}));
        factors.push_back(watch.wall() / said.audio.seconds());
    }
    std::printf(",\n  \"espeak_rtf\": %.4f", median(factors));
    return {};
}

// Words of the transcript that are not what President Kennedy said, by edit distance.
Result<void> benchTranscript()
{
    const auto file = platform::dataFolder() / "media" / "test" / "jfk.wav";
    const AudioBlock audio = test::readRecording(file.c_str());
    if (audio.frames() == 0 || !isInstalled(*speechPack("whisper-tiny-en"), platform::dataFolder())) {
        std::printf(",\n  \"transcript\": null");
        return {};
    }
    const auto wordsOf = [](const std::string& text) {
        std::vector<std::string> words(1);
        for (const char c : text) {
            if (std::isalpha(static_cast<unsigned char>(c)))
                words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            else if (!words.back().empty())
                words.emplace_back();
        }
        if (words.back().empty())
            words.pop_back();
        return words;
    };
    TranscribeOptions options;
    options.pack = "whisper-tiny-en";
    const Watch watch;
    LQ_TRY(const Transcript heard, transcribe(audio, options, platform::dataFolder()));
    const double seconds = watch.wall();
    const auto said = wordsOf("And so my fellow Americans ask not what your country can do for you ask what you can do for your country");
    const auto words = wordsOf(heard.text());
    std::vector<std::size_t> row(words.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t(0));
    for (std::size_t i = 1; i <= said.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t k = 1; k <= words.size(); ++k) {
            const std::size_t changed = diagonal + (said[i - 1] == words[k - 1] ? 0 : 1);
            diagonal = row[k];
            row[k] = std::min({row[k] + 1, row[k - 1] + 1, changed});
        }
    }
    std::printf(",\n  \"transcript\": {\"words\": %zu, \"errors\": %zu, \"wall_s\": %.2f, \"length_s\": %.2f}", said.size(), row.back(), seconds,
                audio.seconds());
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
    for (int i = 1; i < argc; i += 2) {
        const std::string_view option = argv[i];
        if (i + 1 < argc && option == "--recording") {
            recording = test::readRecording(argv[i + 1]);
        } else if (i + 1 < argc && option == "--text") {
            text = argv[i + 1];
        } else {
            std::fprintf(stderr, "Usage: bench_speech [--recording FILE.wav --text TEXT]\n");
            return 2;
        }
    }
    const auto phonemes = std::make_shared<PhonemeClient>();
    std::printf("{\n");
    Result<void> done = benchVoice(phonemes);
    if (done)
        done = benchTimes(phonemes);
    if (done)
        done = benchEspeak(phonemes);
    if (done)
        done = benchTranscript();
    if (done)
        done = benchBesideRender(phonemes);
    if (done && recording.frames() > 0)
        done = benchAlign(phonemes, recording, text);
    std::printf("\n}\n");
    if (!done)
        std::fprintf(stderr, "%s\n", done.error().text().c_str());
    return done ? 0 : 1;
}
