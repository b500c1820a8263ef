// loquor-transcribe: sound on stdin -> text on stdout. Protocol: README.md in this folder.
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <whisper.h>

namespace {

constexpr std::size_t kRate = 16000;
constexpr std::size_t kMostSamples = 30 * kRate;
constexpr std::size_t kLeastSamples = kRate + kRate / 10; // whisper.cpp refuses what is shorter than a second

struct FreeContext
{
    void operator()(whisper_context* context) const { whisper_free(context); }
};
using Context = std::unique_ptr<whisper_context, FreeContext>;

std::string quoted(const char* text)
{
    std::string out = "\"";
    for (; *text; ++text) {
        const auto c = static_cast<unsigned char>(*text);
        char code[8];
        if (c == '"' || c == '\\') {
            out += '\\';
            out += *text;
        } else if (c < 0x20) {
            std::snprintf(code, sizeof code, "\\u%04x", c);
            out += code;
        } else {
            out += *text;
        }
    }
    return out += '"';
}

std::string refusal(const char* why)
{
    return "{\"ok\": false, \"error\": " + quoted(why) + "}";
}

std::string load(Context& context, const std::string& path)
{
    whisper_context_params params = whisper_context_default_params();
    params.use_gpu = false;
    context.reset(whisper_init_from_file_with_params(path.c_str(), params));
    if (!context)
        return refusal("the model cannot be loaded");
    return std::string("{\"ok\": true, \"multilingual\": ") + (whisper_is_multilingual(context.get()) ? "true}" : "false}");
}

std::string hear(whisper_context* context, const std::string& language, std::vector<float>& samples, int threads)
{
    if (!context)
        return refusal("no model is loaded");
    samples.resize(std::max(samples.size(), kLeastSamples));
    const bool several = whisper_is_multilingual(context) != 0;
    if (several && language != "auto" && whisper_lang_id(language.c_str()) < 0)
        return refusal("the language is not known");
    whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
    params.n_threads = threads;
    params.language = several ? language.c_str() : "en";
    params.no_context = true; // each piece stands for itself: the same sound gives the same text
    params.suppress_nst = true; // no "(music)"
    params.print_progress = params.print_realtime = params.print_timestamps = params.print_special = false;
    if (whisper_full(context, params, samples.data(), static_cast<int>(samples.size())) != 0)
        return refusal("the sound cannot be processed");
    std::ostringstream out;
    out << "{\"ok\": true, \"language\": " << quoted(several ? whisper_lang_str(whisper_full_lang_id(context)) : "en") << ", \"segments\": [";
    for (int i = 0; i < whisper_full_n_segments(context); ++i)
        out << (i ? ", " : "") << "{\"start\": " << static_cast<double>(whisper_full_get_segment_t0(context, i)) / 100
            << ", \"end\": " << static_cast<double>(whisper_full_get_segment_t1(context, i)) / 100
            << ", \"text\": " << quoted(whisper_full_get_segment_text(context, i)) << "}";
    out << "]}";
    return out.str();
}

// Up to the end of the line; false at the end of the input.
bool readLine(std::string& line)
{
    line.clear();
    for (int c; (c = std::getchar()) != EOF;) {
        if (c == '\n')
            return true;
        line += static_cast<char>(c);
    }
    return false;
}

} // namespace

int main()
{
    whisper_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    Context context;
    int threads = 1;
    for (std::string line; readLine(line);) {
        std::istringstream words(line);
        std::string request, language, answer;
        std::size_t count = 0;
        words >> request;
        if (request == "load") {
            words >> threads;
            std::string path;
            std::getline(words >> std::ws, path);
            answer = load(context, path);
        } else if (request == "hear" && (words >> language >> count) && count <= kMostSamples) {
            std::vector<float> samples(count);
            if (std::fread(samples.data(), sizeof(float), count, stdin) != count)
                return 1;
            answer = hear(context.get(), language, samples, threads);
        } else {
            std::puts(refusal("unknown request").c_str());
            return 1; // what follows cannot be told from sound
        }
        std::puts(answer.c_str());
        std::fflush(stdout);
    }
    return 0;
}
